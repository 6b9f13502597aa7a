"""Stubs as data, and stubs from a recorded conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, BaseAgent, UnstubbedCall
from neuron_evals.core.agents.stubs import read_stubs, stub_problems, stub_tools, stubs_from
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.trajectories import Trajectory
from tests.core.assertions.trajectory.conversations import call, conversation, pending, rejected


def search(q: str, limit: int = 10) -> str:
    return f"really searched {q}"


def pay(amount: float) -> str:
    raise AssertionError("real money")


def agent(*replies: Any) -> Agent:
    return Agent(FakeProvider(*replies), tools=[search, pay])


def asked(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


def outcomes(tested: BaseAgent) -> list[ToolCall]:
    return Trajectory.from_messages(tested.history).tool_calls()


DECLARED = json.loads(
    """{
        "search": {"replies": [{"arguments": {"q": "a"}, "result": ["A"]}, {"arguments": {}, "error": "nothing"}]},
        "pay": {"results": [null, {"paid": 2}]}
    }"""
)


def test_declared_stubs__answer_as_they_say():
    assert stub_problems(DECLARED) == []
    calls = [asked("search", q="a", limit=1), asked("search", q="b"), asked("pay", amount=1), asked("pay", amount=2)]
    tested = stub_tools(agent(calls, [asked("pay", amount=3)], "never"), read_stubs(DECLARED))
    with pytest.raises(UnstubbedCall, match=r'pay\(\{"amount":3\}\) has no result left'):
        tested.chat("Go")
    assert [(made.result, made.error) for made in outcomes(tested)][:4] == [
        (["A"], None),
        (None, "nothing"),
        (None, None),
        ({"paid": 2}, None),
    ]


@pytest.mark.parametrize(
    ("declared", "result", "error"),
    [
        ({"search": {"result": 0}}, 0, None),
        ({"search": {"result": None}}, None, None),
        ({"search": {"error": "down"}}, None, "down"),
        ({"search": {"real": True}}, "really searched a", None),
        ({"search": {"real": True}, "*": "refuse"}, "really searched a", None),
        ({"pay": {"result": 1}, "*": "real"}, "really searched a", None),
        ({"*": "real"}, "really searched a", None),
    ],
)
def test_declared_stub__is_of_the_kind_it_says(declared, result, error):
    assert stub_problems(declared) == []
    tested = stub_tools(agent([asked("search", q="a")], "Done."), read_stubs(declared))
    tested.chat("Go")
    assert [(made.result, made.error) for made in outcomes(tested)] == [(result, error)]


@pytest.mark.parametrize("declared", [{"*": "refuse"}, {"pay": {"result": 1}}, {"pay": {"real": True}, "*": "refuse"}])
def test_tool_that_is_not_declared__is_refused(declared):
    tested = stub_tools(agent([asked("search", q="a")], "never"), read_stubs(declared))
    with pytest.raises(UnstubbedCall, match="search"):
        tested.chat("Go")


FORMS = "result, results, error, replies, real"


@pytest.mark.parametrize(
    ("declared", "problems"),
    [
        ([], [("", "must be a mapping from tool to stub, got list")]),
        (None, [("", "must be a mapping from tool to stub, got None")]),
        ({}, [("", 'must not be empty; {"*": "refuse"} refuses every call')]),
        ({"*": "deny"}, [("*", 'must be "refuse" or "real", got \'deny\'')]),
        ({"*": {"real": True}}, [("*", 'must be "refuse" or "real", got dict')]),
        ({"a b": {"result": 1}}, [("a b", "is no name of a tool: 1 to 64 letters, digits, _ and -")]),
        ({7: {"result": 1}}, [("7", "is no name of a tool: 1 to 64 letters, digits, _ and -")]),
        ({"pay": "ok"}, [("pay", f"must be a mapping with one of {FORMS}, got 'ok'")]),
        ({"pay": {}}, [("pay", f"needs one of {FORMS}; it has none")]),
        ({"pay": {"result": 1, "error": "x"}}, [("pay", f"needs one of {FORMS}; it has result and error")]),
        ({"pay": {"reslt": 1}}, [("pay.reslt", f'is unknown; did you mean "result"? the keys are {FORMS}')]),
        ({"pay": {"results": []}}, [("pay.results", "must be a list with a value for each call")]),
        ({"pay": {"results": "ab"}}, [("pay.results", "must be a list with a value for each call")]),
        ({"pay": {"error": " "}}, [("pay.error", "must be text that is not blank")]),
        ({"pay": {"error": 404}}, [("pay.error", "must be text that is not blank")]),
        ({"pay": {"real": False}}, [("pay.real", "must be true; leave the tool out to have its calls refused")]),
        ({"pay": {"real": 1}}, [("pay.real", "must be true; leave the tool out to have its calls refused")]),
        ({"pay": {"replies": []}}, [("pay.replies", "must be a list of mappings with arguments, result, error")]),
        (
            {"pay": {"replies": ["ok", {"arguments": {}}, {"result": 1, "error": "x"}, {"reslt": 1}]}},
            [
                ("pay.replies[0]", "must be a mapping with arguments, result, error, got 'ok'"),
                ("pay.replies[1]", "needs either result or error"),
                ("pay.replies[2]", "needs either result or error"),
                (
                    "pay.replies[3].reslt",
                    'is unknown; did you mean "result"? the keys are arguments, result, error',
                ),
            ],
        ),
        (
            {"pay": {"replies": [{"arguments": ["a"], "error": ""}]}, "search": {"results": 1}},
            [
                ("pay.replies[0].error", "must be text that is not blank"),
                ("pay.replies[0].arguments", "must be a mapping, got list"),
                ("search.results", "must be a list with a value for each call"),
            ],
        ),
    ],
)
def test_declared_stubs_that_mean_nothing__every_problem_is_told_with_its_path(declared, problems):
    assert stub_problems(declared) == problems
    with pytest.raises(InvalidArgument) as caught:
        read_stubs(declared)
    assert all(
        f"stubs.{path}: {message}".replace("stubs.:", "stubs:") in str(caught.value) for path, message in problems
    )


RECORDED = conversation(
    call("search", q="a"),
    ToolCall("search", {"q": "a"}, result=["second"]),
    ToolCall("search", {"q": "a", "limit": 1}, error="TimeoutError: slow"),
    rejected("pay", amount=9),
    pending("pay", amount=8),
)


def test_recorded_calls__are_answered_as_they_were_each_once():
    calls = [asked("search", q="a", limit=1), asked("search", q="a"), asked("search", q="a")]
    tested = stub_tools(agent(calls, [asked("search", q="a")], "never"), stubs_from(RECORDED))
    with pytest.raises(UnstubbedCall, match="has no reply: of the 3 of its stub, none that is left fits"):
        tested.chat("Go")
    assert [(made.result, made.error) for made in outcomes(tested)][:3] == [
        (None, "TimeoutError: slow"),
        ("ok", None),
        (["second"], None),
    ]


@pytest.mark.parametrize("made", [asked("search", q="A"), asked("search", q="a", limit=1.0), asked("pay", amount=9)])
def test_call_that_was_not_recorded_or_did_not_run__is_refused(made):
    tested = stub_tools(agent([made], "never"), stubs_from(RECORDED))
    with pytest.raises(UnstubbedCall):
        tested.chat("Go")


def test_recording_of_a_recording__answers_the_same():
    first = stub_tools(agent([asked("search", q="a"), asked("search", q="a")], "Done."), stubs_from(RECORDED))
    first.chat("Go")
    second = stub_tools(
        agent([asked("search", q="a"), asked("search", q="a")], "Done."),
        stubs_from(Trajectory.from_messages(first.history)),
    )
    second.chat("Go")
    assert [made.result for made in outcomes(second)] == ["ok", ["second"]]


def test_recording_that_is_no_trajectory__is_refused():
    with pytest.raises(InvalidArgument, match="stubs_from: takes a Trajectory, got tuple"):
        stubs_from(())  # type: ignore[arg-type]
