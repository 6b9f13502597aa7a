"""Stored runs as results and reports."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils import timezone

from neuron_evals.core.report import EvaluationResults, Tally
from neuron_evals.models import ItemStatus
from neuron_evals.outputs.reading import UNCOUNTED, figures_of, result_of

if TYPE_CHECKING:
    from datetime import datetime

    from neuron_evals.core.results import ItemResult
    from neuron_evals.models import EvalRun, EvalRunItem

_PAGE, _PAGE_OF_FIGURES = 100, 2_000


def stored_keys(run: EvalRun) -> set[tuple[str, int]]:
    """Return key and repeat of each execution of an item that has its result: what a resumed run need not do again.

    Args:
        run: The run. Results with the status `cancelled` are none.
    """
    keys: set[tuple[str, int]] = _items(run).exclude(status=ItemStatus.CANCELLED).stored_keys()
    return keys


def stored_results(run: EvalRun) -> Iterator[ItemResult]:
    """Yield the results of a run in dataset order, a page of rows in memory at a time.

    What was cut when it was stored is as it was cut.

    Args:
        run: The run.
    """
    for row in _paged(_items(run), _PAGE):
        yield result_of(row, run.source)


def report_of(run: EvalRun, *, keep_results: bool = True) -> EvaluationResults:
    """Return a stored run as the results of one evaluator, with all their statistics.

    Args:
        run: The run, over or not.
        keep_results: Read the results themselves; without, the report has their figures alone and memory stays small.
    """
    results = tuple(stored_results(run)) if keep_results else ()
    tally = Tally(results if keep_results else _figures(run))
    duration = run.duration
    return EvaluationResults(
        run.source,
        results,
        tally=tally,
        error=run.error or None,
        namespace=run.metadata.get("namespace"),
        started_at=_aware(run.started_at),
        finished_at=_aware(run.finished_at),
        duration=0.0 if duration is None else duration.total_seconds(),
        fake=run.fake,
    )


def _figures(run: EvalRun) -> Iterator[ItemResult]:
    for row in _paged(_items(run).defer(*UNCOUNTED), _PAGE_OF_FIGURES):
        yield figures_of(row, run.source)


def _paged(rows: Any, size: int) -> Iterator[EvalRunItem]:
    """Yield rows in dataset order, so many at a time: MariaDB's client would fetch all of them at once."""
    page = list(rows.in_dataset_order()[:size])
    while page:
        yield from page
        last = page[-1]
        later = Q(index__gt=last.index) | Q(repeat__gt=last.repeat)
        page = list(rows.filter(later, index__gte=last.index).in_dataset_order()[:size])


def _items(run: EvalRun) -> Any:
    return run.items.using(run.database)


def _aware(moment: datetime | None) -> datetime | None:
    """Return a time in UTC; where `USE_TZ` is false, columns hold local times."""
    if moment is None:
        return None
    return (moment if timezone.is_aware(moment) else timezone.make_aware(moment)).astimezone(UTC)
