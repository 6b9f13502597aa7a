"""Suites as users write them: what is refused, and how what is accepted ends."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from neuron_evals import Agent, BaseAgent, FakeProvider, Message, SuiteError, ToolCall, render, run_suite
from neuron_evals.core.suites import dataset_problems

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
REFUSED = [case for case in CASES if "problems" in case]
ACCEPTED = [case for case in CASES if "statuses" in case]


def titles(cases):
    return [case["title"] for case in cases]


def suite_of(case: dict[str, Any]) -> Any:
    if "repeat" in case:
        item, count = case["repeat"]
        return [item] * count
    return case["suite"] if "suite" in case else case["text"]


class Replies:
    """An agent that answers, or raises, as the case says for each item in turn."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.errors = case.get("errors", {})
        self.replies = case.get("replies", "OK")
        if "reply_times" in case:
            text, times, end = case["reply_times"]
            self.replies = text * times + end
        self.calls = itertools.count()

    def __call__(self, text: str) -> str:
        position = next(self.calls)
        error = self.errors if isinstance(self.errors, str) else self.errors.get(str(position))
        if error is not None:
            raise RuntimeError(error)
        return self.replies if isinstance(self.replies, str) else self.replies[position]


def agent_of(case: dict[str, Any]) -> Any:
    if "calls" not in case:
        return Replies(case)
    calls, count = case["calls"], len(case["suite"])
    by_item = calls if isinstance(calls, dict) else {str(position): calls for position in range(count)}
    said: list[Any] = []
    for position in range(count):
        names = by_item.get(str(position), [])
        said += [[ToolCall(name) for name in names]] if names else []
        said.append(case.get("replies", "OK"))
    return Agent(FakeProvider(*said))


class Grader:
    """A provider's replies for the judge of a case."""

    def __init__(self, grades: Any) -> None:
        endless = not isinstance(grades, list)
        self.grades = itertools.repeat(grades) if endless else iter(grades)

    def provider(self, count: int) -> FakeProvider:
        replies = (self._reply(grade) for grade in itertools.islice(self.grades, count))
        return FakeProvider(*replies, model="grader")

    @staticmethod
    def _reply(grade: Any) -> Any:
        if isinstance(grade, dict):
            return RuntimeError(grade["raises"]) if "raises" in grade else grade["says"]
        return {"reasoning": "because", "score": grade}


def judge_of(case: dict[str, Any]) -> tuple[BaseAgent | None, FakeProvider | None]:
    if "judge" not in case:
        return None, None
    provider = Grader(case["judge"]).provider(20)
    return Agent(provider), provider


@pytest.mark.parametrize("case", REFUSED, ids=titles(REFUSED))
def test_refused__every_problem_is_named_and_nothing_is_called(case):
    agent = Replies(case)
    judge, provider = judge_of(case)

    with pytest.raises(SuiteError) as refused:
        run_suite(suite_of(case), agent=agent, judge=judge)

    found = [(problem.item_index, problem.field) for problem in refused.value.problems]
    for index, field in case["problems"]:
        assert any(index == where and path.startswith(field) for where, path in found), refused.value
    assert next(agent.calls) == 0
    assert provider is None or provider.call_count == 0


@pytest.mark.parametrize("case", CASES, ids=titles(CASES))
def test_validator__refuses_what_a_run_refuses(case):
    problems = dataset_problems(suite_of(case), has_judge="judge" in case)
    assert bool(problems) is ("problems" in case), problems


@pytest.mark.parametrize("case", ACCEPTED, ids=titles(ACCEPTED))
def test_accepted__ends_as_it_should(case):
    judge, provider = judge_of(case)
    fake = case.get("fake", False)

    report = run_suite(suite_of(case), agent=None if fake else agent_of(case), judge=judge, fake=fake)

    statuses = [case["statuses"][0]] * case["statuses"][1] if "statuses_times" in case else case["statuses"]
    assert [result.status for result in report.results] == statuses, render(report, "detailed")
    assert report.success_rate == pytest.approx(case["success_rate"], abs=5e-5)
    assert report.fake is fake
    if "scores" in case:
        scores = [[check.score for check in result.checks] for result in report.results]
        assert scores == [pytest.approx(each) if None not in each else each for each in case["scores"]]
    if "failed_checks" in case:
        assert [len(result.failed_checks) for result in report.results] == case["failed_checks"]
    if provider is not None:
        _judged_as_it_should(case, provider, report)


def _judged_as_it_should(case, provider, report):
    prompts = [_said(request.messages) for request in provider.requests]
    if "judge_calls" in case:
        assert provider.call_count == case["judge_calls"]
    if "messages_of_judge_calls" in case:
        assert [len(request.messages) for request in provider.requests] == case["messages_of_judge_calls"]
    assert all(any(text in prompt for prompt in prompts) for text in case.get("prompts_have", []))
    assert not any(text in prompt for prompt in prompts for text in case.get("prompts_lack", []))
    if case.get("reasoning_kept"):
        assert [check.context["reasoning"] for result in report.results for check in result.checks] == ["because"]


def _said(messages: tuple[Message, ...]) -> str:
    return "\n".join(message.content for message in messages)


def test_judge_that_breaks__the_reply_of_the_agent_is_kept():
    (case,) = [case for case in CASES if case["title"] == "judge call fails for one item"]
    report = run_suite(case["suite"], agent=lambda text: f"answer to {text}", judge=judge_of(case)[0])
    assert [result.output for result in report.results] == ["answer to a", "answer to b", "answer to c"]
