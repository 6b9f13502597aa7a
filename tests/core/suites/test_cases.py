"""Suites as users write them: what is refused, and how what is accepted ends."""

from __future__ import annotations

import pytest

from neuron_evals import SuiteError, render, run_suite
from neuron_evals.core.suites import dataset_problems
from tests.core.suites.actors import (
    ACCEPTED,
    CASES,
    REFUSED,
    Replies,
    agent_of,
    judge_of,
    judge_was_asked_as_it_should,
    statuses_of,
    suite_of,
    titles,
)


def test_cases__each_is_either_refused_or_accepted():
    assert (len(REFUSED), len(ACCEPTED), len(CASES)) == (47, 44, 91)
    assert len({*titles(REFUSED), *titles(ACCEPTED)}) == len(CASES)


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

    assert [result.status for result in report.results] == statuses_of(case), render(report, "detailed")
    assert report.success_rate == pytest.approx(case["success_rate"], abs=5e-5)
    assert report.fake is fake
    if "scores" in case:
        scores = [[check.score for check in result.checks] for result in report.results]
        assert scores == [pytest.approx(each) if None not in each else each for each in case["scores"]]
    if "failed_checks" in case:
        assert [len(result.failed_checks) for result in report.results] == case["failed_checks"]
    if provider is not None:
        judge_was_asked_as_it_should(case, provider)
    if case.get("reasoning_kept"):
        assert [check.context["reasoning"] for result in report.results for check in result.checks] == ["because"]


def test_judge_that_breaks__the_reply_of_the_agent_is_kept():
    (case,) = [case for case in CASES if case["title"] == "judge call fails for one item"]
    report = run_suite(case["suite"], agent=lambda text: f"answer to {text}", judge=judge_of(case)[0])
    assert [result.output for result in report.results] == ["answer to a", "answer to b", "answer to c"]
