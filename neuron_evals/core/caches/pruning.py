"""Which entries of a cache go when it is to become smaller."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from neuron_evals.core.caches.contract import CacheStats

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Entry(Generic[Name]):
    """What is known of an entry without reading it.

    Attributes:
        name: By which the cache finds it.
        size: Its bytes.
        stored: When it was stored.
    """

    name: Name
    size: int
    stored: datetime


def chosen(entries: Iterable[Entry[Name]], before: datetime | None, max_size: int | None) -> list[Entry[Name]]:
    """Return the entries that are to be removed, the oldest first.

    Args:
        entries: All entries.
        before: Those that were stored before this moment go.
        max_size: Then the oldest go until the others have at most so many bytes.
    """
    oldest_first = sorted(entries, key=lambda entry: entry.stored)
    kept_size = sum(entry.size for entry in oldest_first)
    removed = []
    for entry in oldest_first:
        too_old = before is not None and entry.stored < before
        too_much = max_size is not None and kept_size > max_size
        # Entries of no size go too when everything is to go.
        if not (too_old or too_much or max_size == 0):
            break
        kept_size -= entry.size
        removed.append(entry)
    return removed


def summed(entries: Iterable[Entry[Name]]) -> CacheStats:
    """Return how much some entries are together."""
    known = list(entries)
    moments = [entry.stored for entry in known]
    return CacheStats(
        len(known), sum(entry.size for entry in known), min(moments, default=None), max(moments, default=None)
    )
