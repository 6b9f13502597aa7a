from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from neuron_evals.core.messages import Usage
from neuron_evals.core.report import Amount, EvaluationResults, TimeSplit
from neuron_evals.core.results import Attempt, Status
from tests.core.samples import a_result


def results_of(*results):
    return EvaluationResults("shop.Support", results)


@pytest.mark.parametrize(
    ("costs", "known", "known_items", "total"),
    [
        pytest.param([0.1, 0.2], Decimal("0.3"), 2, Decimal("0.3"), id="all known, summed by their digits"),
        pytest.param([0.1, None], Decimal("0.1"), 1, None, id="one unknown"),
        pytest.param([None, None], None, 0, None, id="none known"),
        pytest.param([0.0, 0.0], Decimal(0), 2, Decimal(0), id="nothing is a cost"),
        pytest.param([0.0, None], Decimal(0), 1, None, id="unknown is not nothing"),
        pytest.param([], None, 0, None, id="no item"),
    ],
)
def test_cost__total_only_when_every_item_knows_its_own(costs, known, known_items, total):
    cost = results_of(*(a_result(cost=cost) for cost in costs)).agent_spending.cost

    assert cost == Amount(known, known_items, len(costs))
    assert cost.total == total


def test_tokens__each_kind_by_itself():
    spending = results_of(
        a_result(usage=Usage(10, 2, 4, requests=3)), a_result(usage=Usage(None, 5, reasoning=1)), a_result()
    ).agent_spending

    assert (spending.items, spending.known) == (3, True)
    assert spending.input == Amount(10, 1, 3)
    assert spending.output == Amount(7, 2, 3)
    assert spending.cached_input == Amount(4, 1, 3)
    assert spending.reasoning == Amount(1, 1, 3)
    assert spending.requests == Amount(4, 2, 3)


def test_tokens__null_of_one_reply_beside_a_known_one__what_is_known_is_summed():
    usages = (Usage(5, 2, reasoning=1), Usage(None, 2))
    spending = results_of(*(a_result(usage=usage) for usage in usages)).agent_spending

    assert (spending.input.known, spending.input.total) == (5, None)
    assert (spending.output.total, spending.reasoning.known) == (4, 1)


def test_part_of_an_item_known__counted_and_the_total_unknown():
    """As when a judge with a price and a classifier without one judged the same item."""
    spending = results_of(
        a_result(usage=Usage(10, 2), cost=0.5, known_usage=Usage(10, 2), known_cost=0.5),
        a_result(usage=Usage(None, 3, requests=2), known_usage=Usage(4, 3, requests=2), known_cost=0.25),
    ).agent_spending

    assert spending.cost == Amount(Decimal("0.75"), 1, 2)
    assert spending.input == Amount(14, 1, 2)
    assert spending.output == Amount(5, 2, 2)
    assert spending.requests == Amount(3, 2, 2)


def test_agent_and_judges__counted_apart_and_judges_over_what_they_judged():
    results = results_of(
        a_result(usage=Usage(10, 2), cost=0.5, judge_usage=Usage(3, 1), judge_cost=0.25, judge_time=1.0),
        a_result(usage=Usage(10, 2), cost=0.5),
    )

    assert results.agent_spending.cost.total == Decimal("1.0")
    assert results.judge_spending.cost == Amount(Decimal("0.25"), 1, 1)
    assert results.judge_spending.input.total == 3


def test_cached_run__costs_nothing_and_is_in_no_sum_or_average_but_its_judges_are():
    first = a_result(usage=Usage(10, 2), cost=0.5, run_time=1.0, seconds=1.0)
    cached = a_result(
        usage=Usage(10, 2), cost=0.5, run_time=9.0, seconds=9.0, cached_run=True, judge_usage=Usage(3), judge_time=2.0
    )
    results = results_of(first, cached)

    assert results.agent_spending.cost == Amount(Decimal("0.5"), 1, 1)
    assert results.agent_spending.input.total == 10
    assert results.judge_spending.input.total == 3
    assert results.time_split == TimeSplit(agent=1.0, tools=None, judges=2.0)
    assert results.average_execution_time == 1.0


def test_everything_cached__own_cost_is_known_to_be_nothing():
    results = results_of(a_result(usage=Usage(10), cost=0.02, run_time=1.0, seconds=1.0, cached_run=True))

    assert results.agent_spending.cost.total == 0
    assert results.agent_spending.input.total == 0
    assert results.agent_spending.output.total is None
    assert results.average_execution_time is None


