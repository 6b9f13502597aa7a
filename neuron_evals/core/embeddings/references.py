"""The vectors of references that many items share: kept, and made once."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

MOST_KEPT = 1_024
"""How many vectors are kept; the one that was not used for longest goes first."""


@dataclass(slots=True, eq=False)
class _Turn:
    lock: Any
    users: int = 0


class References:
    """Vectors by text, for any number of threads and event loops.

    Who finds no vector takes a turn and looks again: of several that need the same vector at once, one makes it. A
    thread never waits for a task, which might run in this very thread.
    """

    def __init__(self) -> None:
        self._vectors: OrderedDict[str, Sequence[float]] = OrderedDict()
        self._turns: dict[Hashable, _Turn] = {}
        self._guard = threading.Lock()

    def get(self, text: str) -> Sequence[float] | None:
        """Return the vector of a text; `None` when it is not kept."""
        with self._guard:
            vector = self._vectors.get(text)
            if vector is not None:
                self._vectors.move_to_end(text)
            return vector

    def keep(self, text: str, vector: Sequence[float]) -> None:
        """Keep the vector of a text."""
        with self._guard:
            self._vectors[text] = vector
            if len(self._vectors) > MOST_KEPT:
                self._vectors.popitem(last=False)

    @contextmanager
    def turn(self, text: str) -> Iterator[None]:
        """Wait until no other thread makes the vector of a text."""
        turn = self._join(text, threading.Lock)
        try:
            with turn.lock:
                yield
        finally:
            self._leave(text, turn)

    @asynccontextmanager
    async def aturn(self, text: str) -> AsyncIterator[None]:
        """Wait until no other task of the running event loop makes the vector of a text."""
        key = (asyncio.get_running_loop(), text)
        turn = self._join(key, asyncio.Lock)
        try:
            async with turn.lock:
                yield
        finally:
            self._leave(key, turn)

    def _join(self, key: Hashable, make_lock: Any) -> _Turn:
        with self._guard:
            turn = self._turns.setdefault(key, _Turn(make_lock()))
            turn.users += 1
            return turn

    def _leave(self, key: Hashable, turn: _Turn) -> None:
        with self._guard:
            turn.users -= 1
            if not turn.users:
                del self._turns[key]
