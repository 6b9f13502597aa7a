"""GitHub's workflow commands: lines of a step's log that its runner obeys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.items import MESSAGE_LIMIT, heading_notes
from neuron_evals.core.outputs.console.labels import Labels
from neuron_evals.core.outputs.preview import preview
from neuron_evals.core.results import Check, ItemResult, Verdict

if TYPE_CHECKING:
    from neuron_evals.core.outputs.console.failures import FailureLog
    from neuron_evals.core.report import EvaluationReport, EvaluationResults

MOST_ERRORS = 10
"""How many errors of one step GitHub shows."""

_TITLE_LIMIT = 200
_TEXT_LIMIT = 4_000
_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def command(name: str, message: str, **properties: str | None) -> str:
    """Return a workflow command as one line.

    Args:
        name: The command, such as `"error"`.
        message: Any text; control and invisible characters become visible escapes, newlines stay.
        **properties: Its properties; those that are `None` are left out.
    """
    given = ",".join(
        f"{key}={preview(value, _TITLE_LIMIT).translate(_IN_PROPERTY)}"
        for key, value in properties.items()
        if value is not None
    )
    text = preview(message, _TEXT_LIMIT, multiline=True).translate(_IN_MESSAGE)
    return f"::{name} {given}::{text}\n" if given else f"::{name}::{text}\n"


def annotation_lines(report: EvaluationReport, log: FailureLog, root: Path) -> Iterator[str]:
    """Yield an error for each evaluator and item that did not pass, and how many more there are than GitHub shows.

    Args:
        report: The report.
        log: The results that did not pass.
        root: The repository's folder; annotations name files relative to it.
    """
    labels = Labels(evaluator.evaluator_class for evaluator in report.evaluators)
    broken = (_broken_evaluator(each, labels, root) for each in report.broken_evaluators)
    items = (_item(each, labels, root) for each in log.results)
    shown = list(islice(chain(broken, items), MOST_ERRORS))
    yield from shown
    left = len(report.broken_evaluators) + report.failed_count + report.error_count - len(shown)
    if left > 0:
        message = f"{left} more did not pass; GitHub shows {MOST_ERRORS} errors of a step"
        yield command("warning", message, title="Agent evaluations")


def source_file(evaluator_class: str, root: Path) -> str | None:
    """Return the file of an evaluator relative to `root`; `None` when it is unknown or outside.

    Args:
        evaluator_class: Full dotted name of an imported class, or the name of the file that could not be imported.
        root: The folder.
    """
    if evaluator_class.endswith(".py"):
        file: str | None = evaluator_class
    else:
        parts = evaluator_class.split(".")
        modules = (sys.modules.get(".".join(parts[:end])) for end in range(len(parts) - 1, 0, -1))
        file = next((getattr(module, "__file__", None) for module in modules if module is not None), None)
    if file is None:
        return None
    path, folder = Path(file).resolve(), root.resolve()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) and path.is_file() else None


def _broken_evaluator(evaluator: EvaluationResults, labels: Labels, root: Path) -> str:
    title = f"{labels.of(evaluator.evaluator_class)}: evaluator error"
    file = source_file(evaluator.evaluator_class, root)
    return command("error", evaluator.error or "", file=file, title=title)


def _item(result: ItemResult, labels: Labels, root: Path) -> str:
    wrong = [check for check in result.checks if check.verdict in (Verdict.FAILED, Verdict.ERROR)]
    file = source_file(result.evaluator_class, root)
    line = next((str(check.line) for check in wrong if check.line is not None), None)
    notes = heading_notes(result)
    heading = f"{labels.of(result.evaluator_class)} #{result.index} {result.item_id}: {result.status}{notes}"
    messages = [] if result.error is None else [preview(result.error, MESSAGE_LIMIT, multiline=True)]
    messages += map(_message, wrong)
    # GitHub takes a line without a file for one of a file of its own.
    return command("error", "\n".join(messages), file=file, line=line if file else None, title=heading)


def _message(check: Check) -> str:
    named = check.name if check.label == check.name else f"{check.name} ({check.label})"
    return f"{check.verdict} {named}: {preview(check.message, MESSAGE_LIMIT, multiline=True)}"
