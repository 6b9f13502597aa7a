"""`run_suite` and `run_case`, as users call them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    BaseAgent,
    ConfigurationError,
    FakeAgent,
    FakeProvider,
    FakeScript,
    SuiteError,
    assert_case,
    parse_suite,
    run_case,
    run_suite,
)
from neuron_evals.core import naming
from neuron_evals.core.runner import Listener

ITEM: dict[str, Any] = {"input": "hours?", "reference": "9"}
JUDGED: dict[str, Any] = {"input": "hours?", "_assertions": [{"type": "helpfulness"}]}


def nine(text: str) -> str:
    return "9 to 5"


def test_case_that_passes():
    result = run_case(ITEM, agent=nine)
    assert result.passed, result.explain()


def test_case_that_fails__explains_itself():
    result = run_case({**ITEM, "reference": "ten"}, agent=nine)
    assert not result.passed
    assert 'does not contain "ten"' in result.explain()


def test_case_with_a_judge():
    result = run_case(JUDGED, agent=nine, judge=lambda text: '{"score": 0.9, "reasoning": "ok"}')
    assert (result.passed, result.checks[0].message) == (True, "ok")


@pytest.mark.parametrize("case", [{}, {**ITEM, "refrence": "9"}, JUDGED, "hours?", None, [ITEM]])
def test_case_that_means_nothing__refused_before_the_agent_is_called(case):
    with pytest.raises(SuiteError):
        run_case(case, agent=lambda text: pytest.fail("called"))


def test_case_that_takes_too_long_or_breaks__is_an_error():
    def broken(text: str) -> str:
        raise RuntimeError("boom")

    assert "boom" in str(run_case(ITEM, agent=broken).error)


@pytest.mark.parametrize(
    "suite", [[ITEM], '[{"input": "q", "reference": "9"}]', parse_suite([ITEM]), {"items": [ITEM]}]
)
def test_suite__as_data_text_or_read_already(suite):
    assert run_suite(suite, agent=nine).passed_count == 1


def test_suite_without_an_agent__says_what_to_give():
    with pytest.raises(ConfigurationError, match=r"give agent=\.\.\."):
        run_suite([ITEM])


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Nobody knows agents by name, until the test adds who does."""
    resolvers: list[Any] = []
    monkeypatch.setattr(naming, "_resolvers", resolvers)
    return resolvers


def test_agent_by_a_name_outside_django__says_what_one_is(names):
    with pytest.raises(ConfigurationError, match=r"nobody here knows agents by name, got 'support'"):
        run_suite([ITEM], agent="support")


def test_agent_and_judge_by_name__looked_up_where_names_are_known(names):
    asked: list[str] = []

    def resolve(name: str) -> BaseAgent:
        asked.append(name)
        return Agent(FakeProvider("9" if name == "support" else {"reasoning": "ok", "score": 1}))

    naming.name_agents_by(resolve)
    assert run_suite([JUDGED], agent="support", judge="strict").passed_count == 1
    assert run_suite({"agent": "support", "judge": "strict", "items": [JUDGED]}).passed_count == 1
    assert asked == ["support", "strict"] * 2


def test_judge_that_the_suite_names__the_one_of_the_call_goes_before_it(names):
    report = run_suite({"judge": "nobody", "items": [JUDGED]}, agent=nine, judge=Agent(FakeProvider({"score": 1})))
    assert report.passed_count == 1


def test_tags_as_one_text__refused():
    with pytest.raises(ConfigurationError, match=r"tags is a list of texts"):
        run_suite([ITEM], agent=nine, tags="smoke")


def test_fail_fast_and_listener__as_in_a_runner():
    seen: list[int] = []

    class Noting(Listener):
        def item(self, result: Any) -> None:
            seen.append(result.index)

    report = run_suite([{**ITEM, "reference": "ten"}, ITEM], agent=nine, fail_fast=True, listener=Noting())
    assert (report.stopped, report.cancelled_count) == ("fail-fast", 1)
    assert seen == [0, 1]


