"""Statistics of evaluations: intervals and percentiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

Z_95 = 1.959963984540054
"""The 97.5th percentile of the standard normal distribution: two-sided 95 %."""


def wilson_interval(successes: float, total: float, z: float = Z_95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a proportion, as fractions; `None` when there is nothing to count.

    Args:
        successes: Number of successes, 0 to `total`; fractions are those of an effective number of trials.
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


def repeated_interval(shares: Mapping[tuple[int, int], int]) -> tuple[float, float] | None:
    """Return a 95 % interval for a success rate whose items were repeated; `None` when there is nothing to count.

    The repeats of an item resemble each other, so the items are what was sampled. The interval is Wilson's with the
    number of independent trials that would have given the spread between the items' shares, at least the number of
    items and at most the number of executions, and with Student's t for few items.

    Args:
        shares: How many items had so many successes in so many executions.

    Source: the effective sample size of E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small
    expected number of positive counts estimated from survey data", Survey Methodology 24 (1998), in Wilson's interval.
    """
    items = sum(shares.values())
    if items == 0:
        return None
    rate = math.fsum(count * passed / tried for (passed, tried), count in shares.items()) / items
    trials = float(sum(count * tried for (_, tried), count in shares.items()))
    if items == 1 or rate in (0.0, 1.0):
        effective = float(items)
    else:
        squares = math.fsum(count * (passed / tried - rate) ** 2 for (passed, tried), count in shares.items())
        variance = squares / (items - 1) / items
        effective = trials if variance == 0 else min(trials, max(float(items), rate * (1 - rate) / variance))
    return wilson_interval(rate * effective, effective, Z_95 if items == 1 else t_quantile(0.975, items - 1))


def pass_at_k(successes: int, tries: int, k: int) -> float | None:
    """Return the unbiased estimate that at least one of `k` tries succeeds; `None` when there were fewer than `k`.

    Source: M. Chen et al., "Evaluating large language models trained on code" (2021): 1 - C(n-c, k) / C(n, k).
    """
    if tries < k:
        return None
    return 1 - math.comb(tries - successes, k) / math.comb(tries, k)


def pass_hat_k(successes: int, tries: int, k: int) -> float | None:
    """Return the unbiased estimate that all of `k` tries succeed (pass^k); `None` when there were fewer than `k`.

    Source: S. Yao et al., "tau-bench" (2024): C(c, k) / C(n, k).
    """
    if tries < k:
        return None
    return math.comb(successes, k) / math.comb(tries, k)


def chances_of_all(successes: int, tries: int) -> Iterator[float]:
    """Yield pass^k of one item for k from 1 to `tries`, each from the one before: all in time linear in the tries.

    pass@k is 1 less that of the failures. See `pass_hat_k` and `pass_at_k`, which give single ones.
    """
    chance = 1.0
    for tried in range(tries):
        chance *= max(successes - tried, 0) / (tries - tried)
        yield chance


def t_quantile(fraction: float, freedom: int) -> float:
    """Return a quantile of Student's t distribution.

    Args:
        fraction: Which quantile, above 0.5 and below 1.
        freedom: Degrees of freedom, from 1.
    """
    freedom = min(freedom, _NEARLY_NORMAL)
    low, high = 0.0, 1.0
    while _t_cumulative(high, freedom) < fraction:
        high *= 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cumulative(middle, freedom) < fraction else (low, middle)
    return (low + high) / 2


_NEARLY_NORMAL = 1000
"""More degrees of freedom change a quantile by less than a thousandth."""

_BISECTIONS = 80
"""Enough to leave no bit of a double undecided."""


def _t_cumulative(value: float, freedom: int) -> float:
    """Return the probability of at most `value` (from 0 up), by the finite sums for whole degrees of freedom.

    Source: M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions", 26.7.3 and 26.7.4.
    """
    angle = math.atan(value / math.sqrt(freedom))
    cosine = math.cos(angle)
    square = cosine * cosine
    if freedom % 2:
        term, total = cosine, 0.0
        for step in range(3, freedom + 1, 2):
            total += term
            term *= square * (step - 1) / step
        within = 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0.0))
    else:
        term, total = 1.0, 0.0
        for step in range(2, freedom + 1, 2):
            total += term
            term *= square * (step - 1) / step
        within = math.sin(angle) * total
    return (1 + within) / 2
