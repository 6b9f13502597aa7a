from __future__ import annotations

from typing import Any

import pytest

from neuron_evals.core.assertions import Not, ToolUsage
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.messages import ToolCall
from tests.core.assertions.trajectory.conversations import call, conversation

TOKYO = call("weather", city="Tokyo", units="C")
PARIS = call("weather", city="Paris")
SEARCH = call("search", query="x")
TIP = call("calculate", amount=50, percent=15)
ALL: dict[str, Any] = {
    "tools_called": ["weather"],
    "tools_not_called": ["search"],
    "min_tool_calls": 1,
    "max_tool_calls": 2,
    "tool_args": {"weather": {"city": "Tokyo"}},
    "output_contains": ["tokyo"],
}


@pytest.mark.parametrize(
    ("options", "calls", "answer", "score"),
    [
        ({"tools_called": ["weather"]}, [TOKYO, SEARCH], "ok", 1),
        ({"tools_called": ["weather", "search"]}, [TOKYO], "ok", 0),
        ({"tools_called": ["search", "weather"]}, [TOKYO, SEARCH], "ok", 1),
        ({"tools_called": ["Weather"]}, [TOKYO], "ok", 0),
        ({"tools_called": ["weather", "weather"]}, [TOKYO], "ok", 0),
        ({"tools_called": ["weather", "weather"]}, [TOKYO, PARIS], "ok", 1),
        ({"tools_not_called": ["search"]}, [TOKYO, SEARCH], "ok", 0),
        ({"tools_not_called": ["search"]}, [], "ok", 1),
        ({"min_tool_calls": 2}, [TOKYO, PARIS], "ok", 1),
        ({"min_tool_calls": 3}, [TOKYO, PARIS], "ok", 0),
        ({"max_tool_calls": 1}, [TOKYO, PARIS], "ok", 0),
        ({"max_tool_calls": 1}, [TOKYO], "ok", 1),
        ({"max_tool_calls": 0}, [TOKYO], "ok", 0),
        ({"max_tool_calls": 0}, [], "ok", 1),
        ({"min_tool_calls": 0}, [], "ok", 1),
        ({"output_contains": ["7.5"]}, [TIP], "The tip is $7.50", 1),
        ({"output_contains": ["TOKYO", "wetter"]}, [], "das WETTER in tokyo", 1),
        ({"output_contains": ["tokyo", "rain"]}, [], "Tokyo: sun", 0),
        ({"tool_args": {"calculate": {"amount": 50}}}, [TIP], "ok", 1),
        ({"tool_args": {"calculate": {"amount": 50.0}}}, [TIP], "ok", 1),
        ({"tool_args": {"calculate": {"amount": "50"}}}, [TIP], "ok", 0),
        ({"tool_args": {"calculate": {"amount": 60}}}, [TIP], "ok", 0),
        ({"tool_args": {"weather": {"city": "Paris"}}}, [TOKYO, PARIS], "ok", 1),
        ({"tool_args": {"weather": {"city": "Paris", "units": "C"}}}, [TOKYO, PARIS], "ok", 0),
        ({"tool_args": {"weather": {"units": None}}}, [PARIS], "ok", 1),
        ({"tool_args": {"weather": {}}}, [TOKYO], "ok", 1),
        ({"tool_args": {"weather": {}}}, [SEARCH], "ok", 0),
        ({"tool_args": {"f": {"flag": False}}}, [call("f", flag=True)], "ok", 0),
        ({"tool_args": {"f": {"flag": 1}}}, [call("f", flag=True)], "ok", 0),
        ({"tool_args": {"f": {"a": {"b": 1}}}}, [call("f", a={"b": 1, "c": 2})], "ok", 0),
        ({"tool_args": {"f": {"n": 1}}}, [ToolCall("f", '{"n": 1.0}', result="x")], "ok", 1),  # type: ignore[arg-type]
        (
            {"tools_called": ["calculate"], "tool_args": {"calculate": {"amount": 60}}, "check_args": False},
            [TIP],
            "",
            1,
        ),
        ({"tools_called": ["weather", "search"], "strict_order": True}, [TOKYO, SEARCH], "ok", 1),
        ({"tools_called": ["weather", "search"], "strict_order": True}, [TOKYO, TIP, SEARCH], "ok", 1),
        ({"tools_called": ["search", "weather"], "strict_order": True}, [TOKYO, SEARCH], "ok", 0),
        ({"tools_called": ["weather", "search"], "strict_order": True}, [SEARCH, TOKYO, SEARCH], "ok", 1),
        (ALL, [TOKYO], "Tokyo: 22C", 1),
        (ALL, [PARIS], "sunny", 0.6),
        (ALL, [PARIS, SEARCH], "sunny", 0.4),
        (ALL, [PARIS, SEARCH, SEARCH], "sunny", 0.2),
        (ALL, [], "sunny", 0.2),
    ],
)
def test_the_score_is_the_share_of_the_rules_that_hold(options, calls, answer, score):
    trajectory = conversation(*calls, answer=answer)
    result = ToolUsage(**options).evaluate(trajectory)
    assert result.score == pytest.approx(score)
    assert result.passed is (score == 1)
    assert bool(result.message) is not result.passed
    assert Not(ToolUsage(**options)).evaluate(trajectory).passed is not result.passed


