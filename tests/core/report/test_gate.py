from __future__ import annotations

import pytest

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.report import EvaluationReport, EvaluationResults, Gate
from neuron_evals.core.results import Status
from tests.core.samples import a_result

PASSED, FAILED, ERROR, SKIPPED, CANCELLED = Status


def statuses(passed=0, failed=0, error=0, skipped=0, cancelled=0):
    counts = zip(Status, (passed, failed, error, skipped, cancelled), strict=True)
    return [a_result(status) for status, count in counts for _ in range(count)]


@pytest.mark.parametrize(
    ("counts", "gate", "status"),
    [
        ({"passed": 3}, {}, 0),
        ({"passed": 3, "skipped": 2}, {}, 0),
        ({"passed": 3, "failed": 1}, {}, 1),
        ({"passed": 3, "error": 1}, {}, 1),
        ({"passed": 19, "failed": 1}, {"min_success_rate": 0.95}, 0),
        ({"passed": 18, "failed": 2}, {"min_success_rate": 0.95}, 1),
        ({"passed": 99, "error": 1}, {"min_success_rate": 0.9}, 1),
        ({"passed": 99, "error": 1}, {"min_success_rate": 0.9, "max_error_rate": 0.01}, 0),
        ({"passed": 98, "error": 2}, {"min_success_rate": 0.9, "max_error_rate": 0.01}, 1),
        ({"passed": 98, "error": 1, "failed": 1}, {"max_error_rate": 0.02}, 1),
        ({"passed": 1, "failed": 1}, {"min_success_rate": 0.0}, 0),
        ({}, {}, 2),
        ({}, {"min_success_rate": 0.9}, 2),
        ({"skipped": 4}, {}, 2),
        ({"cancelled": 4}, {}, 2),
    ],
)
def test_exit_status(report_of, counts, gate, status):
    assert Gate(**gate).exit_status(report_of(statuses(**counts))) == status


def test_exit_status__interrupted__130_whatever_else(report_of):
    report = report_of(statuses(passed=1, failed=1), stopped="interrupted", interrupted=True)

    assert Gate().exit_status(report) == 130


def test_exit_status__stopped_early__not_passed(report_of):
    """What did not run cannot have passed."""
    report = report_of(statuses(passed=1, cancelled=9), stopped="the budget is spent")

    assert Gate(min_success_rate=0.5).exit_status(report) == 1
    assert Gate(min_success_rate=0.5).problems(report) == ["stopped early: the budget is spent"]


def test_exit_status__broken_evaluator_beside_passing_items(report_of):
    whole = report_of(statuses(passed=1))
    report = EvaluationReport(
        [*whole.evaluators, EvaluationResults("evaluators/broken.py", error="SyntaxError: x")],
        started_at=whole.started_at,
        finished_at=whole.finished_at,
    )

    assert Gate(min_success_rate=0.5).exit_status(report) == 1
    assert Gate(min_success_rate=0.5).problems(report) == ["evaluators/broken.py: SyntaxError: x"]


def test_problems__all_at_once(report_of):
    problems = Gate(min_success_rate=0.9).problems(report_of(statuses(passed=1, failed=1, error=2)))

    assert problems == ["2 of 4 items broke (allowed: 0.00%)", "success rate 0.2500 is below 0.9"]


def test_problems__nothing_judged__says_so(report_of):
    assert Gate(min_success_rate=0.9).problems(report_of([])) == ["nothing was judged"]


@pytest.mark.parametrize("name", ["min_success_rate", "max_error_rate"])
@pytest.mark.parametrize("value", [-0.1, 1.1, 95, float("nan"), float("inf")])
def test_rate_outside_0_to_1__refused(name, value):
    with pytest.raises(ConfigurationError, match=f"{name} is a fraction from 0 to 1"):
        Gate(**{name: value})
