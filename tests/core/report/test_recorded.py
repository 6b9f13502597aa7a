"""Figures that a project records itself: from anywhere in an item to the reports."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    BaseEvaluator,
    EvaluatorRunner,
    FakeProvider,
    MemoryCache,
    NotEmpty,
    ToolCall,
    record_metric,
    render,
    run_case,
    run_suite,
)
from neuron_evals.core.report import EvaluationResults, Tally
from tests.core.samples import a_result

CASE: dict[str, Any] = {"input": "q", "reference": "ok"}


class Counting(BaseEvaluator):
    def get_dataset(self):
        return [{"number": number} for number in range(1, 5)]

    def run(self, item):
        record_metric("number", item["number"])
        return "ok"

    def evaluate(self, output, item):
        record_metric("checked", True)
        self.check(NotEmpty(), output)


class CountingAsync(Counting):
    async def run(self, item):
        return Counting.run(self, item)


@pytest.mark.parametrize(
    ("evaluator", "options"),
    [
        (Counting, {}),
        (Counting, {"concurrency": 3}),
        (Counting, {"concurrency": 2, "workers": "processes"}),
        (CountingAsync, {"concurrency": 3}),
    ],
)
def test_figures__belong_to_their_item_in_every_kind_of_worker(evaluator, options):
    results = EvaluatorRunner().run(evaluator(), **options)
    assert [result.metrics for result in results.results] == [
        {"number": float(number), "checked": 1.0} for number in range(1, 5)
    ]
    figures = {"count": 4, "mean": 2.5, "min": 1.0, "max": 4.0, "p50": 2.5, "p95": 3.85, "p99": 3.97}
    assert asdict(results.metric_statistics["number"]) == pytest.approx(figures)


def test_figure_of_a_tool__is_the_items():
    def look() -> str:
        """Look."""
        record_metric("looked", 1)
        return "seen"

    agent = Agent(FakeProvider([ToolCall("look")], "ok"), tools=[look])
    assert run_case(CASE, agent=agent).metrics == {"looked": 1.0}


class Measuring:
    """An evaluator in the manner of Nous.Eval that records figures of its own."""

    def evaluate(self, actual, expected, config):
        record_metric("length", len(actual["output"]))
        return {"score": 1.0, "passed": True}


class MeasuringLater(Measuring):
    async def evaluate(self, actual, expected, config):
        return super().evaluate(actual, expected, config)


@pytest.mark.parametrize("workers", ["inline", "threads", "async", "processes"])
@pytest.mark.parametrize("evaluator", [Measuring, MeasuringLater])
def test_figure_of_an_evaluator_of_a_case__is_the_items(evaluator, workers):
    case = {"id": "a", "input": "q", "eval_type": "custom", "eval_config": {"evaluator": evaluator}}
    report = run_suite({"test_cases": [case]}, agent=lambda text: "four", workers=workers)
    assert report.results[0].metrics == {"length": 4.0}


def test_figure_that_is_recorded_again__has_the_last_value():
    def answer(text: str) -> str:
        record_metric("n", 1)
        record_metric("n", 2)
        return "ok"

    assert run_case(CASE, agent=answer).metrics == {"n": 2.0}


def test_item_that_breaks__keeps_what_was_recorded_before():
    def broken(text: str) -> str:
        record_metric("n", 1)
        raise RuntimeError("boom")

    assert run_case(CASE, agent=broken).metrics == {"n": 1.0}


def test_cached_run__has_what_evaluate_records():
    cache = MemoryCache()
    EvaluatorRunner(cache=cache).run(Counting())
    results = EvaluatorRunner(cache=cache).run(Counting())
    assert [(result.cached_run, result.metrics) for result in results.results] == [(True, {"checked": 1.0})] * 4


def test_statistics__over_the_items_that_recorded_it_and_over_evaluators():
    values = [{"a": 1.0, "b": -1e300}, {}, {"a": 3.0, "b": 1e300}]
    first, second = Tally(a_result(metrics=value) for value in values[:2]), Tally([a_result(metrics=values[2])])
    first.merge(second)
    found = first.recorded.statistics()
    figures = {"count": 2, "mean": 2.0, "min": 1.0, "max": 3.0, "p50": 2.0, "p95": 2.9, "p99": 2.98}
    assert asdict(found["a"]) == pytest.approx(figures)
    assert (found["b"].mean, found["b"].p50) == (0.0, 0.0)
    assert EvaluationResults("shop.Support", [a_result()]).metric_statistics == {}


def test_reports__show_them():
    def answer(text: str) -> str:
        record_metric("documents \x1b[31m", 2)
        return "ok"

    report = run_suite([CASE, CASE], agent=answer)
    data = json.loads(render(report, "json"))
    (name,) = data["recorded_metrics"]
    assert data["recorded_metrics"][name] == {
        "count": 2,
        **dict.fromkeys(("mean", "min", "max", "p50", "p95", "p99"), 2),
    }
    assert data["results"][0]["recorded_metrics"] == {name: 2}
    console = render(report, "console")
    assert "Metrics:" in console
    assert "mean 2 (n=2), min 2, max 2, p50 2, p95 2, p99 2" in console
    assert "\x1b[31m" not in console
