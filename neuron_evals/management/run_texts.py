"""Stored runs as JSON values, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.outputs.preview import preview
from neuron_evals.core.printable import printable

if TYPE_CHECKING:
    from datetime import datetime

    from neuron_evals.models import EvalRun, EvalRunItem

_COUNTS: Final = ("planned", "total", "passed", "failed", "error", "skipped", "cancelled", "cached")
_PLAIN: Final = (
    "source",
    "batch",
    "status",
    "trigger",
    "launcher",
    "dispatch_error",
    "fake",
    "success_rate",
    "aggregate_score",
    "attempt",
    "code_revision",
    "error",
)
_KEPT: Final = ("options", "agent_snapshot", "judge_snapshot", "suite_hash", "versions", "score_statistics", "metrics")
_TIMES: Final = ("created_at", "started_at", "finished_at", "cancel_requested_at")
_OF_ITEM: Final = ("index", "item_id", "repeat", "status", "score", "output_text", "checks", "error", "execution_time")
_WIDTH: Final = 200
_NAME: Final = 60


def run_values(run: EvalRun, *, counted: bool = False) -> dict[str, Any]:
    """Return a run as JSON values: what a list shows.

    Args:
        run: The run, loaded `with_names`.
        counted: Whether its figures are those of now; of a run that is not over they are unknown otherwise.
    """
    values: dict[str, Any] = {"id": run.pk}
    values |= {name: getattr(run, name) for name in _PLAIN}
    values["suite"] = None if run.suite is None else run.suite.slug
    values["agent"] = None if run.agent is None else run.agent.slug
    values["judge"] = None if run.judge is None else run.judge.slug
    values["triggered_by"] = None if run.triggered_by is None else run.triggered_by.get_username()
    values["parent"] = run.parent_id
    values["counts"] = {name: getattr(run, f"{name}_count") for name in _COUNTS}
    if not (run.is_over or counted):
        values |= {"success_rate": None, "aggregate_score": None}
        values["counts"] |= dict.fromkeys(_COUNTS[1:])
    return values | {name: _moment(getattr(run, name)) for name in _TIMES}


def detailed_values(run: EvalRun, items: Iterable[EvalRunItem]) -> dict[str, Any]:
    """Return a run, counted as it is now, as JSON values with what it keeps of its making, and some of its items."""
    kept = {name: getattr(run, name) for name in _KEPT}
    return {
        **run_values(run, counted=True),
        **kept,
        "items": [{name: getattr(item, name) for name in _OF_ITEM} for item in items],
    }


def table(runs: Iterable[EvalRun]) -> Iterator[str]:
    """Yield runs as the lines of a table; what a run counts at its end stands there from then on."""
    rows = [("RUN", "STATUS", "PASSED", "RATE", "CREATED", "WHAT")]
    rows += [
        (
            str(run.pk),
            run.status,
            f"{run.passed_count}/{run.total_count}" if run.is_over else "-",
            _rate(run.success_rate if run.is_over else None),
            f"{run.created_at:%Y-%m-%d %H:%M}",
            _named(run),
        )
        for run in runs
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])


def description(run: EvalRun, items: Iterable[EvalRunItem] = ()) -> Iterator[str]:
    """Yield a run, counted as it is now, and some of its items, as lines."""
    yield f"Run {run.pk}: {_named(run)}"
    yield f"Status: {run.status}" + (", to be cancelled" if run.cancel_requested_at and not run.is_over else "")
    for label, text in (("Error", run.error), ("Launcher", run.dispatch_error)):
        if text:
            yield f"{label}: {printable(text)}"
    yield _counted(run)
    for label, moment in (("Created", run.created_at), ("Started", run.started_at), ("Finished", run.finished_at)):
        if moment is not None:
            yield f"{label}: {moment:%Y-%m-%d %H:%M:%S %Z}".rstrip()
    if run.attempt > 1:
        yield f"Resumed: {run.attempt - 1} times" if run.attempt > 2 else "Resumed: once"  # noqa: PLR2004  (twice)
    if run.parent_id is not None:
        yield f"Repeats a part of run {run.parent_id}"
    for item in items:
        yield from _item(item)


def _counted(run: EvalRun) -> str:
    counts = [f"{getattr(run, f'{name}_count')} {name}" for name in _COUNTS[2:] if getattr(run, f"{name}_count")]
    of = "" if run.planned_count in (None, run.total_count) else f" of {run.planned_count} planned"
    return f"Results: {run.total_count}{of} ({', '.join(counts) or 'none yet'}); success rate {_rate(run.success_rate)}"


def _item(item: EvalRunItem) -> Iterator[str]:
    repeat = f", repeat {item.repeat + 1}" if item.repeat else ""
    yield f"- {item.status}: {preview(item.item_id, _NAME)}{repeat}"
    if item.error:
        yield f"    {preview(item.error, _WIDTH)}"
    for check in item.checks if isinstance(item.checks, list) else []:
        if isinstance(check, dict) and check.get("verdict") in ("failed", "error"):
            yield f"    {preview(str(check.get('label') or check.get('name')), _NAME)}: {_message(check)}"


def _message(check: dict[str, Any]) -> str:
    return preview(str(check.get("message") or check.get("verdict")), _WIDTH)


def _named(run: EvalRun) -> str:
    return preview(run.source, _NAME) + (" (fake)" if run.fake else "")


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.1%}"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
