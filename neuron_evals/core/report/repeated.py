"""The statistics of items that were executed more than once on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from neuron_evals.core.statistics import chances_of_all, pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from neuron_evals.core.report.tally import FlakyItem, Tally


class RepeatFigures:
    """Figures over the repeats of each item.

    Attributes:
        tally: What was counted.
    """

    tally: Tally

    @property
    def repeated(self) -> bool:
        """Whether items were executed more than once on purpose."""
        return self.tally.repeats.most > 1

    @property
    def most_repeats(self) -> int:
        """How often the item that was executed most was executed."""
        return self.tally.repeats.most

    def pass_at(self, k: int) -> float | None:
        """Return pass@k: the unbiased chance that at least one of `k` executions of an item passes, mean over items.

        `None` when no item was judged `k` times; items that were judged less often do not count.
        """
        return self._mean_over_items(pass_at_k, k)

    def pass_hat(self, k: int) -> float | None:
        """Return pass^k: the unbiased chance that all of `k` executions of an item pass, mean over items.

        `None` as in `pass_at`.
        """
        return self._mean_over_items(pass_hat_k, k)

    def pass_at_each(self) -> list[float | None]:
        """Return `pass_at` of each k from 1 to `most_repeats`, in time linear in the results."""
        shares = self.tally.repeats.shares.items()
        of_none = self._means_of_all(((judged - passed, judged), count) for (passed, judged), count in shares)
        return [None if chance is None else 1 - chance for chance in of_none]

    def pass_hat_each(self) -> list[float | None]:
        """Return `pass_hat` of each k, as `pass_at_each`."""
        return self._means_of_all(self.tally.repeats.shares.items())

    def judged_times(self, k: int) -> int:
        """Return how many items were judged at least `k` times, which is over how many `pass_at` and `pass_hat` go."""
        return sum(count for (_, judged), count in self.tally.repeats.shares.items() if judged >= k)

    def judged_times_each(self) -> list[int]:
        """Return `judged_times` of each k, as `pass_at_each`."""
        exactly = [0] * self.most_repeats
        for (_, judged), count in self.tally.repeats.shares.items():
            if judged:
                exactly[judged - 1] += count
        return list(accumulate(reversed(exactly)))[::-1]

    @property
    def flaky_items(self) -> tuple[FlakyItem, ...]:
        """The items whose repeats did not end alike."""
        return tuple(self.tally.repeats.flaky)

    def _mean_over_items(self, estimate: Callable[[int, int, int], float | None], k: int) -> float | None:
        shares = self.tally.repeats.shares
        return _mean((estimate(passed, judged, k), count) for (passed, judged), count in shares.items())

    def _means_of_all(self, shares: Iterable[tuple[tuple[int, int], int]]) -> list[float | None]:
        """Return the mean chance that all of k executions end alike, for each k from 1."""
        sums: list[list[float]] = [[] for _ in range(self.most_repeats)]
        items = [0] * self.most_repeats
        for (alike, judged), count in shares:
            for place, chance in zip(range(self.most_repeats), chances_of_all(alike, judged), strict=False):
                sums[place].append(chance * count)
                items[place] += count
        return [math.fsum(chances) / count if count else None for chances, count in zip(sums, items, strict=True)]


def _mean(values: Iterable[tuple[float | None, int]]) -> float | None:
    known = [(value, count) for value, count in values if value is not None]
    total = sum(count for _, count in known)
    return math.fsum(value * count for value, count in known) / total if total else None