@pytest.mark.parametrize(
    ("fake", "answer", "called"),
    [
        (True, "This is a fake reply.", []),
        ("9 to 5", "9 to 5", []),
        ({"reply": "a", "tool_calls": ["look"]}, "a", ["look"]),
        (
            {"items": {"hours": {"reply": ["b"], "tool_calls": [{"name": "look", "arguments": {"a": 1}}]}}},
            "b",
            ["look"],
        ),
        ({"items": {"0": {"reply": "c"}}}, "c", []),
        (FakeAgent(FakeScript("d")), "d", []),
    ],
)
def test_fake__stands_in_for_the_agent_which_is_not_called(fake, answer, called):
    item = {"id": "hours", "input": "q", "_assertions": [{"type": "not_empty"}]}
    report = run_suite([item], agent=lambda text: pytest.fail("called"), fake=fake)
    (result,) = report.results
    assert (result.output, [call.name for call in result.trajectory.tool_calls()]) == (answer, called)
    assert report.fake is report.evaluators[0].fake is True


@pytest.mark.parametrize(
    ("fake", "where"),
    [
        (7, "fake must be"),
        ({"replies": "a"}, r"fake\.replies there is no such key; did you mean \"reply\""),
        ({"reply": 3}, r"fake\.reply must be text or a list of texts"),
        ({"items": {"a": {"tool_calls": [{"arguments": {}}]}}}, r"fake\.items\.a\.tool_calls\[0\]\.name"),
    ],
)
def test_fake_that_means_nothing__refused(fake, where):
    with pytest.raises(ConfigurationError, match=where):
        run_suite([ITEM], fake=fake)


def test_fake__takes_what_the_suite_changes_of_the_agent_and_the_judge_stays_real():
    judge = FakeProvider({"reasoning": "ok", "score": 1})
    report = run_suite({"model": "m", "dataset": [JUDGED]}, judge=Agent(judge), fake=True)
    assert (report.passed_count, judge.call_count) == (1, 1)


def test_real_run__is_not_marked():
    assert run_suite([ITEM], agent=nine).fake is False


def test_fake__answers_an_item_that_is_there_twice_by_its_position():
    item = {"input": "q", "reference": "ok"}
    report = run_suite([item, item, item], fake={"items": {"0": {"reply": "ok"}, "1": {"reply": "no"}}})
    assert [result.output for result in report.results] == ["ok", "no", "This is a fake reply."]


@pytest.mark.parametrize("run", [run_case, assert_case])
def test_case_that_is_repeated__refused_before_the_agent_is_called(run):
    case = {"id": "a", "input": "x", "expected": "hello", "repeats": 3}
    with pytest.raises(SuiteError, match=r'item 0 \(id "a"\), repeats: is for suites.*run_suite repeats it'):
        run(case, agent=lambda text: pytest.fail("called"))
    assert run({**case, "repeats": 1}, agent=lambda text: "hello").passed
    assert run_suite([case], agent=lambda text: "hello").passed_count == 3


@pytest.mark.parametrize("path", ["suites/one.yaml", " One.YML", Path("one.json"), Path("suites")])
@pytest.mark.parametrize("run", [run_suite, parse_suite])
def test_path_in_the_place_of_a_suite__says_what_reads_one(run, path):
    with pytest.raises(SuiteError, match=r"dataset: is a path, and no suite; load_suite\(path\) reads the suite"):
        run(path)


@pytest.mark.parametrize("concurrency", [0, -1])
def test_concurrency_below_1__refused(concurrency):
    with pytest.raises(ConfigurationError, match="concurrency"):
        run_suite([ITEM], agent=lambda text: pytest.fail("called"), concurrency=concurrency)


@pytest.mark.parametrize(
    ("who", "suite", "options"),
    [
        ("the run", [ITEM], {"model": "m"}),
        ("the suite", {"model": "m", "dataset": [ITEM]}, {}),
        (
            'item 0 \\(id "a"\\)',
            [{"id": "a", "input": "q", "expected": "9", "agent_config": {"model": "m"}}],
            {},
        ),
    ],
)
def test_model_that_the_agent_cannot_change__says_who_wants_it_of_which_agent(who, suite, options):
    told = f'{who} changes the agent "nine": "model" cannot be changed; it can change nothing'
    with pytest.raises(ConfigurationError, match=told):
        run_suite(suite, agent=nine, **options)
