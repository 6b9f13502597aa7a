"""One result as lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import clean_json, dump_json
from neuron_evals.core.outputs.console.measured import step_facts
from neuron_evals.core.outputs.console.screen import Line, paragraph
from neuron_evals.core.outputs.console.spending import used_facts
from neuron_evals.core.outputs.console.wording import number, plural, seconds
from neuron_evals.core.results import Check, ItemResult, Status, Verdict
from neuron_evals.core.trajectories import Trajectory, described_call

if TYPE_CHECKING:
    from neuron_evals.core.outputs.console.labels import Labels

STYLES = {"passed": "green", "failed": "red", "error": "magenta", "skipped": "yellow", "cancelled": "yellow"}
MESSAGE_LIMIT = 1_000
_VALUE_LIMIT = 4_000
_SHOWN_CHECKS = 20
WHERE_ALL = "-v 2 shows all of them, and so does --output json=PATH"


def item_lines(result: ItemResult, labels: Labels) -> Iterator[Line]:
    """Yield a result, the tools that were called, and each of its checks."""
    facts = [f"score {number(result.score)}", seconds(result.execution_time), *used_facts(result), *step_facts(result)]
    yield Line(f"{_heading(result, labels)}: {', '.join(facts)}", STYLES[result.status])
    if result.error is not None:
        yield from paragraph("   Error: ", result.error, MESSAGE_LIMIT)
    for call in [] if result.trajectory is None else result.trajectory.tool_calls():
        how = "called a stub of" if call.stubbed else "called"
        yield from paragraph(f"   {how} ", described_call(call), MESSAGE_LIMIT)
    yield from _ending_lines(result)
    for check in result.checks:
        yield from _check_lines(check, labels)


def failure_lines(number_in_report: int, result: ItemResult, labels: Labels, *, details: bool) -> Iterator[Line]:
    """Yield why an item did not pass.

    Args:
        number_in_report: Its number in the list, from 1.
        result: The result.
        labels: The evaluators' labels.
        details: Add input, output, conversation and traceback, and all of many checks.
    """
    yield Line(f"{number_in_report}) {_heading(result, labels)}", f"bold {STYLES[result.status]}")
    if result.error is not None:
        yield from paragraph("   Error: ", result.error, MESSAGE_LIMIT)
    yield from _ending_lines(result)
    wrong = [check for check in result.checks if not check.passed]
    shown = wrong if details else wrong[:_SHOWN_CHECKS]
    for check in shown:
        yield from _check_lines(check, labels)
    if left := len(wrong) - len(shown):
        yield Line(f"   ... and {plural(left, 'more check')} did not pass; {WHERE_ALL}")
    if result.checks:
        yield Line(f"   Assertions: {_verdicts(result)}")
    yield Line(f"   Execution time: {seconds(result.execution_time)}")
    if details:
        yield from _value_lines("Input", result.input)
        if not isinstance(result.output, Trajectory):
            yield from _value_lines("Output", result.output)
        if result.trajectory is not None:
            yield from paragraph("   Conversation: ", result.trajectory.to_transcript(), _VALUE_LIMIT)
        if result.traceback:
            yield from paragraph("   Traceback: ", result.traceback, _VALUE_LIMIT)
    yield Line()


def place(check: Check, labels: Labels) -> str:
    """Return where a check was called, such as `SupportEvaluator:31`."""
    label = labels.of(check.evaluator_class) or "?"
    return label if check.line is None else f"{label}:{check.line}"


def heading_notes(result: ItemResult) -> str:
    """Return which run of an item it is, such as ` (repeat 2, cached run)`; nothing when it is the only one."""
    notes = [
        f"repeat {result.repeat + 1}" if result.repeat else "",
        plural(result.attempts, "attempt") if result.attempts > 1 else "",
        _passed_later(result),
        "cached run" if result.cached_run else "",
    ]
    noted = ", ".join(note for note in notes if note)
    return f" ({noted})" if noted else ""


def _passed_later(result: ItemResult) -> str:
    """Return on which attempt an item passed whose first answer, which counts, was wrong."""
    for attempt, other in enumerate(result.other_attempts, start=2):
        if other.status is Status.PASSED:
            return f"passed on attempt {attempt}"
    return ""


def _heading(result: ItemResult, labels: Labels) -> str:
    heading = f"{result.status.upper()} {labels.of(result.evaluator_class)} #{result.index} {result.item_id}"
    return heading + heading_notes(result)


def _ending_lines(result: ItemResult) -> Iterator[Line]:
    """Yield how the conversation ended, and what was odd about its simulated user."""
    ending = None if result.trajectory is None else result.trajectory.ending
    if ending is None:
        return
    yield from paragraph("   conversation ended: ", str(ending), MESSAGE_LIMIT)
    for note in ending.notes:
        yield from paragraph(f"   simulated user, turn {note.turn}: ", note.text, MESSAGE_LIMIT)


def _check_lines(check: Check, labels: Labels) -> Iterator[Line]:
    named = check.name if check.label == check.name else f"{check.name} ({check.label})"
    parts = [f"   {check.verdict} {place(check, labels)} -> {named}"]
    if check.vacuous:
        parts.append(" [vacuous]")
    text = f"{''.join(parts)}: "
    if check.message:
        yield from paragraph(text, check.message, MESSAGE_LIMIT, STYLES[check.verdict])
    else:
        yield Line(text.rstrip(": "), STYLES[check.verdict])


def _verdicts(result: ItemResult) -> str:
    counts = Counter(check.verdict for check in result.checks)
    parts = [f"{counts[Verdict.PASSED]} passed", f"{counts[Verdict.FAILED]} failed"]
    if counts[Verdict.ERROR]:
        parts.append(plural(counts[Verdict.ERROR], "error"))
    if counts[Verdict.SKIPPED]:
        parts.append(f"{counts[Verdict.SKIPPED]} skipped")
    return ", ".join(parts)


def _value_lines(name: str, value: Any) -> Iterator[Line]:
    shown = f'"{value}"' if isinstance(value, str) else dump_json(clean_json(value), indent=2)
    yield from paragraph(f"   {name}: ", shown, _VALUE_LIMIT)


def is_failure(result: ItemResult) -> bool:
    """Whether a result belongs into the list of what did not pass."""
    return result.status in (Status.FAILED, Status.ERROR)
