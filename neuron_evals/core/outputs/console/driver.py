"""`ConsoleOutput`: the report for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, TextIO

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.console.failures import (
    FailureLog,
    broken_evaluator_lines,
    failed_item_lines,
    place_lines,
    vacuous_lines,
)
from neuron_evals.core.outputs.console.items import item_lines
from neuron_evals.core.outputs.console.labels import Labels
from neuron_evals.core.outputs.console.progress import PlainProgress, Progress
from neuron_evals.core.outputs.console.screen import Line, Screen, is_terminal, wants_color
from neuron_evals.core.outputs.console.summary import (
    broken_line,
    evaluator_lines,
    fake_line,
    figure_lines,
    result_line,
    selection_lines,
    time_lines,
)
from neuron_evals.core.outputs.console.wording import plural
from neuron_evals.core.outputs.contract import OutputDriver

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan

_VERBOSITIES = range(4)
_EVERY_ITEM = 2


class ConsoleOutput(OutputDriver):
    """Shows progress while items run, then every failure and the figures.

    Text from models, datasets and errors is shown with control characters as visible escapes, and never read as markup.

    Args:
        stream: A text stream; standard output, as it is when first needed, when left out.
        verbosity: 0: the closing figures only. 1: progress and failures too. 2 and 3: every item with its checks as it
            comes in dataset order, and input, output and traceback of what did not pass.
        color: Whether to use colours; `None` decides by the stream and by `NO_COLOR`, `FORCE_COLOR` and `TERM`.

    Raises:
        ConfigurationError: `verbosity` is none of 0, 1, 2, 3.
    """

    live: ClassVar[bool] = True

    def __init__(self, stream: TextIO | None = None, verbosity: int = 1, *, color: bool | None = None) -> None:
        if verbosity not in _VERBOSITIES:
            msg = f"ConsoleOutput: verbosity is 0, 1, 2 or 3, got {verbosity!r}"
            raise ConfigurationError(msg)
        self._stream = stream
        self._verbosity = verbosity
        self._color = color
        self._details = verbosity >= _EVERY_ITEM
        self._screen: Screen | None = None
        self._progress: Progress | None = None
        self._labels = Labels(())
        self._log = FailureLog(keep_all=self._details)

    @property
    def destination(self) -> TextIO | None:
        """The stream; `None` when the process has no standard output."""
        return sys.stdout if self._stream is None else self._stream

    def problems(self) -> list[str]:
        """Return whether the stream is missing or closed."""
        stream = self.destination
        if stream is None:
            return ["there is no standard output; give another stream"]
        return ["the stream is closed"] if stream.closed else []

    def start(self, plan: Plan) -> None:
        """Say what will run, and begin to show progress."""
        self._labels = Labels(planned.evaluator_class for planned in plan.evaluators)
        self._log = FailureLog(keep_all=self._details)
        if self._verbosity == 0:
            return
        screen = self._open()
        screen.write([_plan_line(plan), *(Line(f"Note: {notice}", "yellow") for notice in plan.notices), Line()])
        screen.flush()
        if is_terminal(screen.stream):
            from neuron_evals.core.outputs.console.bar import Bar  # noqa: PLC0415  (it loads rich)

            self._progress = Bar(screen, plan)
        else:
            self._progress = PlainProgress(screen, plan, self._labels)

    def finished(self, result: ItemResult) -> None:
        """Count the result in the progress."""
        if self._progress is not None:
            self._progress.finished(result)

    def item(self, result: ItemResult) -> None:
        """Note what did not pass; with verbosity 2, show the item."""
        self._log.add(result)
        if self._details:
            screen = self._open()
            screen.write(item_lines(result, self._labels))
            screen.flush()
        if self._progress is not None:
            self._progress.item(result)

    def output(self, report: EvaluationReport) -> None:
        """Write the report.

        Raises:
            OutputError: The reader has closed the pipe.
        """
        self._stop_progress()
        self._labels = Labels(evaluator.evaluator_class for evaluator in report.evaluators)
        if self._log.empty:
            for result in report.results:
                self._log.add(result)
        screen = self._open()
        screen.write(self._lines(report))
        screen.flush()

    def close(self) -> None:
        """Remove the progress bar if it still stands; the stream stays open."""
        self._stop_progress()
        self._screen = None

    def _lines(self, report: EvaluationReport) -> Iterator[Line]:
        log, labels = self._log, self._labels
        if self._verbosity > 0:
            yield Line()
            yield from broken_evaluator_lines(report, labels, details=self._details)
            yield from failed_item_lines(report, log, labels, details=self._details)
            yield from place_lines(log, labels)
            yield from time_lines(report)
        yield result_line(report)
        yield from fake_line(report)
        yield from selection_lines(report)
        yield from chain(
            figure_lines(report, details=self._details), broken_line(report), vacuous_lines(report, log, labels)
        )
        if self._verbosity > 0:
            yield from evaluator_lines(report, labels, details=self._details)

    def _open(self) -> Screen:
        if self._screen is None:
            stream = sys.stdout if self._stream is None else self._stream
            self._screen = Screen(stream, color=wants_color(stream) if self._color is None else self._color)
        return self._screen

    def _stop_progress(self) -> None:
        progress, self._progress = self._progress, None
        if progress is not None:
            progress.stop()


def _plan_line(plan: Plan) -> Line:
    runnable = sum(planned.error is None for planned in plan.evaluators)
    total = plan.total
    items = "" if total is None else f"{plural(total, 'item')} of "
    how = f", {plan.concurrency} at a time ({plan.workers})" if plan.concurrency > 1 else ""
    return Line(f"Evaluating {items}{plural(runnable, 'evaluator')}{how}", "bold")
