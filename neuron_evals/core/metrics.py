"""What model calls and tools used, collected for whoever asks: an item, a run, a test.

Agents record; a collector gets everything that is recorded in the code inside it, also in tasks it starts and in
threads that run in a copy of its context, as `asyncio.to_thread` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Usage

MAX_METRIC_NAME = 100
"""Longest name of a figure, in characters."""

LARGEST_METRIC = 1e300
"""Largest figure: differences of two are finite too."""

UsageKind = Literal["agent", "judge", "simulator"]
"""For what a model was called: as the agent under test, as a judge, or to play the user."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model, or of an agent that does not tell its model calls.

    Attributes:
        kind: For what it was made.
        seconds: How long it took, repeated tries and waiting included.
        usage: Its tokens; `None` when unknown.
        cost: What it cost, in the currency of the price table; `None` when unknown.
        model: Name of the model; `None` when unknown.
        first_token: Seconds to the first token of the reply; `None` when it was not streamed, or unknown.
        attempts: How often the call was made until it succeeded; `None` when unknown.
        tool_calls: How many calls of tools the reply proposed; `None` when unknown.
    """

    kind: UsageKind
    seconds: float
    usage: Usage | None = None
    cost: Decimal | None = None
    model: str | None = None
    first_token: float | None = None
    attempts: int | None = None
    tool_calls: int | None = None

    @property
    def told(self) -> bool:
        """Whether this is known to be a call of a model, and no agent that does not tell its model calls."""
        return not (self.usage is None and self.model is None and self.attempts is None)


@dataclass(frozen=True, slots=True)
class ToolRound:
    """The tools that ran for one reply of a model.

    Attributes:
        kind: For what the model was called.
        seconds: From the start of the first tool to the end of the last.
    """

    kind: UsageKind
    seconds: float


@dataclass(slots=True)
class Collected:
    """What was recorded.

    Attributes:
        model_calls: The model calls, in the order in which they ended.
        tool_rounds: The rounds of tools, likewise.
        tool_errors: For each call of a tool that broke or could not be run, for what the model was called.
        metrics: The figures of the project's own, by name.
    """

    model_calls: list[ModelCall] = field(default_factory=list)
    tool_rounds: list[ToolRound] = field(default_factory=list)
    tool_errors: list[UsageKind] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)

    def usage(self, kind: UsageKind | None = None) -> Usage | None:
        """Return the tokens of all model calls, or of one kind; `None` when there was none, or one may be several."""
        calls = self._calls(kind)
        told = bool(calls) and all(call.told for call in calls)
        return Usage.sum(call.usage or Usage() for call in calls) if told else None

    def cost(self, kind: UsageKind | None = None) -> Decimal | None:
        """Return what all model calls cost, or those of one kind; `None` when there was none, or one is unknown."""
        return total_cost(call.cost for call in self._calls(kind))

    def known_usage(self, kind: UsageKind | None = None) -> Usage | None:
        """Return what is known of the tokens, which the whole cannot be below; `None` when nothing is."""
        calls = [call for call in self._calls(kind) if call.told]
        return Usage.known_sum(call.usage or Usage() for call in calls) if calls else None

    def known_cost(self, kind: UsageKind | None = None) -> Decimal | None:
        """Return what is known of the cost, which the whole cannot be below; `None` when nothing is."""
        return total_cost(call.cost for call in self._calls(kind) if call.cost is not None)

    def model_seconds(self, kind: UsageKind | None = None) -> float:
        """Return the seconds of all model calls, or of one kind; calls at the same time count each."""
        return sum(call.seconds for call in self._calls(kind))

    def tool_seconds(self, kind: UsageKind | None = None) -> float:
        """Return the seconds in which tools ran, for all kinds or one; a model that a tool asks included."""
        return sum(part.seconds for part in list(self.tool_rounds) if kind in (None, part.kind))

    def first_token(self, kind: UsageKind | None = None) -> float | None:
        """Return the seconds to the first token of the first model call; `None` when there is none, or unknown."""
        calls = self._calls(kind)
        return calls[0].first_token if calls else None

    def iterations(self, kind: UsageKind | None = None) -> int | None:
        """Return how many model calls there were; `None` when there was none, or an agent did not tell its own."""
        calls = self._calls(kind)
        told = bool(calls) and all(call.told for call in calls)
        return sum(1 if call.usage is None else call.usage.requests for call in calls) if told else None

    def retries(self, kind: UsageKind | None = None) -> int | None:
        """Return how often a model call was made again; `None` when there was none, or one does not tell."""
        calls = self._calls(kind)
        return _sum(None if call.attempts is None else call.attempts - 1 for call in calls)

    def tool_calls(self, kind: UsageKind | None = None) -> int | None:
        """Return how many calls of tools were proposed; `None` when there was no model call, or one does not tell."""
        return _sum(call.tool_calls for call in self._calls(kind))

    def asked(self, kind: UsageKind) -> bool:
        """Return whether there was a model call of a kind."""
        return any(call.kind == kind for call in list(self.model_calls))

    def _calls(self, kind: UsageKind | None) -> list[ModelCall]:
        # A copy first: a thread that was given up may still be recording.
        return [call for call in list(self.model_calls) if kind in (None, call.kind)]


_COLLECTORS: ContextVar[tuple[Collected, ...]] = ContextVar("neuron_evals_collectors", default=())
_KIND: ContextVar[UsageKind] = ContextVar("neuron_evals_usage_kind", default="agent")


@contextmanager
def collecting() -> Iterator[Collected]:
    """Collect what is recorded inside; a collector around this one gets it too."""
    collected = Collected()
    before = _COLLECTORS.set((*_COLLECTORS.get(), collected))
    try:
        yield collected
    finally:
        _COLLECTORS.reset(before)


def collect() -> Collected:
    """Do what `collecting` does for the rest of this context; for code that has a context of its own."""
    collected = Collected()
    _COLLECTORS.set((*_COLLECTORS.get(), collected))
    return collected


@contextmanager
def usage_kind(kind: UsageKind) -> Iterator[None]:
    """Record what is used inside as `kind`; `"agent"` where nothing says otherwise."""
    before = _KIND.set(kind)
    try:
        yield
    finally:
        _KIND.reset(before)


def record_usage(  # noqa: PLR0913  (what is known of a call; all but its time may be unknown)
    usage: Usage | None = None,
    cost: Decimal | None = None,
    model: str | None = None,
    *,
    seconds: float,
    first_token: float | None = None,
    attempts: int | None = None,
    tool_calls: int | None = None,
) -> None:
    """Record one model call; the arguments are those of `ModelCall`."""
    call = ModelCall(_KIND.get(), seconds, usage, cost, model, first_token, attempts, tool_calls)
    for collected in _COLLECTORS.get():
        collected.model_calls.append(call)


def record_tools(seconds: float) -> None:
    """Record one round of tools; the argument is that of `ToolRound`."""
    part = ToolRound(_KIND.get(), seconds)
    for collected in _COLLECTORS.get():
        collected.tool_rounds.append(part)


def record_tool_errors(count: int) -> None:
    """Record how many calls of one reply broke, or could not be run."""
    broken = [_KIND.get()] * count
    for collected in _COLLECTORS.get():
        collected.tool_errors.extend(broken)


def record_metric(name: str, value: Any) -> None:
    """Record a figure of your own about the item that is running, such as how many documents were found.

    It may be called anywhere: in the agent, a tool, an evaluator. Outside an item it does nothing, whatever it is
    given, so that code that calls it runs in production too. A name that is recorded again has the last value. Threads
    that an agent starts itself are inside the item when they run in a copy of its context (`contextvars.copy_context`).

    Args:
        name: Name in reports, not blank, at most 100 characters.
        value: A number from -1e300 to 1e300, also a `Decimal` or one of numpy's; True and False are 1 and 0.

    Raises:
        InvalidArgument: In an item: the name is none, or the value is no such number.
    """
    collectors = _COLLECTORS.get()
    if not collectors:
        return
    given: Any = name
    if not isinstance(given, str) or not given.strip() or len(given) > MAX_METRIC_NAME:
        msg = f"record_metric: name must be text of 1 to {MAX_METRIC_NAME} characters, got {given!r:.120}"
        raise InvalidArgument(msg)
    number = _finite(value)
    if number is None:
        msg = f"record_metric: the value of {name!r} must be a number of at most {LARGEST_METRIC:g}, got {value!r:.120}"
        raise InvalidArgument(msg)
    for collected in collectors:
        collected.metrics[name] = number


def _finite(value: Any) -> float | None:
    """Return a number of any kind as a float; `None` for what is none, and for one that is too large."""
    if isinstance(value, str | bytes | bytearray):  # text that reads like a number is none
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -LARGEST_METRIC <= number <= LARGEST_METRIC else None


def models_called(kind: UsageKind) -> frozenset[str]:
    """Return the names of the models that the collectors around this code saw called as `kind`."""
    calls = [call for collected in _COLLECTORS.get() for call in list(collected.model_calls)]
    return frozenset(call.model for call in calls if call.kind == kind and call.model is not None)


def total_cost(costs: Iterable[Decimal | None]) -> Decimal | None:
    """Return the sum; `None` when there is nothing to sum, or one is unknown."""
    known: list[Decimal] = []
    for cost in costs:
        if cost is None:
            return None
        known.append(cost)
    return sum(known, Decimal(0)) if known else None


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum; `None` when there is nothing to sum, or one is unknown."""
    known = []
    for number in numbers:
        if number is None:
            return None
        known.append(number)
    return sum(known) if known else None
