"""The figures of a run, counted in the database from its results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from django.db.models import Avg, Count, Max, Q, Sum
from django.db.models.functions import Coalesce

from neuron_evals.models.items import ItemStatus

if TYPE_CHECKING:
    from django.db.models import QuerySet

ASSERTIONS = ("assertions_passed", "assertions_failed", "assertions_broken", "assertions_skipped")

BY_STATUS = {f"{status}_count": status for status in ItemStatus.values}
"""The columns that count results by status, and the status."""

COUNTS = ("total_count", *BY_STATUS, "cached_count", *ASSERTIONS, "success_rate", "aggregate_score")
"""The columns of a run that `counted` gives."""

_JUDGED = (ItemStatus.PASSED, ItemStatus.FAILED, ItemStatus.ERROR)
_DIGITS = 12


def counted(items: QuerySet[Any]) -> dict[str, Any]:
    """Return `COUNTS` of results: by one query, and where items were repeated by a second one.

    Args:
        items: The results of one run.
    """
    found = items.aggregate(
        total_count=Count("pk"),
        cached_count=Count("pk", filter=Q(cached_run=True)),
        aggregate_score=Avg("score"),
        last_repeat=Max("repeat"),
        **{column: Count("pk", filter=Q(status=status)) for column, status in BY_STATUS.items()},
        **{column: Coalesce(Sum(column), 0) for column in ASSERTIONS},
    )
    repeated = found.pop("last_repeat")
    found["success_rate"] = _rounded(_rate_of_repeats(items) if repeated else _rate(found))
    found["aggregate_score"] = _rounded(found["aggregate_score"])
    return found


def _rate(found: dict[str, Any]) -> float | None:
    judged = found["passed_count"] + found["failed_count"] + found["error_count"]
    return found["passed_count"] / judged if judged else None


def _rate_of_repeats(items: QuerySet[Any]) -> float | None:
    """Return the mean of each item's share, over the items that were judged at least once."""
    shares = (
        items.filter(status__in=_JUDGED)
        .order_by()
        .values("item_key")
        .annotate(passed=Count("pk", filter=Q(status=ItemStatus.PASSED)), judged=Count("pk"))
        .values_list("passed", "judged")
    )
    rates = [passed / judged for passed, judged in shares.iterator(chunk_size=10_000)]
    return math.fsum(rates) / len(rates) if rates else None


def _rounded(value: float | None) -> float | None:
    """Return a mean without the digits that depend on the order in which a database adds."""
    return None if value is None else round(value, _DIGITS)
