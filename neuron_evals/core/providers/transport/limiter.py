"""How many calls of one provider are in flight: as many as are asked for, until the provider says it is too many.

The shape is that of congestion control: nothing is held back until the first 429; then the limit is four fifths of what
was in flight, and grows again by a twentieth with each clean round, once no 429 came for a while. An overloaded server
(5xx) stops the growth. `Retry-After` holds back all calls.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from neuron_evals.core.providers.errors import ProviderError
from neuron_evals.core.providers.transport.forking import forget_after_fork
from neuron_evals.core.providers.transport.retry import LONGEST_WAIT
from neuron_evals.core.providers.transport.watch import PERIOD, Watch

SHRINK = 0.8
GROW = 0.05
CALM_SECONDS = 15.0
"""Seconds after trouble in which the limit does not grow."""


@dataclass(slots=True, eq=False)
class _Turn:
    """One call that waits, or is in flight."""

    wake: Callable[[], object]
    started: float | None = None


class Limiter:
    """The limit of one provider, shared by threads and event loops; first come, first served.

    Args:
        ceiling: Most calls in flight; `None` for no limit but what the provider enforces.
    """

    def __init__(self, ceiling: int | None = None) -> None:
        self.ceiling = ceiling
        self.after_fork()
        forget_after_fork(self)

    def after_fork(self) -> None:
        """Start anew: the calls in flight are the parent's."""
        self._lock = threading.Lock()
        self._waiting: deque[_Turn] = deque()
        self._in_flight = 0
        self._limit = None if self.ceiling is None else float(self.ceiling)
        self._clean = 0
        self._last_cut = self._calm_from = self._paused_until = 0.0

    @property
    def limit(self) -> int | None:
        """How many calls may be in flight now; `None` while nothing limits them."""
        return None if self._limit is None else int(self._limit)

    @contextmanager
    def turn(self, watch: Watch) -> Iterator[None]:
        """Wait for a turn, and hold it for the code inside; what it raises is what the limit learns from.

        Raises:
            ProviderError: The deadline came, or the run was stopped.
        """
        event = threading.Event()
        turn = _Turn(event.set)
        try:
            self._queue(turn)
            while turn.started is None:
                watch.check()
                event.wait(PERIOD)
                self._serve()
            yield
        except BaseException as exc:
            self._leave(turn, exc)
            raise
        self._leave(turn, None)

    @asynccontextmanager
    async def aturn(self, watch: Watch) -> AsyncIterator[None]:
        """Wait for a turn; like `turn`, for async code."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        turn = _Turn(lambda: loop.call_soon_threadsafe(event.set))
        try:
            self._queue(turn)
            while turn.started is None:
                watch.check()
                waiter = asyncio.ensure_future(event.wait())
                try:
                    await asyncio.wait({waiter}, timeout=PERIOD)
                finally:
                    waiter.cancel()
                self._serve()
            yield
        except BaseException as exc:
            self._leave(turn, exc)
            raise
        self._leave(turn, None)

    def _queue(self, turn: _Turn) -> None:
        with self._lock:
            if not self._waiting and self._has_room():
                self._begin(turn)
            else:
                self._waiting.append(turn)

    def _serve(self) -> None:
        with self._lock:
            self._serve_locked()

    def _serve_locked(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            self._begin(turn)
            try:
                turn.wake()
            except RuntimeError:  # its event loop is closed: nobody waits
                self._in_flight -= 1

    def _begin(self, turn: _Turn) -> None:
        turn.started = time.monotonic()
        self._in_flight += 1

    def _has_room(self) -> bool:
        if self._paused_until and time.monotonic() < self._paused_until:
            return False
        return self._limit is None or self._in_flight < int(self._limit)

    def _leave(self, turn: _Turn, exc: BaseException | None) -> None:
        with self._lock:
            if turn.started is None:
                self._waiting.remove(turn)
            else:
                self._learn(turn.started, exc)
                self._in_flight -= 1
            self._serve_locked()

    def _learn(self, started: float, exc: BaseException | None) -> None:
        if exc is None:
            self._grow()
        elif isinstance(exc, ProviderError) and exc.kind == "rate_limit" and exc.transient:
            self._cut(started, exc.retry_after)
        elif isinstance(exc, ProviderError) and exc.kind == "server":
            self._calm_from = time.monotonic() + CALM_SECONDS

    def _grow(self) -> None:
        if self._limit is None or time.monotonic() < self._calm_from:
            return
        self._clean += 1
        if self._clean >= int(self._limit):
            self._clean = 0
            grown = max(self._limit + 1, self._limit * (1 + GROW))
            self._limit = grown if self.ceiling is None else min(grown, self.ceiling)

    def _cut(self, started: float, pause: float | None) -> None:
        now = time.monotonic()
        self._clean = 0
        self._calm_from = now + CALM_SECONDS
        if pause is not None:
            self._paused_until = max(self._paused_until, now + min(pause, LONGEST_WAIT))
        if started > self._last_cut:
            # Calls that were sent before the last cut belong to the trouble that caused it.
            self._last_cut = now
            inside = self._in_flight if self._limit is None else min(self._limit, self._in_flight)
            self._limit = max(1.0, inside * SHRINK)
