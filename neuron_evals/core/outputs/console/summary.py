"""The closing lines: times, the result in one word, and the figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.measured import metrics_texts
from neuron_evals.core.outputs.console.notes import (
    absence_texts,
    cache_texts,
    flaky_text,
    metric_text,
    repeat_texts,
    retry_texts,
    selection_text,
)
from neuron_evals.core.outputs.console.screen import Line
from neuron_evals.core.outputs.console.spending import spending_texts, time_split_text
from neuron_evals.core.outputs.console.wording import FAKE_NOTE, UNKNOWN, number, percent, plural, seconds
from neuron_evals.core.printable import printable

if TYPE_CHECKING:
    from datetime import datetime

    from neuron_evals.core.outputs.console.labels import Labels
    from neuron_evals.core.report import EvaluationReport, EvaluationResults, ScoreStatistics
    from neuron_evals.core.report.figures import Figures


_FLAKY_SHOWN = 20


def time_lines(report: EvaluationReport) -> Iterator[Line]:
    """Yield what did not count, and when and how long the run was."""
    if report.skipped_count:
        yield Line(f"Skipped: {plural(report.skipped_count, 'item')} to which no check applied", "yellow")
    if report.cancelled_count:
        yield Line(f"Cancelled: {plural(report.cancelled_count, 'item')}; the run stopped before they ended", "yellow")
    if report.stopped is not None:
        yield Line(f"Stopped early: {report.stopped}", "yellow")
    yield Line(f"Started: {_moment(report.started_at)}")
    yield Line(f"Finished: {_moment(report.finished_at)}")
    yield Line(f"Duration: {seconds(report.duration)} by the wall clock")
    times = {"average": report.average_execution_time, **report.execution_time_percentiles}
    yield Line(f"Item times: {', '.join(f'{name} {seconds(value)}' for name, value in times.items())}")
    split = time_split_text(report)
    if split is not None:
        yield Line(split)
    yield Line()


def result_line(report: EvaluationReport) -> Line:
    """Return the result of the run in a word or two."""
    if report.interrupted:
        return Line("INTERRUPTED", "bold yellow")
    if report.success_rate is None:
        return Line("NOTHING WAS JUDGED", "bold yellow")
    if report.has_failures:
        return Line("FAILURES!", "bold red")
    if report.stopped is not None:
        return Line("STOPPED EARLY", "bold yellow")
    return Line("OK", "bold green")


def fake_line(report: EvaluationReport) -> Iterator[Line]:
    """Yield that the agent under test was not the real one, when it was not."""
    if report.fake:
        yield Line(f"FAKE: {FAKE_NOTE}", "bold yellow")


def selection_lines(report: EvaluationReport) -> Iterator[Line]:
    """Yield which items were asked for, when not all were."""
    only = selection_text(report)
    if only is not None:
        yield Line(only, "yellow")


def figure_lines(figures: Figures, indent: str = "", *, details: bool = False) -> Iterator[Line]:
    """Yield the figures of a report or of one evaluator.

    Args:
        figures: The figures.
        indent: What stands before each line.
        details: Add what was measured of the agent.
    """
    yield Line(
        f"{indent}Items: {figures.total_count}, Passed: {figures.passed_count}, Failed: {figures.failed_count}, "
        f"Errors: {figures.error_count}, Skipped: {figures.skipped_count}, Cancelled: {figures.cancelled_count}"
    )
    yield Line(f"{indent}Success rate: {percent(figures.success_rate)}{_interval(figures)}")
    yield from _repeat_lines(figures, indent)
    yield Line(
        f"{indent}Assertions: {figures.total_assertions}, Passed: {figures.assertions_passed}, "
        f"Failed: {figures.assertions_failed}, Errors: {figures.assertions_broken}, "
        f"Skipped: {figures.assertions_skipped}, Success rate: {percent(figures.assertion_success_rate)}"
    )
    yield from _note_lines(figures, indent)
    for text in spending_texts(figures):
        yield Line(f"{indent}{text}")
    if figures.score_statistics:
        count = f"{figures.scored_count} of {plural(figures.total_count, 'item')}"
        yield Line(f"{indent}Aggregate score: {number(figures.aggregate_score)} over {count}")
        yield Line(f"{indent}Scores:")
    for label, scores in figures.score_statistics.items():
        yield Line(f"{indent}  {label}: {_scores(scores)}")
    measured = list(metrics_texts(figures.metrics_summary)) if details else []
    if measured or figures.metric_statistics:
        yield Line(f"{indent}Metrics:")
    for text in measured:
        yield Line(f"{indent}  {text}")
    for name, values in figures.metric_statistics.items():
        yield Line(f"{indent}  {name}: {metric_text(values)}")


def evaluator_lines(report: EvaluationReport, labels: Labels, *, details: bool = False) -> Iterator[Line]:
    """Yield the figures of each evaluator, when there is more than one."""
    if len(report.evaluators) > 1:
        yield Line()
        yield Line("By evaluator:")
        for evaluator in report.evaluators:
            yield from _one_evaluator(evaluator, labels, details=details)


def broken_line(report: EvaluationReport) -> Iterator[Line]:
    """Yield how many evaluators broke, when one did."""
    broken = len(report.broken_evaluators)
    if broken:
        yield Line(f"Evaluator errors: {broken} of {plural(len(report.evaluators), 'evaluator')}")


def _one_evaluator(evaluator: EvaluationResults, labels: Labels, *, details: bool) -> Iterator[Line]:
    name = labels.of(evaluator.evaluator_class)
    fake = " (fake)" if evaluator.fake else ""
    yield Line(f"  {name} [{evaluator.namespace}]{fake}" if evaluator.namespace else f"  {name}{fake}")
    if evaluator.error is not None:
        yield Line(f"    Evaluator error: {evaluator.error}", "magenta")
    if evaluator.started_at is not None:
        yield Line(f"    Duration: {seconds(evaluator.duration)}")
    yield from figure_lines(evaluator, "    ", details=details)


def _interval(figures: Figures) -> str:
    interval = figures.success_rate_interval
    if interval is None:
        return " (no item counted)"
    low, high = interval
    counted = f"n={figures.judged_count}"
    if figures.repeated:
        counted = f"{plural(figures.judged_item_count, 'item')}, {plural(figures.judged_count, 'execution')}"
    return f" (95% interval {percent(low)} to {percent(high)}, {counted})"


def _note_lines(figures: Figures, indent: str) -> Iterator[Line]:
    """Yield what else there is to know: what was tried again, cached, left out or there before."""
    for texts in (retry_texts(figures), cache_texts(figures), absence_texts(figures)):
        yield from (Line(f"{indent}{text}") for text in texts)
    if figures.cache is not None and figures.cache.complaint:
        yield Line(f"{indent}Warning: {figures.cache.complaint}", "yellow")


def _repeat_lines(figures: Figures, indent: str) -> Iterator[Line]:
    yield from (Line(f"{indent}{text}") for text in repeat_texts(figures))
    flaky = flaky_text(figures, printable, _FLAKY_SHOWN)
    if flaky is not None:
        yield Line(f"{indent}Flaky: {flaky}", "yellow")


def _scores(scores: ScoreStatistics) -> str:
    without = scores.total - scores.count - scores.errors - scores.skipped
    parts = [f"n={scores.count} of {scores.total}"]
    if scores.errors:
        parts.append(plural(scores.errors, "error"))
    if scores.skipped:
        parts.append(f"{scores.skipped} skipped")
    if without > 0:
        parts.append(f"{without} without score")
    average = f"average {number(scores.average)} ({', '.join(parts)})"
    return f"{average}, min {number(scores.min)}, max {number(scores.max)}"


def _moment(moment: datetime | None) -> str:
    return UNKNOWN if moment is None else moment.isoformat(timespec="microseconds")
