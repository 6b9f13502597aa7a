"""The outputs of `run` in a cache: what execution asks before it runs an item, and tells afterwards."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from neuron_evals.core.caches.contract import Cache, CacheError
from neuron_evals.core.caches.counts import OTHER_REASONS, CacheCounts
from neuron_evals.core.caches.keys import RunKeys, Uncacheable
from neuron_evals.core.jsonable import Undecodable, Unserialisable, clean_text, decode, encode
from neuron_evals.core.messages import Usage
from neuron_evals.core.results import AgentSteps

MAX_REASONS: Final = 100
"""How many different reasons are counted apart: a place in an output may be different for each item."""

_FORMAT: Final = 1
_FIELDS: Final = {"format", "key", "output", "execution_time", "usage", "cost", "trajectory", "steps"}
_REASON_LENGTH: Final = 300


@dataclass(frozen=True, slots=True)
class CachedRun:
    """What the first run of an item gave.

    Attributes:
        output: What `run` returned.
        execution_time: Seconds that `run` took.
        usage: Token usage; `None` when unknown.
        cost: Cost in the currency of the price table; `None` when unknown.
        trajectory: The conversation that `run` had, where there was one.
        steps: How the agent came to the output.
    """

    output: Any
    execution_time: float
    usage: Usage | None = None
    cost: float | None = None
    trajectory: Any = None
    steps: AgentSteps = AgentSteps()  # noqa: RUF009  (it is frozen)


class RunOutputs:
    """Looks outputs up in a cache and stores them, and counts both; used from any thread.

    A broken cache stops no run: what cannot be read is a miss, what cannot be stored is counted with its reason. Only
    what succeeded may be stored: an error never is.

    Args:
        cache: The cache.
        refresh: Look nothing up, so that everything runs, and store what comes out.
    """

    def __init__(self, cache: Cache, *, refresh: bool = False) -> None:
        self.cache = cache
        self.refresh = refresh
        self._lock = Lock()
        self._found: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    def key(self, keys: RunKeys, item: Mapping[str, Any], repeat: int = 0) -> str | None:
        """Return the key of one execution of an item; `None`, counted with the reason, when it can have none.

        Args:
            keys: The keys of the evaluator.
            item: The item.
            repeat: Which repeat of the item, counted from 0.
        """
        try:
            return keys.of(item, repeat)
        except Uncacheable as exc:
            self.refuse(str(exc))
            return None

    def lookup(self, key: str) -> CachedRun | None:
        """Return the first run under a key; `None` when there is none, when it is damaged, and when refreshing."""
        if self.refresh:
            return None
        try:
            text = self.cache.get(key)
        except Exception:
            # Another's cache may raise anything; the item can run all the same.
            text = None
        return self._found_in(text, key)

    async def alookup(self, key: str) -> CachedRun | None:
        """Do what `lookup` does, on an event loop."""
        if self.refresh:
            return None
        try:
            text = await self.cache.aget(key)
        except Exception:  # as in `lookup`
            text = None
        return self._found_in(text, key)

    def store(self, key: str, run: CachedRun, evaluator: str = "", item_id: str = "") -> CachedRun | None:
        """Store a run that succeeded, and return it as every later run will find it.

        The item is to be evaluated on what is returned, so that a hit and a miss cannot differ.

        Args:
            key: The key.
            run: What `run` gave.
            evaluator: Name of the evaluator, for those who look into the cache.
            item_id: Identity of the item, likewise.

        Returns:
            An equal copy, read back from the text that is stored, also when the cache could not keep that text. `None`
            when the run cannot be written exactly; then the original is all there is.
        """
        written = self._written(key, run)
        if written is None:
            return None
        text, copy = written
        try:
            self.cache.keep(key, text, evaluator=evaluator, item_id=item_id)
        except Exception as exc:
            self._could_not(exc)
        else:
            self._count("stored")
        return copy

    async def astore(self, key: str, run: CachedRun, evaluator: str = "", item_id: str = "") -> CachedRun | None:
        """Do what `store` does, on an event loop."""
        written = self._written(key, run)
        if written is None:
            return None
        text, copy = written
        try:
            await self.cache.akeep(key, text, evaluator=evaluator, item_id=item_id)
        except Exception as exc:
            self._could_not(exc)
        else:
            self._count("stored")
        return copy

    def refuse(self, reason: str) -> None:
        """Count an output that is not stored.

        Args:
            reason: Why, for people; it is made one line, and shortened.
        """
        line = clean_text(" ".join(reason.split()), _REASON_LENGTH)
        with self._lock:
            known = line in self._refused or len(self._refused) < MAX_REASONS
            self._refused[line if known else OTHER_REASONS] += 1

    @property
    def counts(self) -> CacheCounts:
        """What was counted so far."""
        with self._lock:
            found, refused = dict(self._found), dict(self._refused)
        return CacheCounts(**found, not_stored=refused)

    def uncounted(self) -> RunOutputs:
        """Return one on the same cache that has counted nothing, for another process, whose counts are added here."""
        return RunOutputs(self.cache, refresh=self.refresh)

    def add(self, counts: CacheCounts) -> None:
        """Add what another process counted."""
        with self._lock:
            self._found.update(hits=counts.hits, misses=counts.misses, stored=counts.stored)
            self._refused.update(counts.not_stored)

    def _count(self, name: str) -> None:
        with self._lock:
            self._found[name] += 1

    def _found_in(self, text: str | None, key: str) -> CachedRun | None:
        run = _opened(text, key)
        self._count("misses" if run is None else "hits")
        return run

    def _written(self, key: str, run: CachedRun) -> tuple[str, CachedRun] | None:
        """Return the text of a run with the copy that is read back from it; `None`, counted, when there is none."""
        try:
            text = _envelope(key, run)
        except Unserialisable as exc:
            self.refuse(_what_prevents(run, exc))
            return None
        copy = _opened(text, key)
        if copy is None:
            self.refuse("what was written cannot be read back")
            return None
        return text, copy

    def _could_not(self, exc: Exception) -> None:
        # Another's cache may raise anything, and the output has been paid for.
        self.refuse(str(exc) if isinstance(exc, CacheError) else f"{type(exc).__name__}: {exc}")


def _envelope(key: str, run: CachedRun) -> str:
    return encode(
        {
            "format": _FORMAT,
            "key": key,
            "output": run.output,
            "execution_time": run.execution_time,
            "usage": None if run.usage is None else dataclasses.asdict(run.usage),
            "cost": run.cost,
            "trajectory": run.trajectory,
            "steps": dataclasses.asdict(run.steps),
        }
    )


def _opened(text: str | None, key: str) -> CachedRun | None:
    """Return the run in an envelope; `None` for a text that is none, of another key, or of another format."""
    if text is None:
        return None
    try:
        held = decode(text)
    except Undecodable:
        return None
    if type(held) is not dict or held.keys() != _FIELDS or (held["format"], held["key"]) != (_FORMAT, key):
        return None
    seconds, cost, usage = held["execution_time"], held["cost"], held["usage"]
    if not _is_amount(seconds) or not (cost is None or _is_amount(cost)) or not (usage is None or _is_usage(usage)):
        return None
    if not _is_steps(held["steps"]):
        return None
    steps = AgentSteps(**held["steps"])
    usage = None if usage is None else Usage(**usage)
    return CachedRun(held["output"], seconds, usage, cost, held["trajectory"], steps)


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _is_usage(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {field.name for field in dataclasses.fields(Usage)}:
        return False
    return all(map(_is_count, value.values()))


def _is_steps(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {field.name for field in dataclasses.fields(AgentSteps)}:
        return False
    counts = (count for name, count in value.items() if name != "first_token")
    first_token = value["first_token"]
    return (first_token is None or _is_amount(first_token)) and all(map(_is_count, counts))


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _what_prevents(run: CachedRun, error: Unserialisable) -> str:
    """Return what a run holds that cannot be written, with its place in the output."""
    for part, value in (("", run.output), ("trajectory: ", run.trajectory)):
        try:
            encode(value)
        except Unserialisable as exc:
            # What comes before says only that it cannot be stored.
            return part + str(exc).partition(": ")[2]
    return str(error)
