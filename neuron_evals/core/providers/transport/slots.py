"""The free connections of one provider: as many as there were calls at once.

Each call in flight has a connection of its own, so that none waits while connections are handed out.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

from neuron_evals.core.providers.transport.forking import forget_after_fork

if TYPE_CHECKING:
    from neuron_evals.core.providers.transport.connections import Connection, LoopConnection


class Slots:
    """The free connections of one provider, one in each slot."""

    def __init__(self) -> None:
        self._inherited: list[object] = []
        self._start()
        forget_after_fork(self)

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._free: deque[Connection] = deque()
        self._by_loop: dict[asyncio.AbstractEventLoop, _LoopSlots] = {}
        weakref.finalize(self, _close_all, self._free)

    def after_fork(self) -> None:
        """Start anew; what the parent has open is kept referenced, so that no destructor writes to its connections."""
        self._inherited += [self._free, self._by_loop]
        self._start()

    def take(self, url: str) -> Connection:
        """Return a free slot: the one used last, whose connection is the most likely to be open still."""
        with self._lock:
            if self._free:
                return self._free.pop()
            # Within the lock: threads that begin together would each read the certificates, and wait for one import.
            from neuron_evals.core.providers.transport.connections import (  # noqa: PLC0415  (costs start-up time)
                Connection,
            )

            _read_certificates(url)
        return Connection()

    def give_back(self, slot: Connection) -> None:
        """Take a slot back whose last call came to its end."""
        with self._lock:
            self._free.append(slot)

    async def atake(self, url: str) -> LoopConnection:
        """Return a free slot of the running event loop."""
        from neuron_evals.core.providers.transport.connections import LoopConnection  # noqa: PLC0415  (as above)

        loop = asyncio.get_running_loop()
        with self._lock:
            slots = self._by_loop.get(loop)
            if slots is None:
                _read_certificates(url)
                for closed in [other for other in self._by_loop if other.is_closed()]:
                    del self._by_loop[closed]
                slots = self._by_loop[loop] = _LoopSlots(lambda: self._forget(loop))
        await slots.begin()
        return slots.free.pop() if slots.free else LoopConnection()

    async def agive_back(self, slot: LoopConnection) -> None:
        """Take a slot of the running event loop back."""
        with self._lock:
            slots = self._by_loop.get(asyncio.get_running_loop())
        if slots is None:  # closed meanwhile
            await slot.close()
        else:
            slots.free.append(slot)

    def close(self) -> None:
        """Close what is free of the slots for blocking calls."""
        with self._lock:
            slots = list(self._free)
            self._free.clear()
        _close_all(slots)

    async def aclose(self) -> None:
        """Close what is free of the running event loop's slots."""
        slots = self._forget(asyncio.get_running_loop())
        if slots is not None:
            await slots.end()

    def _forget(self, loop: asyncio.AbstractEventLoop) -> _LoopSlots | None:
        with self._lock:
            return self._by_loop.pop(loop, None)


class _LoopSlots:
    """The free slots of one event loop. They close with it: a loop that ends closes its async generators."""

    def __init__(self, ended: Callable[[], object]) -> None:
        self.free: deque[LoopConnection] = deque()
        self._ended = ended
        self._closing = self._close_at_end()
        self._begun = False

    async def begin(self) -> None:
        if not self._begun:
            self._begun = True
            await anext(self._closing)

    async def end(self) -> None:
        await self._closing.aclose()

    async def _close_at_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            self._ended()
            while self.free:
                await self.free.pop().close()


def _close_all(slots: deque[Connection] | list[Connection]) -> None:
    for slot in slots:
        slot.close()


def _read_certificates(url: str) -> None:
    from neuron_evals.core.providers.transport.targets import target_of, tls_for  # noqa: PLC0415  (as above)

    tls_for(target_of(url).origin)
