"""What did not pass, gathered while results come and told at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.items import MESSAGE_LIMIT, WHERE_ALL, failure_lines, is_failure, place
from neuron_evals.core.outputs.console.screen import Line, paragraph
from neuron_evals.core.outputs.console.wording import plural
from neuron_evals.core.results import Check, ItemResult, Verdict

if TYPE_CHECKING:
    from neuron_evals.core.outputs.console.labels import Labels
    from neuron_evals.core.report import EvaluationReport

_SHOWN = 50


class Place:
    """The checks of one line of an evaluator that did not pass."""

    __slots__ = ("check", "errors", "failures", "names")

    def __init__(self, check: Check) -> None:
        self.check = check
        self.names: dict[str, None] = {}
        self.failures = 0
        self.errors = 0

    def add(self, check: Check) -> None:
        """Count one of them."""
        self.names[check.name] = None
        self.failures += check.verdict is Verdict.FAILED
        self.errors += check.verdict is Verdict.ERROR


class FailureLog:
    """Keeps what will be told, so that nothing else needs to keep the results of a long run.

    Attributes:
        results: The first results that failed or broke, 50 unless all are wanted.
        places: The checks that failed or broke, by place.
        vacuous: The vacuous checks, one for each place and name.
        empty: Whether no result came at all.
    """

    def __init__(self, results: Iterable[ItemResult] = (), *, keep_all: bool) -> None:
        self.results: list[ItemResult] = []
        self.places: dict[tuple[str, int | None], Place] = {}
        self.vacuous: dict[tuple[str, int | None, str], Check] = {}
        self.empty = True
        self._limit = None if keep_all else _SHOWN
        for result in results:
            self.add(result)

    def add(self, result: ItemResult) -> None:
        """Take one result."""
        self.empty = False
        if is_failure(result) and (self._limit is None or len(self.results) < self._limit):
            self.results.append(result)
        for check in result.checks:
            if check.verdict in (Verdict.FAILED, Verdict.ERROR):
                self.places.setdefault((check.evaluator_class, check.line), Place(check)).add(check)
            if check.vacuous:
                self.vacuous.setdefault((check.evaluator_class, check.line, check.name), check)


def broken_evaluator_lines(report: EvaluationReport, labels: Labels, *, details: bool) -> Iterator[Line]:
    """Yield each evaluator that could not run, or not to its end."""
    broken = report.broken_evaluators
    if not broken:
        return
    yield Line(f"{_there(len(broken))} {plural(len(broken), 'evaluator error')}:", "bold magenta")
    yield Line()
    for position, evaluator in enumerate(broken, start=1):
        yield Line(f"{position}) {labels.of(evaluator.evaluator_class)}", "bold magenta")
        yield from paragraph("   Error: ", evaluator.error or "", MESSAGE_LIMIT)
        if details and evaluator.traceback:
            yield from paragraph("   Traceback: ", evaluator.traceback, MESSAGE_LIMIT * 4)
        yield Line()


def failed_item_lines(report: EvaluationReport, log: FailureLog, labels: Labels, *, details: bool) -> Iterator[Line]:
    """Yield each item that failed or broke, in the order in which they ran."""
    failed, broken = report.failed_count, report.error_count
    counts = [plural(count, noun) for count, noun in ((failed, "failure"), (broken, "error")) if count]
    if not counts:
        return
    yield Line(f"{_there(failed or broken)} {' and '.join(counts)}:", "bold red")
    yield Line()
    for position, result in enumerate(log.results, start=1):
        yield from failure_lines(position, result, labels, details=details)
    left = failed + broken - len(log.results)
    if left > 0:
        yield Line(f"... and {left} more; {WHERE_ALL}", "bold red")
        yield Line()


def place_lines(log: FailureLog, labels: Labels) -> Iterator[Line]:
    """Yield how many checks failed or broke at each place."""
    if not log.places:
        return
    yield Line("Assertion failures by place:")
    yield Line("-" * 50)
    for found in log.places.values():
        pairs = ((found.failures, "failure"), (found.errors, "error"))
        counts = [plural(count, noun) for count, noun in pairs if count]
        yield Line(f"{place(found.check, labels)} - {', '.join(counts)} in {', '.join(found.names)}")
    yield Line()


def vacuous_lines(report: EvaluationReport, log: FailureLog, labels: Labels) -> Iterator[Line]:
    """Yield a warning about checks that say nothing about any output."""
    if report.vacuous_checks:
        where = ", ".join(f"{place(check, labels)} {check.name}" for check in log.vacuous.values())
        yield Line(
            f"Warning: {plural(report.vacuous_checks, 'vacuous check')} (every output passes, or none can): {where}",
            "bold yellow",
        )


def _there(count: int) -> str:
    return "There was" if count == 1 else "There were"
