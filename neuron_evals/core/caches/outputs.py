"""The outputs of `run` in a cache: what execution asks before it runs an item, and tells afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from neuron_evals.core.caches.contract import Cache, CacheError
from neuron_evals.core.caches.counts import OTHER_REASONS, CacheCounts
from neuron_evals.core.caches.entries import CachedRun, opened, written
from neuron_evals.core.caches.keys import RunKeys, Uncacheable
from neuron_evals.core.jsonable import Unserialisable, clean_text, encode

MAX_REASONS: Final = 100
"""How many different reasons are counted apart: a place in an output may be different for each item."""

_REASON_LENGTH: Final = 300


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
        entry = self._entry(key, run)
        if entry is None:
            return None
        text, copy = entry
        try:
            self.cache.keep(key, text, evaluator=evaluator, item_id=item_id)
        except Exception as exc:
            self._could_not(exc)
        else:
            self._count("stored")
        return copy

    async def astore(self, key: str, run: CachedRun, evaluator: str = "", item_id: str = "") -> CachedRun | None:
        """Do what `store` does, on an event loop."""
        entry = self._entry(key, run)
        if entry is None:
            return None
        text, copy = entry
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
        run = opened(text, key)
        self._count("misses" if run is None else "hits")
        return run

    def _entry(self, key: str, run: CachedRun) -> tuple[str, CachedRun] | None:
        """Return the text of a run with the copy that is read back from it; `None`, counted, when there is none."""
        try:
            text = written(key, run)
        except Unserialisable as exc:
            self.refuse(_what_prevents(run, exc))
            return None
        copy = opened(text, key)
        if copy is None:
            self.refuse("what was written cannot be read back")
            return None
        return text, copy

    def _could_not(self, exc: Exception) -> None:
        # Another's cache may raise anything, and the output has been paid for.
        self.refuse(str(exc) if isinstance(exc, CacheError) else f"{type(exc).__name__}: {exc}")


def _what_prevents(run: CachedRun, error: Unserialisable) -> str:
    """Return what a run holds that cannot be written, with its place in the output."""
    for part, value in (("", run.output), ("trajectory: ", run.trajectory)):
        try:
            encode(value)
        except Unserialisable as exc:
            # What comes before says only that it cannot be stored.
            return part + str(exc).partition(": ")[2]
    return str(error)
