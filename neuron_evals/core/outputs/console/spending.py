"""What agents, judges and simulated users used, as words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from neuron_evals.core.outputs.console.wording import UNKNOWN, number, plural, seconds
from neuron_evals.core.report.spending import TOKENS, Spent

if TYPE_CHECKING:
    from neuron_evals.core.messages import Usage
    from neuron_evals.core.report import Amount, Spending
    from neuron_evals.core.report.figures import Figures
    from neuron_evals.core.results import ItemResult

T = TypeVar("T")

_COST_DIGITS = 6


def spending_texts(figures: Figures) -> Iterator[str]:
    """Yield tokens and cost of agent, judges and simulated users, each when at least one item knows its own."""
    yield from _side("agent", figures.agent_spending)
    yield from _left_out("the agent", figures.agent_spending, figures)
    yield from _side("judges", figures.judge_spending)
    yield from _side("simulated users", figures.simulator_spending)
    yield from _left_out("the simulated users", figures.simulator_spending, figures)


def time_split_text(figures: Figures) -> str | None:
    """Return what the items' time went to; `None` when the agent is all there is to tell of."""
    split = figures.time_split
    if split.tools is None and split.judges is None and split.simulators is None:
        return None
    parts = [("agent", split.agent), ("tools", split.tools), ("judges", split.judges)]
    if split.simulators is not None:
        parts.append(("simulated users", split.simulators))
    return f"Time of all items: {', '.join(f'{name} {seconds(value)}' for name, value in parts)}"


def used_facts(result: ItemResult) -> Iterator[str]:
    """Yield what is known of what one item used."""
    yield from _used_by("", Spent(result.usage, result.cost), Spent(result.known_usage, result.known_cost))
    if result.run_time is not None and result.tool_time is not None:
        yield f"tools {seconds(result.tool_time)}"
    if result.judge_time is not None:
        yield f"judges {seconds(result.judge_time)}"
        yield from _used_by(
            "judge ",
            Spent(result.judge_usage, result.judge_cost),
            Spent(result.known_judge_usage, result.known_judge_cost),
        )
    if result.simulator_time is not None:
        yield f"simulated user {seconds(result.simulator_time)}"
        yield from _used_by(
            "simulator ",
            Spent(result.simulator_usage, result.simulator_cost),
            Spent(result.known_simulator_usage, result.known_simulator_cost),
        )


def _used_by(who: str, spent: Spent, known: Spent) -> Iterator[str]:
    if tokens := _tokens(spent.usage, known.usage):
        yield f"{who}tokens {tokens}"
    if cost := _at_least(spent.cost, known.cost, lambda value: number(value, _COST_DIGITS)):
        yield f"{who}cost {cost}"


def _side(name: str, spending: Spending) -> Iterator[str]:
    if not spending.known:
        return
    # The two that every model has are shown also where they are unknown.
    shown = [kind for kind in TOKENS if kind in ("input", "output") or getattr(spending, kind).known is not None]
    tokens = ", ".join(f"{kind.replace('_', ' ')} {_amount(getattr(spending, kind))}" for kind in shown)
    yield f"Tokens of {name}: {tokens}, requests {_amount(spending.requests)}"
    yield f"Cost of {name}: {_amount(spending.cost)}"


def _left_out(name: str, spending: Spending, figures: Figures) -> Iterator[str]:
    count = figures.cached_run_count
    if spending.known and count:
        yield f"{plural(count, 'cached run')} cost {name} nothing and {_are(count)} in neither sum"


def _amount(amount: Amount) -> str:
    if amount.known is None:
        return UNKNOWN
    known = number(float(amount.known), _COST_DIGITS)
    if amount.total is not None:
        return known
    return f"at least {known} (known for {amount.known_items} of {plural(amount.items, 'item')})"


def _tokens(usage: Usage | None, known: Usage | None) -> str:
    shown = ((kind, _at_least(getattr(usage, kind, None), getattr(known, kind, None), str)) for kind in TOKENS)
    return " ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in shown if count)


def _at_least(whole: T | None, known: T | None, shown: Callable[[T], str]) -> str:
    """Return a number as text, or what is known of it; empty when that is nothing."""
    if whole is not None:
        return shown(whole)
    return "" if known is None else f"at least {shown(known)}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
