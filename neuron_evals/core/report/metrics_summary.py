"""What was measured of the agent over many items, under the names of Nous.Eval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuron_evals.core.report.spending import tells_all
from neuron_evals.core.report.times import Times
from neuron_evals.core.results.measurements import known_retries, retries
from neuron_evals.core.statistics import percentile

if TYPE_CHECKING:
    from decimal import Decimal

    from neuron_evals.core.report.spending import Amount, Spending
    from neuron_evals.core.results import ItemResult

_COUNTS = ("tool_calls", "tool_errors", "iterations", "requests", "retries")


@dataclass(frozen=True, slots=True)
class TimeStatistics:
    """Times of many items, in seconds.

    Attributes:
        count: How many items have one.
        total: Their sum; `None` when no item has one, as are all that follow.
        mean: Their mean.
        p50: Their median, by linear interpolation, as are the next two.
        p95: 95th percentile.
        p99: 99th percentile.
    """

    count: int
    total: float | None
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class LatencySummary(TimeStatistics):
    """How long `run` took, judges left out.

    Attributes:
        first_token: The same of the times to the first token, over the items whose first model call was streamed.
    """

    first_token: TimeStatistics


@dataclass(frozen=True, slots=True)
class TokensSummary:
    """Tokens of the agent's model calls; `None` each when unknown.

    Attributes:
        input: Tokens sent, those read from a provider's cache included.
        output: Tokens received.
        total: Both together.
        cached: Part of `input` that the provider read from its cache.
    """

    input: int | None
    output: int | None
    total: int | None
    cached: int | None


@dataclass(frozen=True, slots=True)
class CostSummary:
    """What the agent's model calls cost, in the currency of the price table.

    Attributes:
        total: The sum; `None` when a price or a number of tokens is unknown.
        known: The sum of what is known, which the whole cannot be below; `None` when nothing is.
    """

    total: float | None
    known: float | None


@dataclass(frozen=True, slots=True)
class KnownCounts:
    """What is known of the counts of a `MetricsSummary`, which the whole cannot be below; `None` when nothing is."""

    tokens: TokensSummary
    tool_calls: int | None
    tool_errors: int | None
    iterations: int | None
    requests: int | None
    retries: int | None


@dataclass(frozen=True, slots=True)
class MetricsSummary:
    """What was measured of the agent. Cached runs are left out, as they took and cost nothing now.

    A count is the sum over the items; `None` when an item does not know its part, was tried again, or was broken off.

    Attributes:
        items: How many items these are.
        latency: Seconds of `run`, and to the first token.
        tokens: Tokens of the model calls.
        cost: What they cost.
        tool_calls: Calls of tools that models proposed.
        tool_errors: Those of them that broke, or could not be run.
        iterations: Model calls.
        requests: Model calls as `usage` counts them, which is the same where every agent tells its model calls.
        retries: How often an item was tried again, or a provider made a model call again.
        known: What is known of the counts.
    """

    items: int
    latency: LatencySummary
    tokens: TokensSummary
    cost: CostSummary
    tool_calls: int | None
    tool_errors: int | None
    iterations: int | None
    requests: int | None
    retries: int | None
    known: KnownCounts


class _Count:
    """A running sum, and over how many items it is whole."""

    __slots__ = ("known", "whole")

    def __init__(self) -> None:
        self.known: int | None = None
        self.whole = 0

    def add(self, known: int | None, whole: int) -> None:
        """Add what is known, and over how many items it is whole."""
        if known is not None:
            self.known = known + (self.known or 0)
            self.whole += whole


class MetricsTally:
    """Running figures of what is measured."""

    __slots__ = ("_counts", "_first_tokens", "_items", "_latencies")

    def __init__(self) -> None:
        self._items = 0
        self._latencies = Times()
        self._first_tokens = Times()
        self._counts = {name: _Count() for name in _COUNTS}

    def add(self, result: ItemResult) -> None:
        """Count one result."""
        if result.cached_run:
            return
        self._items += 1
        if result.run_time is not None:
            self._latencies.append(result.run_time)
        steps = result.steps
        if steps.first_token is not None:
            self._first_tokens.append(steps.first_token)
        again = known_retries(result)
        if steps.iterations is None and steps.tool_calls is None and again is None:
            return
        whole = tells_all(result)
        requests = None if result.usage is None else result.usage.requests
        values = (steps.tool_calls, steps.tool_errors, steps.iterations, requests)
        for name, value in zip(_COUNTS, values, strict=False):
            self._counts[name].add(value, whole)
        # Of the tries of an item their number is known, also where that of model calls is not.
        self._counts["retries"].add(again, whole and retries(result) is not None)

    def merge(self, other: MetricsTally) -> None:
        """Count all that another tally counted."""
        self._items += other._items
        self._latencies.extend(other._latencies)
        self._first_tokens.extend(other._first_tokens)
        for name, count in other._counts.items():
            self._counts[name].add(count.known, count.whole)

    def summary(self, spending: Spending) -> MetricsSummary:
        """Return the figures.

        Args:
            spending: Tokens and cost of the agent, over the same items.
        """
        known = {name: count.known for name, count in self._counts.items()}
        totals = {name: count.known if count.whole == self._items else None for name, count in self._counts.items()}
        return MetricsSummary(
            items=self._items,
            latency=_latency(self._latencies, self._first_tokens),
            tokens=_tokens([spending.input, spending.output, spending.cached_input], "total"),
            cost=CostSummary(_number(spending.cost.total), _number(spending.cost.known)),
            **totals,
            known=KnownCounts(_tokens([spending.input, spending.output, spending.cached_input], "known"), **known),
        )


def _latency(times: Times, first_tokens: Times) -> LatencySummary:
    return LatencySummary(*_statistics(times), first_token=TimeStatistics(*_statistics(first_tokens)))


def _statistics(times: Times) -> tuple[int, float | None, float | None, float | None, float | None, float | None]:
    ordered = sorted(times)
    total = math.fsum(ordered) if ordered else None
    p50, p95, p99 = (percentile(ordered, at) for at in (0.5, 0.95, 0.99))
    return len(ordered), total, None if total is None else total / len(ordered), p50, p95, p99


def _tokens(amounts: Sequence[Amount], which: str) -> TokensSummary:
    sent, received, cached = (_count(getattr(amount, which)) for amount in amounts)
    parts = [part for part in (sent, received) if part is not None]
    together = sum(parts) if len(parts) == 2 or (parts and which == "known") else None  # noqa: PLR2004  (both)
    return TokensSummary(sent, received, together, cached)


def _count(value: int | Decimal | None) -> int | None:
    return value if isinstance(value, int) else None


def _number(value: int | Decimal | None) -> float | None:
    return None if value is None else float(value)
