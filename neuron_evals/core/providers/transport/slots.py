"""Connections: one in each slot, and as many slots as there are calls at once.

A client that serves many threads or tasks spends more time on handing out its connections than a call takes, so each
call in flight has one of its own. All share one TLS context, which is what is costly to make. Only the lowest layer of
httpx is used: it follows no redirects, keeps no cookies, decodes nothing, and logs nothing that was sent.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from neuron_evals.core.providers.transport.forking import forget_after_fork

if TYPE_CHECKING:
    import socket
    import ssl

    import httpx

IDLE_SECONDS = 30.0
"""How long an unused connection is kept."""


class Slot:
    """One connection for blocking calls.

    Attributes:
        transport: What sends over it; connects when there is need.
        socket: The connection's socket; `None` before the first connection.
    """

    def __init__(self) -> None:
        import httpx  # noqa: PLC0415  (costs start-up time that most runs need not spend)

        self.transport = httpx.HTTPTransport(verify=_tls_context(), trust_env=False, limits=_one_connection())
        self.socket: socket.socket | None = None

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Take note of a new connection; called by the transport at each step."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self.socket = info["return_value"].get_extra_info("socket")


class AsyncSlot:
    """One connection for calls in one event loop."""

    def __init__(self) -> None:
        import httpx  # noqa: PLC0415  (as above)

        self.transport = httpx.AsyncHTTPTransport(verify=_tls_context(), trust_env=False, limits=_one_connection())


class Slots:
    """The free slots of one provider."""

    def __init__(self) -> None:
        self._inherited: list[object] = []
        self._start()
        forget_after_fork(self)

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._free: deque[Slot] = deque()
        self._by_loop: dict[asyncio.AbstractEventLoop, _LoopSlots] = {}
        weakref.finalize(self, _close_all, self._free)

    def after_fork(self) -> None:
        """Start anew; what the parent has open is kept referenced, so that no destructor writes to its connections."""
        self._inherited += [self._free, self._by_loop]
        self._start()

    def take(self) -> Slot:
        """Return a free slot: the one used last, whose connection is the most likely to be open still."""
        with self._lock:
            if self._free:
                return self._free.pop()
            # Within the lock: threads that begin together would each read the certificates, and wait for one import.
            _tls_context()
        return Slot()

    def give_back(self, slot: Slot) -> None:
        """Take a slot back whose last call came to its end."""
        with self._lock:
            self._free.append(slot)

    async def atake(self) -> AsyncSlot:
        """Return a free slot of the running event loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            slots = self._by_loop.get(loop)
            if slots is None:
                for closed in [other for other in self._by_loop if other.is_closed()]:
                    del self._by_loop[closed]
                slots = self._by_loop[loop] = _LoopSlots(lambda: self._forget(loop))
        await slots.begin()
        return slots.free.pop() if slots.free else AsyncSlot()

    async def agive_back(self, slot: AsyncSlot) -> None:
        """Take a slot of the running event loop back."""
        with self._lock:
            slots = self._by_loop.get(asyncio.get_running_loop())
        if slots is None:  # closed meanwhile
            await slot.transport.aclose()
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
        self.free: deque[AsyncSlot] = deque()
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
                await self.free.pop().transport.aclose()


def _close_all(slots: deque[Slot] | list[Slot]) -> None:
    for slot in slots:
        slot.transport.close()


@cache
def _tls_context() -> ssl.SSLContext:
    import httpx  # noqa: PLC0415  (as above)

    return httpx.create_ssl_context(trust_env=False)


def _one_connection() -> httpx.Limits:
    import httpx  # noqa: PLC0415  (as above)

    return httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE_SECONDS)