def test_every_rule_that_does_not_hold_is_told():
    result = ToolUsage(**ALL).evaluate(conversation(PARIS, SEARCH, SEARCH, answer="sunny"))
    assert result.message == (
        'called and should not be: search({"query":"x"}), search({"query":"x"}); '
        "tools were called 3 times, expected at most 2; "
        'weather was not called with {"city":"Tokyo"}; called were: weather({"city":"Paris"}); '
        '"sunny" does not contain "tokyo"'
    )
    assert result.context == {
        "rules": {
            "tools_called": True,
            "tools_not_called": False,
            "tool_calls": False,
            "tool_args": False,
            "output_contains": False,
        }
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tools_called": ["a", "b", "b"]}, "not called: a, b, b"),
        (
            {"tools_called": ["search", "weather"], "strict_order": True},
            "not called in this order: search, weather; called were: weather, search",
        ),
        ({"min_tool_calls": 3}, "tools were called 2 times, expected at least 3"),
        ({"tool_args": {"a": {"x": 1}}}, 'a was not called with {"x":1}; it was not called'),
    ],
)
def test_a_rule_that_does_not_hold_says_why(options, message):
    assert ToolUsage(**options).evaluate(conversation(TOKYO, SEARCH)).message == message


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "nothing is asked for"),
        ({"tools_called": [], "tool_args": {}}, "nothing is asked for"),
        ({"tool_args": {"a": {"x": 1}}, "check_args": False}, "nothing is asked for"),
        ({"strict_order": True}, "nothing is asked for"),
        ({"tools_called": "weather"}, "tools_called must be a list of texts, got one text"),
        ({"tools_not_called": [3]}, r"tools_not_called\[0\] must be text, got int"),
        ({"output_contains": "7.5"}, "output_contains must be a list of texts"),
        ({"min_tool_calls": -1}, "min_tool_calls must be 0 or more"),
        ({"max_tool_calls": "2"}, "max_tool_calls must be a whole number"),
        ({"min_tool_calls": 3, "max_tool_calls": 2}, "min_tool_calls must not be above max_tool_calls, got 3 and 2"),
        ({"tool_args": ["a"]}, "tool_args must be a mapping of tools, got list"),
        ({"tool_args": {"a": 1}}, r"tool_args\['a'\] must be a mapping, got int"),
        ({"max_tool_calls": 1, "check_args": "no"}, "check_args must be True or False"),
        ({"max_tool_calls": 1, "strict_order": None}, "strict_order must be True or False"),
    ],
)
def test_an_option_that_cannot_mean_anything_is_refused(options, problem):
    with pytest.raises(InvalidArgument, match=f"^ToolUsage: {problem}"):
        ToolUsage(**options)


def test_what_is_no_trajectory_is_an_error():
    with pytest.raises(InvalidInput, match="ToolUsage evaluates a Trajectory, got dict"):
        ToolUsage(max_tool_calls=1).evaluate({})


def test_at_least_no_call_is_vacuous_alone():
    assert ToolUsage(min_tool_calls=0).vacuous
    others = ({"min_tool_calls": 1}, {"min_tool_calls": 0, "max_tool_calls": 0}, {"tools_not_called": ["a"]})
    assert not any(ToolUsage(**options).vacuous for options in others)
    assert not ToolUsage(min_tool_calls=0, output_contains=["a"]).vacuous
