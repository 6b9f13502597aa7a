"""What was measured of many items, under the names of Nous.Eval."""

from __future__ import annotations

import pytest

from neuron_evals.core.messages import Usage
from neuron_evals.core.report import EvaluationResults
from neuron_evals.core.results import AgentSteps, Attempt, Status
from tests.core.samples import a_result

STEPS = AgentSteps(first_token=0.5, iterations=2, retries=1, tool_calls=3, tool_errors=1)


def summary_of(*results):
    return EvaluationResults("shop.Support", results).metrics_summary


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ([10, 20], (15, 19.5, 19.9)),
        ([1, 2, 3, 4], (2.5, 3.85, 3.97)),
        (range(100, 1001, 100), (550, 955, 991)),
        ([0.25], (0.25, 0.25, 0.25)),
        ([], (None, None, None)),
    ],
)
def test_latency__interpolated_and_never_rounded(times, found):
    latency = summary_of(*(a_result(run_time=time) for time in times)).latency
    assert (latency.p50, latency.p95, latency.p99) == (
        (None,) * 3 if found[0] is None else pytest.approx(found, rel=1e-12)
    )
    assert (latency.count, latency.total) == (len(times), sum(times) if times else None)


def test_latency__is_of_run_alone_and_of_no_cached_run():
    latency = summary_of(
        a_result(seconds=9.0, run_time=1.0),
        a_result(seconds=9.0, run_time=5.0, cached_run=True, steps=STEPS),
        a_result(Status.ERROR, seconds=9.0),
    ).latency
    assert (latency.count, latency.mean, latency.first_token.count) == (1, 1.0, 0)


def test_first_token__of_the_items_that_know_it():
    first = summary_of(
        a_result(run_time=1.0, steps=STEPS), a_result(run_time=1.0), a_result(steps=AgentSteps(first_token=0.0))
    ).latency.first_token
    assert (first.count, first.mean, first.p50) == (2, 0.25, 0.25)


def test_every_part_known__sums_are_whole():
    usage = Usage(10, 2, 4, requests=2)
    summary = summary_of(*(a_result(usage=usage, cost=0.1, steps=STEPS) for _ in range(3)))
    assert summary.items == 3
    assert (summary.tokens.input, summary.tokens.output, summary.tokens.total, summary.tokens.cached) == (30, 6, 36, 12)
    assert (summary.cost.total, summary.cost.known) == (0.3, 0.3)
    assert (summary.tool_calls, summary.tool_errors) == (9, 3)
    assert (summary.iterations, summary.requests, summary.retries) == (6, 6, 3)
    assert summary.known.tokens == summary.tokens
    assert (summary.known.tool_calls, summary.known.iterations) == (9, 6)


def test_one_price_unknown__total_unknown_and_the_known_part_is_told():
    cost = summary_of(a_result(cost=0.1), a_result(known_cost=0.2), a_result()).cost
    assert (cost.total, cost.known) == (None, 0.3)


def test_unknown_price__is_not_free():
    assert summary_of(a_result(usage=Usage(1, 1))).cost.known is None
    assert summary_of(a_result(cost=0.0)).cost.total == 0.0


def test_tokens_known_in_part__total_unknown():
    summary = summary_of(a_result(usage=Usage(10, 2)), a_result(usage=Usage(None, 3)))
    assert (summary.tokens.input, summary.tokens.output, summary.tokens.total) == (None, 5, None)
    assert (summary.known.tokens.input, summary.known.tokens.total, summary.known.tokens.cached) == (10, 15, None)


@pytest.mark.parametrize(
    "other",
    [
        a_result(),
        a_result(Status.CANCELLED),
        a_result(Status.ERROR, steps=AgentSteps(iterations=1, tool_calls=0)),
        a_result(steps=AgentSteps(iterations=1, tool_calls=0), attempts=2, other_attempts=(Attempt(Status.ERROR),)),
    ],
    ids=["that tells nothing", "that was stopped", "that was broken off", "that was tried again"],
)
def test_count_beside_an_item__unknown_as_a_whole(other):
    summary = summary_of(a_result(steps=STEPS), other)
    assert (summary.tool_calls, summary.iterations) == (None, None)
    assert summary.known.tool_calls == 3


def test_none_is_no_0():
    summary = summary_of()
    assert (summary.items, summary.tool_calls, summary.retries, summary.cost.total) == (0, None, None, None)
    assert summary_of(a_result(steps=AgentSteps(iterations=1, tool_calls=0, tool_errors=0))).tool_errors == 0


def test_tries_of_an_item__are_retries_too():
    result = a_result(steps=STEPS, attempts=3, other_attempts=(Attempt(Status.ERROR), Attempt(Status.ERROR)))
    assert result.measurements["retries"] == 3
    assert (summary_of(result).retries, summary_of(result).known.retries) == (None, 3)


def test_tries_of_an_item_that_tells_nothing_else__are_known_to_be_retries():
    tried = a_result(attempts=3, other_attempts=(Attempt(Status.ERROR), Attempt(Status.ERROR)))
    summary = summary_of(tried, a_result())
    assert (summary.retries, summary.known.retries, summary.known.tool_calls) == (None, 2, None)
    assert tried.measurements["retries"] is None
    assert summary_of(a_result()).known.retries is None


def test_evaluators_together__as_if_they_were_one(report_of):
    one = [a_result(usage=Usage(1, 2), cost=0.1, run_time=1.0, steps=STEPS), a_result(run_time=2.0)]
    other = [a_result(usage=Usage(3, 4), cost=0.2, run_time=3.0, steps=STEPS)]
    assert report_of(one, other).metrics_summary == summary_of(*one, *other)


def test_measurements__of_one_item():
    result = a_result(usage=Usage(10, 2, 4, requests=2), cost=0.5, run_time=1.5, steps=STEPS)
    assert result.measurements == {
        "latency": {"total": 1.5, "first_token": 0.5},
        "tokens": {"input": 10, "output": 2, "total": 12, "cached": 4},
        "cost": {"total": 0.5, "known": 0.5},
        "tool_calls": 3,
        "tool_errors": 1,
        "iterations": 2,
        "requests": 2,
        "retries": 1,
    }


def test_measurements__of_an_item_that_tells_nothing():
    measured = a_result(known_cost=0.25).measurements
    assert measured["cost"] == {"total": None, "known": 0.25}
    assert {str(value) for value in measured["tokens"].values()} == {"None"}
    counts = ("tool_calls", "tool_errors", "iterations", "requests", "retries")
    assert [measured[name] for name in counts] == [None] * 5
