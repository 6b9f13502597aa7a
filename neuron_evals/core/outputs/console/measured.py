"""What was measured of the agent, as words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.wording import UNKNOWN, number, plural, seconds

if TYPE_CHECKING:
    from neuron_evals.core.report import MetricsSummary, TimeStatistics
    from neuron_evals.core.results import ItemResult

_COST_DIGITS = 6


def metrics_texts(summary: MetricsSummary, *, spending: bool = True) -> Iterator[str]:
    """Yield latency, tokens, cost and counts, each when something of it is known.

    Args:
        summary: The figures.
        spending: Whether to tell tokens and cost.
    """
    latency, known = summary.latency, summary.known
    if latency.count:
        yield f"Latency (p50/p95/p99): {_times(latency, summary.items)}"
    if latency.first_token.count:
        yield f"First token (p50/p95/p99): {_times(latency.first_token, summary.items)}"
    if spending and known.tokens.total is not None:
        pairs = ((getattr(summary.tokens, kind), getattr(known.tokens, kind)) for kind in ("input", "output", "total"))
        yield f"Tokens (in/out/total): {' / '.join(_count(*pair) for pair in pairs)}"
    if spending and (summary.cost.known or summary.cost.total is not None):
        at_least = "at least " if summary.cost.total is None else ""
        yield f"Estimated cost: {at_least}{number(summary.cost.known, _COST_DIGITS)}"
    names = ("tool_calls", "tool_errors", "iterations", "retries")
    counts = [(name.replace("_", " "), _count(getattr(summary, name), getattr(known, name))) for name in names]
    if any(count != UNKNOWN for _, count in counts):
        yield f"Counts: {', '.join(f'{name} {count}' for name, count in counts)}"


def step_facts(result: ItemResult) -> Iterator[str]:
    """Yield what is known of the steps by which an agent came to one item's output."""
    steps = result.steps
    if steps.first_token is not None:
        yield f"first token {seconds(steps.first_token)}"
    if steps.iterations is not None:
        yield plural(steps.iterations, "model call")
    if steps.retries:
        yield "1 retry" if steps.retries == 1 else f"{steps.retries} retries"
    if steps.tool_calls is not None:
        broken = f" ({plural(steps.tool_errors, 'error')})" if steps.tool_errors else ""
        yield f"{plural(steps.tool_calls, 'tool call')}{broken}"


def _times(times: TimeStatistics, items: int) -> str:
    of = "" if times.count == items else f" (n={times.count} of {items})"
    return f"{' / '.join(seconds(value) for value in (times.p50, times.p95, times.p99))}{of}"


def _count(total: int | None, known: int | None) -> str:
    if total is not None:
        return str(total)
    # At least nothing is what is always known.
    return f"at least {known}" if known else UNKNOWN
