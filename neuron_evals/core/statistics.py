"""Statistics of evaluations: intervals and percentiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z_95 = 1.959963984540054
"""The 97.5th percentile of the standard normal distribution: two-sided 95 %."""


def wilson_interval(successes: int, total: int, z: float = Z_95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a proportion, as fractions; `None` when there is nothing to count.

    Args:
        successes: Number of successes, 0 to `total`.
        total: Number of trials.
        z: Quantile of the standard normal distribution; 1.96 gives 95 %.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    if total == 0:
        return None
    rate = successes / total
    spread = z * z / total
    centre = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(rate * (1 - rate) / total + spread / (4 * total))
    # The formula gives exactly 0 and 1 at the ends; rounding would not.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == total else min(1.0, centre + half)
    return low, high


def percentile(ordered: Sequence[float], fraction: float) -> float | None:
    """Return a percentile by linear interpolation between closest ranks; `None` for no values.

    Args:
        ordered: The values, ascending.
        fraction: Which percentile, 0 to 1; 0.5 is the median.
    """
    if not ordered:
        return None
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
