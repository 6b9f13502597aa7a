from __future__ import annotations

import pytest

from neuron_evals.core.bounds import MAX_REPEATS
from neuron_evals.core.report import EvaluationResults, FlakyItem
from neuron_evals.core.results import Status
from neuron_evals.core.statistics import repeated_interval, wilson_interval
from tests.core.samples import a_result

PASSED, FAILED, ERROR, SKIPPED, CANCELLED = Status


def executions(*items):
    """Return the results of items of which each is a list of statuses, a repeat each."""
    return [
        a_result(status, index=index, item_id=f"item-{index}", repeat=repeat)
        for index, statuses in enumerate(items)
        for repeat, status in enumerate(statuses)
    ]


def results_of(*items):
    return EvaluationResults("shop.Support", executions(*items))


def test_success_rate__the_mean_of_the_items_shares():
    results = results_of([PASSED] * 4, [PASSED, FAILED], [FAILED, ERROR])

    assert results.success_rate == pytest.approx((1 + 0.5 + 0) / 3)
    assert (results.judged_item_count, results.judged_count, results.most_repeats) == (3, 8, 4)
    assert results.success_rate_interval == repeated_interval({(4, 4): 1, (1, 2): 1, (0, 2): 1})


def test_success_rate__one_item_three_times__one_third_and_pass_at_2_is_two_thirds():
    results = results_of([PASSED, FAILED, FAILED])

    assert results.success_rate == pytest.approx(1 / 3)
    assert results.pass_at(2) == pytest.approx(2 / 3)
    assert results.pass_hat(2) == 0


def test_without_repeats__rate_and_interval_are_those_of_the_items():
    results = results_of([PASSED], [FAILED], [PASSED])

    assert not results.repeated
    assert results.success_rate == pytest.approx(2 / 3)
    assert results.success_rate_interval == wilson_interval(2, 3)
    assert results.flaky_items == ()


def test_interval__wider_than_that_of_as_many_independent_items():
    interval = results_of(*[[PASSED] * 5] * 8, *[[FAILED] * 5] * 2).success_rate_interval
    naive = wilson_interval(40, 50)
    assert interval is not None
    assert naive is not None
    (low, high), (naive_low, naive_high) = interval, naive

    assert low < naive_low
    assert naive_high < high


def test_pass_at_and_pass_hat__means_over_items():
    results = results_of([PASSED, PASSED, FAILED], [FAILED, FAILED, FAILED])

    assert [results.pass_at(k) for k in (1, 2, 3)] == pytest.approx([1 / 3, 1 / 2, 1 / 2])
    assert [results.pass_hat(k) for k in (1, 2, 3)] == pytest.approx([1 / 3, 1 / 6, 0])


def test_pass_at__items_judged_less_often_stay_outside__none_left__unknown():
    results = results_of([PASSED, PASSED], [FAILED, CANCELLED])

    assert results.pass_at(2) == 1
    assert results.pass_at(1) == pytest.approx(1 / 2)
    assert results.pass_at(3) is None
    assert results.pass_hat(3) is None


def test_chances_of_each_k__are_those_of_one():
    results = results_of([PASSED, PASSED, FAILED], [FAILED], [PASSED, FAILED, PASSED, PASSED], [SKIPPED] * 5)
    counts = range(1, results.most_repeats + 1)

    assert results.pass_at_each() == pytest.approx([results.pass_at(k) for k in counts])
    assert results.pass_hat_each() == pytest.approx([results.pass_hat(k) for k in counts])
    assert results.pass_at_each()[-1] is None


def test_chances_of_an_item_with_the_most_repeats__all_known():
    results = results_of([PASSED, FAILED] * (MAX_REPEATS // 2))

    assert len(results.pass_hat_each()) == MAX_REPEATS
    assert results.pass_hat_each()[:2] == pytest.approx([1 / 2, results.pass_hat(2)])
    assert results.pass_at_each()[-1] == 1


def test_skipped_and_cancelled_executions__are_no_part_of_a_share():
    results = results_of([PASSED, SKIPPED, FAILED], [SKIPPED, CANCELLED, SKIPPED])

    assert results.success_rate == pytest.approx(1 / 2)
    assert results.judged_item_count == 1


def test_nothing_judged__unknown_and_not_0():
    results = results_of([SKIPPED, CANCELLED])

    assert (results.success_rate, results.success_rate_interval, results.pass_at(1)) == (None, None, None)


@pytest.mark.parametrize(
    ("statuses", "flaky"),
    [
        ([PASSED, PASSED], ()),
        ([FAILED, FAILED, ERROR], ()),
        ([PASSED, FAILED, PASSED], (2, 3)),
        ([FAILED, PASSED], (1, 2)),
        ([ERROR, PASSED, PASSED, PASSED], (3, 4)),
        ([PASSED, SKIPPED, CANCELLED], ()),
        ([PASSED, SKIPPED, FAILED], (1, 2)),
    ],
)
def test_flaky__named_once_with_how_often_it_passed(statuses, flaky):
    results = results_of([PASSED, PASSED], statuses, [FAILED, FAILED])

    named = (FlakyItem("shop.Support", "item-1", *flaky),) if flaky else ()
    assert results.flaky_items == named


def test_report__merged_figures_equal_those_of_all_items_together(report_of):
    first = executions([PASSED, FAILED, PASSED], [PASSED, PASSED, PASSED])
    second = executions([FAILED, FAILED])
    report = report_of(first, second)
    shares = {(2, 3): 1, (3, 3): 1, (0, 2): 1}

    assert report.success_rate == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert report.success_rate_interval == pytest.approx(repeated_interval(shares))
    assert report.pass_at(2) == pytest.approx((1 + 1 + 0) / 3)
    assert report.pass_hat(3) == pytest.approx((0 + 1) / 2)
    assert [item.item_id for item in report.flaky_items] == ["item-0"]
    assert report.most_repeats == 3


def test_items_at_one_place_of_two_evaluators__stay_two_items():
    results = EvaluationResults(
        "all",
        [a_result(PASSED, evaluator_class="shop.A"), a_result(FAILED, evaluator_class="shop.B", repeat=1)],
    )

    assert results.judged_item_count == 2
    assert results.flaky_items == ()
