"""Items that are conversations: turns, users, approvals, stubs."""

from __future__ import annotations

from typing import Any

import pytest

from neuron_evals import (
    Agent,
    BaseAgent,
    ConfigurationError,
    EvaluatorRunner,
    FakeAgent,
    FakeProvider,
    FakeScript,
    MemoryCache,
    Status,
    SuiteError,
    Tool,
    ToolCall,
    parse_suite,
    run_case,
    run_suite,
)
from neuron_evals.core import naming
from neuron_evals.core.suites import Resources, dataset_problems, suite_evaluator
from neuron_evals.core.suites.schema import suite_schema

REFUND = ToolCall("refund_order", {"number": 123})
NOT_EMPTY = {"_assertions": [{"type": "not_empty"}]}


def refund_order(number: int) -> str:
    """Refund an order."""
    raise AssertionError("it must not run")


def gated(*replies: Any) -> Agent:
    return Agent(FakeProvider(*replies), tools=[Tool.from_function(refund_order, approval=True)])


def test_turns__said_one_after_the_other_and_judged_as_a_whole():
    result = run_case(
        {
            "turns": ["I want a refund", "Yes"],
            "approvals": {"refund_order": ["reject", "too much"]},
            "reference": "sorry",
            "_assertions": [
                {"type": "trajectory_matches", "expected": ["refund_order"], "mode": "subset"},
                {"type": "tool_was_rejected", "name": "refund_order"},
            ],
        },
        agent=gated("Sure?", [REFUND], "I am sorry."),
    )
    assert result.passed, result.explain()
    assert (result.output, result.trajectory.user_messages()) == ("I am sorry.", ["I want a refund", "Yes"])


def test_approvals_beside_an_input__are_given():
    item = {
        "input": "refund",
        "approvals": "reject",
        "_assertions": [{"type": "tool_was_rejected", "name": "refund_order"}],
    }
    assert run_case(item, agent=gated([REFUND], "No refund.")).passed


def test_user_as_a_list__is_a_script():
    result = run_case({"user": ["hi", "bye"], "reference": "BYE"}, agent=str.upper)
    assert result.passed
    assert result.trajectory.user_messages() == ["hi", "bye"]


def simulated(**more: Any) -> dict[str, Any]:
    return {"user": {"goal": "know the hours", "max_turns": 1, **more}, "reference": "9"}


def test_simulated_user__played_by_the_simulator_of_the_run():
    asked: list[str] = []

    def agent(text: str) -> str:
        asked.append(text)
        return "9 to 5"

    result = run_case(simulated(), agent=agent, simulator=lambda prompt: '{"stop": false, "message": "When?"}')
    assert result.status is Status.PASSED, result.explain()
    assert asked == ["When?"]


def test_simulated_user_without_anybody_who_plays_it__refused_before_the_first_call():
    with pytest.raises(SuiteError, match="needs an agent that plays it") as refused:
        run_suite([{"input": "q", "reference": "9"}, simulated()], agent=lambda text: pytest.fail("called"))
    assert [problem[:2] for problem in refused.value.problems] == [(1, "user")]
    assert dataset_problems([simulated()], has_judge=False) == ()


def test_simulated_user_that_names_its_agent__looked_up_before_the_first_call(monkeypatch):
    monkeypatch.setattr(naming, "_resolvers", [])  # where Django is set up, names are looked up in rows too
    with pytest.raises(ConfigurationError, match="nobody_of_that_name"):
        run_case(simulated(agent="nobody_of_that_name"), agent=lambda text: pytest.fail("called"))


def test_stubs__answer_instead_of_the_tools():
    agent = Agent(FakeProvider([REFUND], "Refunded."), tools=[refund_order])
    item = {"input": "refund", "stubs": {"refund_order": {"result": "ok"}}, "tool": "refund_order"}
    result = run_case(item, agent=agent)
    assert result.passed, result.explain()
    assert [(call.result, call.stubbed) for call in result.trajectory.tool_calls()] == [("ok", True)]


def test_stubs__each_item_begins_with_its_own():
    replies: list[Any] = [[REFUND], "Refunded."] * 3
    agent = Agent(FakeProvider(*replies), tools=[refund_order])
    item = {"input": "refund", "stubs": {"refund_order": {"results": ["ok"]}}, "tool": "refund_order"}
    assert run_suite([item] * 3, agent=agent).passed_count == 3


