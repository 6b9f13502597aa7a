from __future__ import annotations

import json

import pytest

from neuron_evals.core.report import EvaluationReport, EvaluationResults, Tally
from neuron_evals.core.results import Status, Verdict
from tests.core.samples import a_check, a_result

PASSED, FAILED, ERROR, SKIPPED, CANCELLED = Status


def results_of(*statuses: Status) -> EvaluationResults:
    return EvaluationResults("shop.Support", [a_result(status) for status in statuses])


def test_counts__each_status_is_counted_apart():
    results = results_of(PASSED, PASSED, FAILED, ERROR, SKIPPED, CANCELLED)

    assert results.total_count == 6
    assert (results.passed_count, results.failed_count, results.error_count) == (2, 1, 1)
    assert (results.skipped_count, results.cancelled_count) == (1, 1)
    assert results.judged_count == 4


def test_success_rate__skipped_and_cancelled_stay_outside():
    assert results_of(PASSED, FAILED, ERROR, ERROR, SKIPPED, CANCELLED).success_rate == pytest.approx(1 / 4)


@pytest.mark.parametrize("statuses", [(), (SKIPPED,), (CANCELLED, SKIPPED)])
def test_rates__nothing_judged__unknown(statuses):
    results = results_of(*statuses)

    assert results.success_rate is None
    assert results.success_rate_interval is None
    assert results.aggregate_score is None
    assert results.assertion_success_rate is None


def test_times__nothing_ran__unknown():
    results = results_of(CANCELLED)

    assert results.average_execution_time is None
    assert results.execution_time_percentiles == {"p50": None, "p95": None, "p99": None}


def test_times__linear_interpolation_over_items_that_ran():
    results = EvaluationResults(
        "shop.Support",
        [a_result(seconds=seconds) for seconds in (4.0, 1.0, 3.0, 2.0)] + [a_result(CANCELLED, seconds=99.0)],
    )

    assert results.average_execution_time == pytest.approx(2.5)
    assert results.execution_time_percentiles["p50"] == pytest.approx(2.5)
    assert results.execution_time_percentiles["p95"] == pytest.approx(3.85)
    assert results.execution_time_percentiles["p99"] == pytest.approx(3.97)


@pytest.mark.parametrize(
    ("scores", "average", "scored"),
    [
        pytest.param([1.0, None], 1.0, 1, id="a broken check beside a scored one"),
        pytest.param([0.8, None, 0.6], 0.7, 2, id="one unscored in the middle"),
        pytest.param([None, None], None, 0, id="none scored"),
        pytest.param([0.0, 0.0], 0.0, 2, id="zero is a score"),
        pytest.param([-0.25, 0.75], 0.25, 2, id="negative similarity"),
    ],
)
def test_score_statistics__mean_over_scored_checks_with_their_number(scores, average, scored):
    checks = [a_check(Verdict.ERROR if score is None else Verdict.PASSED, score) for score in scores]
    results = EvaluationResults("shop.Support", [a_result(PASSED, check) for check in checks])

    quality = results.score_statistics["quality"]
    assert quality.average == (None if average is None else pytest.approx(average))
    assert (quality.count, quality.total, quality.errors) == (scored, len(scores), len(scores) - scored)


def test_score_statistics__two_evaluators_of_unlike_coverage__each_mean_says_over_how_many():
    broken = [a_check(Verdict.ERROR, None, "a") for _ in range(3)]
    items = [a_result(PASSED, a, a_check(score=0.5, label="b")) for a in [a_check(score=1.0, label="a"), *broken]]
    statistics = EvaluationResults("shop.Support", items).score_statistics

    assert (statistics["a"].average, statistics["a"].count, statistics["a"].total) == (1.0, 1, 4)
    assert (statistics["b"].average, statistics["b"].count, statistics["b"].total) == (0.5, 4, 4)


def test_score_statistics__spread_and_order_of_first_use():
    items = [
        a_result(PASSED, a_check(score=score, label="late"), a_check(score=1.0, label="later")) for score in (0.0, 1.0)
    ]
    statistics = EvaluationResults("shop.Support", items).score_statistics

    assert list(statistics) == ["late", "later"]
    assert (statistics["late"].min, statistics["late"].max, statistics["late"].deviation) == (0.0, 1.0, 0.5)
    assert statistics["later"].deviation == 0.0


def test_deviation__large_equal_scores__no_digits_lost():
    tally = Tally([a_result(PASSED, a_check(score=1e9 + offset)) for offset in (0.0, 1.0, 2.0)])

    assert tally.labels["quality"].statistics().deviation == pytest.approx((2 / 3) ** 0.5)


