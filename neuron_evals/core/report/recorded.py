"""The figures that a project records itself (`record_metric`), over many items."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from neuron_evals.core.report.times import Times
from neuron_evals.core.statistics import percentile


@dataclass(frozen=True, slots=True)
class MetricStatistics:
    """One figure over the items that recorded it.

    Attributes:
        count: How many items did.
        mean: Mean of their values.
        min: Lowest value.
        max: Highest value.
        p50: Median, by linear interpolation, as are the next two.
        p95: 95th percentile.
        p99: 99th percentile.
    """

    count: int
    mean: float
    min: float
    max: float
    p50: float
    p95: float
    p99: float


class RecordedTally:
    """The values of each figure."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[str, Times] = {}

    def add(self, metrics: Mapping[str, float]) -> None:
        """Count those of one item."""
        for name, value in metrics.items():
            if name not in self._values:
                self._values[name] = Times()
            self._values[name].append(value)

    def merge(self, other: RecordedTally) -> None:
        """Count all that another tally counted."""
        for name, values in other._values.items():
            self._values.setdefault(name, Times()).extend(values)

    def statistics(self) -> dict[str, MetricStatistics]:
        """Return the statistics of each figure, in the order in which they were first recorded."""
        return {name: _statistics(values) for name, values in self._values.items()}


def _statistics(values: Times) -> MetricStatistics:
    ordered = sorted(values)
    middle, high, highest = (percentile(ordered, at) or 0.0 for at in (0.5, 0.95, 0.99))
    mean = math.fsum(value / len(ordered) for value in ordered)  # a sum of large values would overflow
    return MetricStatistics(len(ordered), mean, ordered[0], ordered[-1], middle, high, highest)