@pytest.mark.parametrize("agent", [lambda text: pytest.fail("called"), Agent(FakeProvider())])
def test_stubs_that_the_agent_cannot_have__refused_before_the_first_call(agent):
    item = {"input": "refund", "stubs": {"refund_order": {"result": "ok"}}, "reference": "9"}
    with pytest.raises(ConfigurationError, match=r"item 1, stubs: stub_tools"):
        run_suite([{"input": "q", "reference": "9"}, item], agent=agent)


def test_fake__talks_too_and_needs_no_stubs():
    item = {
        "turns": ["a", "b"],
        "stubs": {"refund_order": {"result": "ok"}},
        "reference": "two",
        "tool": "refund_order",
    }
    fake = FakeAgent(FakeScript(["one", "two"], [REFUND]))
    assert run_suite([item], fake=fake).passed_count == 1


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        ({"turns": []}, ["turns"]),
        ({"turns": "hi"}, ["turns"]),
        ({"turns": ["hi", 3, " "]}, ["turns[1]", "turns[2]"]),
        ({"turns": ["hi"], "input": "hi"}, ["input"]),
        ({"turns": ["hi"], "user": ["hi"]}, ["user"]),
        ({"user": {}}, ["user.goal"]),
        ({"user": {"goal": "g", "gaol": "x", "max_turns": 0}}, ["user.gaol", "user.max_turns"]),
        ({"input": "q", "approvals": "maybe"}, ["approvals"]),
        ({"input": "q", "approvals": {}}, ["approvals"]),
        ({"input": "q", "approvals": {"refund": "perhaps"}}, ["approvals.refund"]),
        ({"input": "q", "stubs": {}}, ["stubs"]),
        ({"input": "q", "stubs": {"refund": {"result": 1, "error": "x"}}}, ["stubs.refund"]),
        ({"input": "q", "stubs": {"refund": {"reslt": 1}}, "approvals": 3}, ["approvals", "stubs.refund.reslt"]),
        ({"approvals": "approve"}, ["input"]),
        ({"input": 3, "approvals": "approve"}, ["input"]),
    ],
)
def test_mistakes__named_by_field(item, fields):
    assert [problem.field for problem in dataset_problems([{**item, **NOT_EMPTY}])] == fields


@pytest.mark.parametrize(
    "item",
    [
        {"turns": ["hi", {"content": "b"}]},
        {"user": ["hi"]},
        {"user": {"goal": "g", "persona": "p", "facts": {"order": 1}, "max_turns": 3}},
        {"input": "q", "approvals": {"refund": ["edit", {"number": 1}], "*": "approve"}},
        {"input": "q", "stubs": {"refund": {"replies": [{"arguments": {"number": 1}, "result": "ok"}]}, "*": "real"}},
        {"turns": ["hi"], "input": None, "user": None, "approvals": None, "stubs": None},
    ],
)
def test_forms_that_mean_something__accepted_by_validator_and_schema(item):
    from jsonschema import Draft202012Validator  # noqa: PLC0415  (of this test alone)

    assert dataset_problems([{**item, **NOT_EMPTY}]) == ()
    assert Draft202012Validator(suite_schema()).is_valid([{**item, **NOT_EMPTY}])


def test_cache__what_is_said_decided_and_stubbed_belongs_to_the_key():
    cache = MemoryCache()
    provider = FakeProvider(*["9"] * 20)
    agent = Agent(provider, tools=[refund_order])

    def calls(item: dict[str, Any], resources: Resources | None = None, tested: BaseAgent = agent) -> int:
        before = provider.call_count
        EvaluatorRunner(cache).run(suite_evaluator(parse_suite([{**item, "reference": "9"}]), tested, resources))
        return provider.call_count - before

    variants: list[dict[str, Any]] = [
        {"turns": ["a"]},
        {"turns": ["b"]},
        {"user": ["a"]},
        {"input": "a", "approvals": "approve"},
        {"input": "a", "approvals": "reject"},
        {"input": "a", "stubs": {"refund_order": {"result": 1}}},
        {"input": "a", "stubs": {"refund_order": {"result": 2}}},
    ]
    assert [calls(item) for item in variants] == [1] * 7
    assert [calls(item) for item in variants] == [0] * 7


def test_cache__a_user_of_whom_nothing_tells_what_it_says_is_not_kept():
    resources = Resources(simulator=lambda: lambda prompt: '{"stop": false, "message": "When?"}')
    evaluator = suite_evaluator(parse_suite([simulated()]), Agent(FakeProvider("9")), resources)
    results = EvaluatorRunner(MemoryCache()).run(evaluator)
    assert results.passed_count == 1
    assert ["plays the user has no fingerprint" in why for why in results.cache.not_stored] == [True]