def test_aggregate_score__mean_over_scored_items_with_their_number():
    results = EvaluationResults(
        "shop.Support",
        [
            a_result(PASSED, a_check(score=1.0)),
            a_result(FAILED, a_check(score=0.5)),
            a_result(ERROR, a_check(score=0.0)),
        ],
    )

    assert results.aggregate_score == pytest.approx(0.75)
    assert results.scored_count == 2


def test_assertion_counts__verdicts_apart():
    checks = [a_check(verdict, None) for verdict in (*Verdict, Verdict.PASSED)]
    results = EvaluationResults("shop.Support", [a_result(ERROR, *checks)])

    assert results.total_assertions == 5
    assert (results.assertions_passed, results.assertions_failed) == (2, 1)
    assert (results.assertions_broken, results.assertions_skipped) == (1, 1)
    assert results.assertion_success_rate == pytest.approx(2 / 4)


def test_vacuous_checks__counted():
    results = EvaluationResults("shop.Support", [a_result(PASSED, a_check(vacuous=True), a_check())])

    assert results.vacuous_checks == 1


def test_lists__failed_and_error_apart():
    results = results_of(PASSED, FAILED, ERROR)

    assert [result.status for result in results.failed_results] == [FAILED]
    assert [result.status for result in results.error_results] == [ERROR]
    assert results.has_failures


def test_assertion_failures__of_all_results_in_order():
    items = [a_result(FAILED, a_check(Verdict.FAILED, label=label), a_check()) for label in ("a", "b")]

    assert [check.label for check in EvaluationResults("shop.Support", items).assertion_failures] == ["a", "b"]


def test_report__merged_figures_equal_those_of_all_results_together(report_of):
    first = [
        a_result(PASSED, a_check(score=0.25), seconds=1.0),
        a_result(FAILED, a_check(Verdict.FAILED, 0.0), seconds=2.0),
    ]
    second = [a_result(PASSED, a_check(score=1.0, label="other"), a_check(score=0.5), seconds=3.0)]
    report = report_of(first, second)
    together = EvaluationResults("all", [*first, *second])

    assert report.results == together.results
    for figure in ("total_count", "success_rate", "success_rate_interval", "aggregate_score", "total_assertions"):
        assert getattr(report, figure) == getattr(together, figure), figure
    assert report.execution_time_percentiles == together.execution_time_percentiles
    for label, statistics in together.score_statistics.items():
        assert report.score_statistics[label].deviation == pytest.approx(statistics.deviation)
        assert report.score_statistics[label].average == statistics.average


def test_report__figures_survive_a_round_trip_of_the_scores(report_of):
    """Means recomputed from what was saved are the means that were shown."""
    report = report_of([a_result(PASSED, a_check(score=1.0)), a_result(ERROR, a_check(Verdict.ERROR, None))])
    saved = json.loads(json.dumps([check.score for result in report.results for check in result.checks]))
    again = report_of([a_result(PASSED, a_check(score=score)) for score in saved])

    assert again.score_statistics["quality"].average == report.score_statistics["quality"].average == 1.0
    assert again.score_statistics["quality"].count == report.score_statistics["quality"].count == 1


def test_report__broken_evaluator__is_a_failure(report_of):
    report = report_of([a_result()])
    broken = EvaluationReport(
        [*report.evaluators, EvaluationResults("evaluators/broken.py", error="SyntaxError: x")],
        started_at=report.started_at,
        finished_at=report.finished_at,
    )

    assert not report.has_failures
    assert broken.has_failures
    assert [results.evaluator_class for results in broken.broken_evaluators] == ["evaluators/broken.py"]


def test_names_of_nous_eval__are_those_of_the_same_figures(report_of):
    results = [a_result(), a_result(), a_result(Status.FAILED), a_result(Status.ERROR), a_result(Status.SKIPPED)]
    for found in (report_of(results), report_of(results).evaluators[0]):
        assert (found.pass_count, found.fail_count, found.error_count) == (2, 1, 1)
        assert found.pass_rate == found.success_rate == 0.5
        assert found.test_results == found.results
    assert report_of([]).pass_rate is None


def test_suite_name__of_a_suite_an_evaluator_and_of_several(report_of):
    assert EvaluationResults("suite basic_tests").suite_name == "basic_tests"
    assert EvaluationResults("shop.Support").suite_name == "shop.Support"
    assert report_of([]).suite_name == report_of([]).evaluators[0].suite_name
    assert report_of([], []).suite_name is None
