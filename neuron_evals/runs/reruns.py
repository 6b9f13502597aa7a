"""Repeating a run, or a part of it, as a new run whose parent it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuron_evals.models import ItemStatus
from neuron_evals.runs.problems import RunError

if TYPE_CHECKING:
    from neuron_evals.models import EvalRun

_STATUS = {"failed": ItemStatus.FAILED, "error": ItemStatus.ERROR}


def kept_by_parent(parent: EvalRun | None, only: str) -> frozenset[str]:
    """Return the keys of the items of which an execution failed, or ended in an error.

    Args:
        parent: The run of which a part is repeated.
        only: `failed` or `error`.

    Raises:
        RunError: The parent was deleted.
    """
    if parent is None:
        raise RunError(["the run of which this one repeats a part was deleted"])
    items = parent.items.using(parent.database).filter(status=_STATUS[only])
    return frozenset(items.order_by().values_list("item_key", flat=True).distinct())
