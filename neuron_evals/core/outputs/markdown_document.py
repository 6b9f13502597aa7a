"""The report as Markdown, within a limit of length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.items import MESSAGE_LIMIT, heading_notes, place
from neuron_evals.core.outputs.console.labels import Labels
from neuron_evals.core.outputs.console.measured import metrics_texts
from neuron_evals.core.outputs.console.notes import (
    absence_texts,
    cache_texts,
    flaky_text,
    repeat_texts,
    retry_texts,
    selection_text,
)
from neuron_evals.core.outputs.console.spending import spending_texts, time_split_text
from neuron_evals.core.outputs.console.summary import result_line
from neuron_evals.core.outputs.console.wording import FAKE_NOTE, number, percent, plural, seconds
from neuron_evals.core.outputs.markdown_text import code_block, code_span, table_code

if TYPE_CHECKING:
    from neuron_evals.core.outputs.console.failures import FailureLog
    from neuron_evals.core.report import EvaluationReport, EvaluationResults, MetricStatistics
    from neuron_evals.core.report.figures import Figures
    from neuron_evals.core.results import Check, ItemResult

SMALLEST_LIMIT = 10_000
"""Room for the result, the figures of the whole run, and what is said about the rest."""

_NAME_LIMIT = 200
# Of one item, so that others fit beside it.
_MOST_CHECKS = 10
_FLAKY_SHOWN = 10
_SHORT_LIMIT = 60
_CLOSING_ROOM = 500
_TABLE_HEAD = (
    "| Evaluator | Items | Passed | Failed | Errors | Skipped | Cancelled "
    "| Success rate (95% interval) | Score | Duration |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
)
_METRICS_HEAD = "\n| Figure | Items | Mean | Min | Max | p50 | p95 | p99 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n"


def report_text(report: EvaluationReport, log: FailureLog, limit: int, measure: Callable[[str], int] = len) -> str:
    """Return the report as Markdown text; its last line says what the limit left out.

    Args:
        report: The report.
        log: The results that did not pass.
        limit: Largest length of the text, at least `SMALLEST_LIMIT`.
        measure: Gives the length of a text; in characters unless given.
    """
    labels = Labels(evaluator.evaluator_class for evaluator in report.evaluators)
    notes = "".join(f"- {note}\n" for note in _notes(report, log, labels))
    page = _Page(limit - measure(notes) - _CLOSING_ROOM, measure)
    page.add(f"## Agent evaluations: {result_line(report).text}\n\n{_TABLE_HEAD}")
    if len(report.evaluators) > 1:
        page.add(_row("All", report, report.duration))
    rows = (_row(_label(each, labels), each, each.duration) for each in report.evaluators)
    # Half of the page stays free for what did not pass.
    page.add_fitting(rows, len(report.evaluators), "evaluator", reserve=page.room // 2)
    page.parts.append(f"\n{notes}")
    figures = report.metric_statistics
    if figures:
        page.add(_METRICS_HEAD)
        # A part that leaves room for what did not pass.
        rows = (_metric(name, values) for name, values in figures.items())
        page.add_fitting(rows, len(figures), "figure", reserve=page.room // 2)
    broken = report.broken_evaluators
    if broken:
        page.add(f"\n### {plural(len(broken), 'evaluator error')}\n\n")
        errors = (_broken_evaluator(each, labels) for each in broken)
        page.add_fitting(errors, len(broken), "evaluator error", reserve=page.room // 2)
    wrong = report.failed_count + report.error_count
    if wrong:
        counts = ((report.failed_count, "failure"), (report.error_count, "error"))
        page.add(f"\n### {' and '.join(plural(count, noun) for count, noun in counts if count)}\n\n")
        page.add_fitting((_item(each, labels) for each in log.results), wrong, "failed or broken item")
    return page.text()


def _metric(name: str, values: MetricStatistics) -> str:
    numbers = (values.mean, values.min, values.max, values.p50, values.p95, values.p99)
    cells = (table_code(name, _NAME_LIMIT), str(values.count), *(f"{value:.6g}" for value in numbers))
    return f"| {' | '.join(cells)} |\n"


class _Page:
    """Collects text as long as there is room.

    Attributes:
        parts: The text so far.
        room: How much may still be added.
    """

    def __init__(self, room: int, measure: Callable[[str], int]) -> None:
        self.parts: list[str] = []
        self.room = room
        self._measure = measure
        self._left_out: list[str] = []

    def add(self, text: str) -> None:
        """Add a text of small size."""
        self.parts.append(text)
        self.room -= self._measure(text)

    def add_fitting(self, blocks: Iterable[str], total: int, noun: str, reserve: int = 0) -> None:
        """Add blocks up to the first that does not fit.

        Args:
            blocks: The blocks, or the first of them.
            total: How many there are.
            noun: What one of them is.
            reserve: How much room must be left.
        """
        added = 0
        for block in blocks:
            if self._measure(block) > self.room - reserve:
                break
            self.add(block)
            added += 1
        if added < total:
            self._left_out.append(f"{total - added} of {plural(total, noun)}")

    def text(self) -> str:
        """Return the whole text."""
        if self._left_out:
            what = ", ".join(self._left_out)
            self.parts.append(f"\n**Left out here: {what}.** The JSON and JUnit outputs have all of them.\n")
        return "".join(self.parts)


def _row(label: str, figures: Figures, duration: float) -> str:
    interval = figures.success_rate_interval
    rate = percent(figures.success_rate)
    if interval is not None:
        rate += f" ({percent(interval[0])} to {percent(interval[1])})"
    score = number(figures.aggregate_score)
    if figures.scored_count:
        score += f" (n={figures.scored_count})"
    counts = (
        figures.total_count,
        figures.passed_count,
        figures.failed_count,
        figures.error_count,
        figures.skipped_count,
        figures.cancelled_count,
    )
    cells = (label, *map(str, counts), rate, score, seconds(duration))
    return f"| {' | '.join(cells)} |\n"


def _label(evaluator: EvaluationResults, labels: Labels) -> str:
    name = table_code(labels.of(evaluator.evaluator_class), _NAME_LIMIT)
    return f"{name} (fake)" if evaluator.fake else name


def _notes(report: EvaluationReport, log: FailureLog, labels: Labels) -> Iterator[str]:
    """Yield what the table does not say."""
    yield (
        f"Assertions: {report.total_assertions}, passed: {report.assertions_passed}, "
        f"failed: {report.assertions_failed}, errors: {report.assertions_broken}, "
        f"skipped: {report.assertions_skipped}"
    )
    only = selection_text(report)
    if only is not None:
        yield code_span(only, MESSAGE_LIMIT)
    yield from chain(repeat_texts(report), retry_texts(report), cache_texts(report), absence_texts(report))
    flaky = flaky_text(report, lambda item_id: code_span(item_id, _SHORT_LIMIT), _FLAKY_SHOWN)
    if flaky is not None:
        yield f"Flaky: {flaky}"
    if report.cache is not None and report.cache.complaint:
        yield code_span(report.cache.complaint, MESSAGE_LIMIT)
    yield from metrics_texts(report.metrics_summary, spending=False)
    yield from spending_texts(report)
    split = time_split_text(report)
    if split is not None:
        yield split
    if report.skipped_count:
        yield f"Skipped: {plural(report.skipped_count, 'item')} to which no check applied"
    if report.cancelled_count:
        yield f"Cancelled: {plural(report.cancelled_count, 'item')}; the run stopped before they ended"
    if report.fake:
        yield f"**Fake: {FAKE_NOTE}**"
    if report.stopped is not None:
        yield f"Stopped early: {code_span(report.stopped, MESSAGE_LIMIT)}"
    if report.vacuous_checks:
        where = ", ".join(f"{place(check, labels)} {check.name}" for check in log.vacuous.values())
        said = f"{plural(report.vacuous_checks, 'vacuous check')} (every output passes, or none can)"
        yield f"Warning: {said}: {code_span(where, MESSAGE_LIMIT)}" if where else f"Warning: {said}"


def _broken_evaluator(evaluator: EvaluationResults, labels: Labels) -> str:
    name = code_span(labels.of(evaluator.evaluator_class), _NAME_LIMIT)
    return f"- {name}{_message(evaluator.error or '', '  ')}"


def _item(result: ItemResult, labels: Labels) -> str:
    """Return an item that did not pass: its error, how its conversation ended, each check that did not pass."""
    # The number inside the code: outside it would be a reference to an issue.
    where = code_span(f"{labels.of(result.evaluator_class)} #{result.index}", _NAME_LIMIT)
    heading = f"- **{result.status.upper()}** {where} {code_span(result.item_id, _NAME_LIMIT)}{heading_notes(result)}\n"
    error = [] if result.error is None else [f"  - error{_message(result.error, '    ')}"]
    ending = None if result.trajectory is None else result.trajectory.ending
    ended = [] if ending is None else [f"  - conversation ended{_message(str(ending), '    ')}"]
    wrong = [check for check in result.checks if not check.passed]
    checks = (_check(check, labels) for check in wrong[:_MOST_CHECKS])
    left = len(wrong) - _MOST_CHECKS
    more = [f"  - {plural(left, 'more check')} did not pass\n"] if left > 0 else []
    return "".join(chain([heading], error, ended, checks, more))


def _check(check: Check, labels: Labels) -> str:
    named = check.name if check.label == check.name else f"{check.name} ({check.label})"
    vacuous = " [vacuous]" if check.vacuous else ""
    where = code_span(f"{place(check, labels)} -> {named}", _NAME_LIMIT)
    return f"  - {check.verdict} {where}{vacuous}{_message(check.message, '    ')}"


def _message(text: str, indent: str) -> str:
    """Return a message after what it belongs to: in the line, or as a block below it when it has several lines."""
    if "\n" in text:
        return f":\n\n{code_block(text, MESSAGE_LIMIT, indent)}"
    return f": {code_span(text, MESSAGE_LIMIT)}\n" if text else "\n"
