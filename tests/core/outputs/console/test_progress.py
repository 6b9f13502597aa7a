from __future__ import annotations

import io

import pytest

from neuron_evals.core.outputs.console.labels import Labels
from neuron_evals.core.outputs.console.progress import Pace, PlainProgress
from neuron_evals.core.outputs.console.screen import Screen
from neuron_evals.core.results import Plan, PlannedEvaluator, Status
from tests.core.outputs.factories import item


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def show(planned, results, clock=None, step=0.0):
    """Return the lines that a run gives."""
    clock = clock or Clock()
    stream = io.StringIO()
    plan = Plan(tuple(PlannedEvaluator(name, total) for name, total in planned))
    progress = PlainProgress(Screen(stream, color=False), plan, Labels(name for name, _ in planned), clock)
    for result in results:
        clock.now += step
        progress.finished(result)
        progress.item(result)
    progress.stop()
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("total", "elapsed", "statuses", "text"),
    [
        (4, 0.0, [], "0%  0/4 items  0 passed"),
        (4, 5.0, [], "0%  0/4 items  0 passed"),
        (4, 2.0, ["passed"], "25%  1/4 items  0.5/s  0:06 left  1 passed"),
        (
            4,
            2.0,
            ["passed", "failed", "error", "error"],
            "100%  4/4 items  2/s  0:00 left  1 passed, 1 failed, 2 errors",
        ),
        (1000, 1.0, ["passed"] * 999, "99%  999/1000 items  999/s  0:01 left  999 passed"),
        (1, 1.0, ["passed", "passed"], "100%  2/1 item  2/s  0:00 left  2 passed"),
        (None, 2.0, ["passed"], "1 item  0.5/s  1 passed"),
        (None, 0.0, [], "0 items  0 passed"),
        (0, 0.0, [], "0 items  0 passed"),
    ],
)
def test_the_pace_says_what_is_known(total, elapsed, statuses, text):
    clock = Clock()
    pace = Pace(total, clock)
    clock.now += elapsed
    for status in statuses:
        pace.add(Status(status))
    assert pace.text() == text


@pytest.mark.parametrize("total", [2, None, 3])
def test_an_evaluator_that_ended_is_one_line_whether_its_number_was_known_or_not(total):
    results = [item("passed"), item("error", 1), item("failed", evaluator_class="shop.Other")]
    lines = show([("shop.evals.SupportEvaluator", total), ("shop.Other", None)], results)
    assert lines == ["SupportEvaluator: 2 items, 1 passed, 1 error", "Other: 1 item, 0 passed, 1 failed"]


def test_a_long_run_says_how_far_it_is_every_ten_seconds():
    results = [item("passed", n) for n in range(10)]
    lines = show([("shop.evals.SupportEvaluator", 10)], results, step=4.0)
    assert lines == [
        "30%  3/10 items  0.2/s  0:28 left  3 passed",
        "60%  6/10 items  0.2/s  0:16 left  6 passed",
        "90%  9/10 items  0.2/s  0:04 left  9 passed",
        "SupportEvaluator: 10 items, 10 passed",
    ]


def test_a_run_without_results_says_nothing():
    assert show([("shop.evals.SupportEvaluator", 0)], []) == []
