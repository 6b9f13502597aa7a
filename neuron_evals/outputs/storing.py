"""Storing results under a lease, whatever is in them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.exceptions import OutputError
from neuron_evals.models import EvalRunItem
from neuron_evals.models.leases import LeaseLost, fenced
from neuron_evals.outputs.patience import PATIENCE, patiently
from neuron_evals.outputs.rows import row_of, substitute

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult
    from neuron_evals.models.leases import Lease

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Store:
    """Stores the results of one run under one lease.

    Args:
        lease: The lease.
        patience: Seconds that the database may be busy or away, 0 or more.

    Attributes:
        lease: The lease.
        refused: Number of results in whose place an error item is stored, because the database refuses them.
    """

    def __init__(self, lease: Lease, patience: float = PATIENCE) -> None:
        self.lease = lease
        self.refused = 0
        self._patience = patience

    def store(self, results: Sequence[ItemResult]) -> None:
        """Store results in one transaction. One that is there already stays as it is.

        In place of a result that the database refuses there is an error item; the others are stored as they are.

        Raises:
            LeaseLost: Somebody else has the shard, or the run was given up; nothing was written.
            OutputError: The database is busy or away for too long, or refuses even an error item.
        """
        try:
            self._patiently(partial(self._insert, results))
        except (LeaseLost, OutputError):
            raise
        except Exception as exc:
            self._store_missing(results, exc)

    def _insert(self, results: Sequence[ItemResult]) -> None:
        self._write(row_of(self.lease.run_id, result) for result in results)

    def _write(self, rows: Iterable[EvalRunItem]) -> None:
        with fenced(self.lease):
            EvalRunItem.objects.using(self.lease.using).store(rows)

    def _store_missing(self, results: Sequence[ItemResult], exc: Exception) -> None:
        """Store those of a refused transaction that are not there: some were there before, or one of them is at fault.

        When a connection breaks while it commits, it is unknown what it did: all of them may be there.
        """
        stored = self._patiently(partial(_stored_among, self.lease, results))
        missing = [result for result in results if _identity(result) not in stored]
        if not missing:
            return
        if len(results) == 1:
            self._substitute(missing[0], exc)
        elif len(missing) < len(results):
            self.store(missing)
        else:
            middle = len(missing) // 2
            self.store(missing[:middle])
            self.store(missing[middle:])

    def _substitute(self, result: ItemResult, exc: Exception) -> None:
        # Ids and the class of the error alone: its text may hold what the agent said.
        row = substitute(self.lease.run_id, result, exc)
        _log.warning("run %s: item %s is stored as an error: %s", row.run_id, row.item_key, type(exc).__name__)
        try:
            self._patiently(partial(self._write, [row]))
        except (LeaseLost, OutputError):
            raise
        except Exception as again:
            msg = f"run {row.run_id}: the result of item {result.index} cannot be stored: {type(again).__name__}"
            raise OutputError(msg) from again
        self.refused += 1

    def _patiently(self, job: Callable[[], T]) -> T:
        return patiently(self.lease.using, job, self._patience)


def _identity(result: ItemResult) -> tuple[str, int]:
    return item_key(result.item_id), result.repeat


def _stored_among(lease: Lease, results: Sequence[ItemResult]) -> set[tuple[str, int]]:
    rows = EvalRunItem.objects.using(lease.using).filter(
        run=lease.run_id, item_key__in={item_key(result.item_id) for result in results}
    )
    return set(rows.values_list("item_key", "repeat"))