@pytest.mark.parametrize(
    "result",
    [
        a_result(usage=Usage(10, 2), cost=0.5, attempts=2, other_attempts=(Attempt(Status.ERROR),)),
        a_result(Status.CANCELLED),
        a_result(Status.ERROR, usage=Usage(10, 2), cost=0.5),
        a_result(Status.ERROR),
    ],
    ids=["tried again", "cancelled", "broken off", "broken off with nothing known"],
)
def test_item_that_may_have_used_more__no_total(result):
    spending = results_of(a_result(usage=Usage(10, 2), cost=0.5), result).agent_spending

    assert spending.cost.total is None
    assert (spending.cost.known_items, spending.input.known_items) == (1, 1)


def test_times__agent_without_its_tools():
    results = results_of(
        a_result(run_time=2.0, tool_time=0.5, judge_time=0.25), a_result(run_time=1.0), a_result(Status.ERROR)
    )

    assert results.time_split == TimeSplit(agent=2.5, tools=0.5, judges=0.25)


def test_report__sums_equal_those_of_all_results_together(report_of):
    first = [a_result(usage=Usage(10, 2), cost=0.1, run_time=1.0), a_result(usage=Usage(1), judge_time=1.0)]
    second = [a_result(usage=Usage(5, None, 3), cost=0.2), a_result(usage=Usage(7), cost=0.4, cached_run=True)]
    second.append(a_result(simulator_usage=Usage(3, 3), simulator_cost=0.1, simulator_time=1.0))
    report, together = report_of(first, second), results_of(*first, *second)

    assert report.agent_spending == together.agent_spending
    assert report.judge_spending == together.judge_spending
    assert report.simulator_spending == together.simulator_spending
    assert report.time_split == together.time_split


def test_cached_answer_that_was_tried_again__the_total_is_not_known():
    """The tries after it were paid for, and nobody told what they cost."""
    usage = Usage(input=10, output=5)
    result = a_result(
        Status.FAILED, usage=usage, cost=0.5, cached_run=True, attempts=2, other_attempts=(Attempt(Status.PASSED),)
    )

    assert EvaluationResults("shop.Support", [result]).agent_spending.cost.total is None


def test_simulated_users__over_the_items_in_which_one_spoke_and_not_the_agents_time():
    talked = a_result(
        usage=Usage(10, 2),
        run_time=3.0,
        tool_time=0.5,
        simulator_usage=Usage(4, 1),
        simulator_cost=0.5,
        simulator_time=1.0,
    )
    broken = a_result(Status.ERROR, simulator_usage=Usage(2, 1), simulator_time=0.25)
    results = results_of(talked, a_result(usage=Usage(10, 2), run_time=1.0), broken)

    assert results.simulator_spending.items == 2
    assert results.simulator_spending.input == Amount(6, 1, 2)
    assert results.simulator_spending.cost == Amount(Decimal("0.5"), 1, 2)
    assert results.agent_spending.input.known == 20
    assert results.time_split == TimeSplit(agent=2.5, tools=0.5, judges=None, simulators=1.25)


def test_cached_run__its_simulated_user_costs_nothing_and_is_in_no_sum():
    used: dict[str, Any] = {"simulator_usage": Usage(4, 1), "simulator_cost": 0.5, "simulator_time": 1.0}
    cached = a_result(run_time=9.0, tool_time=2.0, cached_run=True, **used)
    results = results_of(a_result(run_time=3.0, **used), cached)

    assert results.simulator_spending.items == 1
    assert results.simulator_spending.cost == Amount(Decimal("0.5"), 1, 1)
    assert results.time_split == TimeSplit(agent=2.0, tools=None, judges=None, simulators=1.0)
    assert results_of(cached).simulator_spending.cost.total == 0
    assert results_of(cached).simulator_spending.reasoning.total is None


def test_cached_answer_that_was_tried_again__the_total_of_its_simulated_user_is_not_known():
    used: dict[str, Any] = {"simulator_usage": Usage(4, 1), "simulator_cost": 0.5, "simulator_time": 1.0}
    result = a_result(Status.FAILED, cached_run=True, attempts=2, other_attempts=(Attempt(Status.PASSED),), **used)

    assert results_of(result).simulator_spending.cost == Amount(None, 0, 1)


@pytest.mark.parametrize("status", [Status.ERROR, Status.CANCELLED])
def test_item_that_was_broken_off__its_simulated_user_may_have_spoken_where_others_did(report_of, status):
    used: dict[str, Any] = {"simulator_usage": Usage(4, 1), "simulator_cost": 0.5, "simulator_time": 1.0}
    talked, broken_off = a_result(run_time=3.0, **used), a_result(status)

    assert results_of(talked, broken_off).simulator_spending.cost == Amount(Decimal("0.5"), 1, 2)
    assert results_of(a_result(), broken_off).simulator_spending.items == 0
    assert report_of([talked], [a_result(), broken_off]).simulator_spending.cost.total == Decimal("0.5")
    assert report_of([talked, broken_off], [talked]).simulator_spending.cost == Amount(Decimal("1.0"), 2, 3)
