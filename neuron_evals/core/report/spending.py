"""What agents, judges and simulated users used over many results: tokens, cost, time, and what of it is unknown."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal

from neuron_evals.core.messages import Usage
from neuron_evals.core.results import ItemResult, Status

TOKENS = ("input", "output", "cached_input", "reasoning")
"""The kinds of tokens that are summed, as they are called in `Usage`."""

_PARTS = (*TOKENS, "requests", "cost")


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum over items of which some may not know their part.

    Attributes:
        known: Sum of what is known, which the whole cannot be below; `None` when no item knows anything.
        known_items: How many items know their whole part.
        items: How many items there are.
    """

    known: int | Decimal | None
    known_items: int
    items: int

    @property
    def total(self) -> int | Decimal | None:
        """The sum; `None` when an item does not know its part, or there is no item."""
        return self.known if self.known_items == self.items else None


@dataclass(frozen=True, slots=True)
class Spending:
    """What the model calls of one side used: of the agent, the judges, or the simulated users.

    Attributes:
        items: How many items it is about: for the agent all whose output did not come from the cache, for judges those
            that one judged, for simulated users those in which one spoke, or which were broken off where one speaks in
            others, and whose output did not come from the cache.
        input: Tokens sent, those read from a provider's cache included.
        output: Tokens received, reasoning included.
        cached_input: Part of `input` that the provider read from its cache.
        reasoning: Part of `output` that the model spent on reasoning.
        requests: Model calls.
        cost: What they cost, in the currency of the price table.
    """

    items: int
    input: Amount
    output: Amount
    cached_input: Amount
    reasoning: Amount
    requests: Amount
    cost: Amount

    @property
    def known(self) -> bool:
        """Whether at least one item knows its tokens or its cost."""
        return any(getattr(self, name).known is not None for name in (*TOKENS, "cost"))


@dataclass(frozen=True, slots=True)
class TimeSplit:
    """Seconds of all items by what they went to; items that were in flight at the same time count each.

    Attributes:
        agent: In `run`, without what tools and simulated users took; `None` when no item ran to the end of `run`.
        tools: In tools; `None` when nothing told.
        judges: In judges' model calls, and in classifiers; `None` when there was none.
        simulators: In model calls of simulated users; `None` when there was none.
    """

    agent: float | None
    tools: float | None
    judges: float | None
    simulators: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What one item used on one side.

    Attributes:
        usage: Its tokens; `None` when unknown.
        cost: Its cost; `None` when unknown.
    """

    usage: Usage | None = None
    cost: float | None = None

    def part(self, name: str) -> int | Decimal | None:
        """Return the cost, or the number of tokens of a kind, or of requests; `None` when unknown."""
        if name == "cost":
            # By its digits: a sum of binary fractions would depend on the order of the items.
            return None if self.cost is None else Decimal(str(self.cost))
        count: int | None = None if self.usage is None else getattr(self.usage, name)
        return count


_NOTHING = Spent()


class SpendingTally:
    """Running sums of one side."""

    __slots__ = ("_free", "_known", "_untold", "_whole", "items")

    def __init__(self) -> None:
        self.items = 0
        self._free: set[str] = set()
        self._known: dict[str, int | Decimal] = {}
        self._untold = 0
        self._whole = dict.fromkeys(_PARTS, 0)

    def add(self, spent: Spent, known: Spent = _NOTHING, *, whole: bool) -> None:
        """Count one item.

        Args:
            spent: What it used.
            known: What is known of that; counted where the whole is unknown.
            whole: Whether this is all that it used.
        """
        self.items += 1
        for name in _PARTS:
            value = spent.part(name)
            self._count(name, known.part(name) if value is None else value, whole and value is not None)

    def add_cached(self, usage: Usage | None, cost: float | None) -> None:
        """Count an item that cost nothing now; usage and cost are those of its first run."""
        if usage is not None:
            self._free.update(name for name in (*TOKENS, "requests") if getattr(usage, name) is not None)
        if cost is not None:
            self._free.add("cost")

    def add_untold(self) -> None:
        """Count an item that may have used something: one that was broken off, where others used something."""
        self._untold += 1

    def merge(self, other: SpendingTally) -> None:
        """Count all that another tally counted, which is of another evaluator."""
        self.items += other.items
        self._untold += other._untold if other.items else 0
        self._free |= other._free
        for name, value in other._known.items():
            self._known[name] = self._known.get(name, 0) + value
        for name, count in other._whole.items():
            self._whole[name] += count

    def spending(self) -> Spending:
        """Return the sums."""
        # Where everything came from the cache, nothing was spent, and that is known.
        known = self._known if self.items else dict.fromkeys(self._free, 0)
        items = self.items + self._untold if self.items else 0
        return Spending(items, **{name: Amount(known.get(name), self._whole[name], items) for name in _PARTS})

    def _count(self, name: str, value: int | Decimal | None, whole: bool) -> None:  # noqa: FBT001  (one call inside)
        if value is not None:
            self._known[name] = self._known.get(name, 0) + value
            self._whole[name] += whole


def tells_all(result: ItemResult) -> bool:
    """Return whether an item tells all that it used.

    It is not known what tries used that do not count, nor what an item used whose `run` was broken off.
    """
    broken_off = result.status is Status.ERROR and result.run_time is None
    return not (result.other_attempts or broken_off or result.status is Status.CANCELLED)


class UsedTally:
    """Running sums of all sides and of the times."""

    __slots__ = ("agent", "judges", "seconds", "simulators")

    def __init__(self) -> None:
        self.agent = SpendingTally()
        self.judges = SpendingTally()
        self.simulators = SpendingTally()
        self.seconds: dict[str, float] = {}

    def add(self, result: ItemResult) -> None:
        """Count one result."""
        whole = tells_all(result)
        self._add_run(result, whole=whole)
        if result.judge_time is not None:
            known = Spent(result.known_judge_usage, result.known_judge_cost)
            self.judges.add(Spent(result.judge_usage, result.judge_cost), known, whole=whole)
            self._spend("judges", result.judge_time)

    def _add_run(self, result: ItemResult, *, whole: bool) -> None:
        """Count what `run` used, which is nothing when its output came from the cache."""
        if result.cached_run:
            self.agent.add_cached(result.usage, result.cost)
            self.simulators.add_cached(result.simulator_usage, result.simulator_cost)
            if result.other_attempts:
                self.agent.add(_NOTHING, whole=False)
                if result.simulator_time is not None:
                    self.simulators.add(_NOTHING, whole=False)
            return
        known = Spent(result.known_usage, result.known_cost)
        self.agent.add(Spent(result.usage, result.cost), known, whole=whole)
        if result.run_time is not None:
            self._spend("agent", result.run_time - (result.tool_time or 0.0) - (result.simulator_time or 0.0))
        if result.tool_time is not None:
            self._spend("tools", result.tool_time)
        if result.simulator_time is not None:
            known = Spent(result.known_simulator_usage, result.known_simulator_cost)
            self.simulators.add(Spent(result.simulator_usage, result.simulator_cost), known, whole=whole)
            self._spend("simulators", result.simulator_time)
        elif not whole:
            self.simulators.add_untold()

    def merge(self, other: UsedTally) -> None:
        """Count all that another tally counted."""
        self.agent.merge(other.agent)
        self.judges.merge(other.judges)
        self.simulators.merge(other.simulators)
        for name, seconds in other.seconds.items():
            self._spend(name, seconds)

    def time_split(self) -> TimeSplit:
        """Return the times."""
        return TimeSplit(**{part.name: self.seconds.get(part.name) for part in fields(TimeSplit)})

    def _spend(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
