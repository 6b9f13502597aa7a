"""How often a cache helped, and what it could not keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

OTHER_REASONS: Final = "other reasons"
"""Stands in `not_stored` for what was not counted apart."""

_SHOWN_REASONS: Final = 3


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """What became of the outputs of a run.

    Attributes:
        hits: Outputs that came from the cache.
        misses: Outputs that were looked for and not there.
        stored: Outputs that were put into the cache.
        not_stored: Outputs that could not be, by the reason.
    """

    hits: int = 0
    misses: int = 0
    stored: int = 0
    not_stored: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def total(cls, counts: Iterable[CacheCounts]) -> CacheCounts:
        """Return the sum of several counts."""
        found: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for each in counts:
            found.update(hits=each.hits, misses=each.misses, stored=each.stored)
            refused.update(each.not_stored)
        return cls(**found, not_stored=dict(refused))

    @property
    def complaint(self) -> str:
        """What could not be cached and why, in one line, the most frequent reasons first; empty when all could."""
        total = sum(self.not_stored.values())
        if not total:
            return ""
        known = [(reason, count) for reason, count in self.not_stored.items() if reason != OTHER_REASONS]
        shown = sorted(known, key=lambda pair: (-pair[1], pair[0]))[:_SHOWN_REASONS]
        reasons = [f"{reason} ({count})" for reason, count in shown]
        if rest := total - sum(count for _, count in shown):
            reasons.append(f"{OTHER_REASONS} ({rest})")
        return f"{total} {'output' if total == 1 else 'outputs'} could not be cached: {'; '.join(reasons)}"
