"""A thread that breaks off blocking calls at their limits.

A read timeout limits one read: a server that sends a byte now and then outlives any. So one thread looks at all calls
in flight and shuts down the socket of a call whose time is up, which wakes the thread that reads from it.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from neuron_evals.core.providers.transport.forking import forget_after_fork
from neuron_evals.core.providers.transport.watch import PERIOD, Watch

_IDLE_SECONDS = 1.0
"""How long the thread stays without a call: it must not be there when a process forks that has long been idle."""


class HasSocket(Protocol):
    """What a call runs over."""

    @property
    def socket(self) -> socket.socket | None:
        """Its socket, once there is one."""


class Watchdog:
    """Watches the calls of this process."""

    def __init__(self) -> None:
        self.after_fork()
        forget_after_fork(self)

    def after_fork(self) -> None:
        """Start anew."""
        self._lock = threading.Lock()
        self._calls: dict[Watch, HasSocket] = {}
        self._thread: threading.Thread | None = None

    @contextmanager
    def over(self, connection: HasSocket, watch: Watch) -> Iterator[None]:
        """Break off the code inside, which uses `connection` alone, when `watch` says so; `watch` remembers it."""
        with self._lock:
            self._calls[watch] = connection
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="neuron-evals-watchdog", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._calls.pop(watch, None)  # not there any more in a child forked meanwhile

    def _run(self) -> None:
        idle_since = time.monotonic()
        while True:
            time.sleep(PERIOD)
            with self._lock:
                if self._calls:
                    idle_since = time.monotonic()
                elif time.monotonic() - idle_since > _IDLE_SECONDS:
                    self._thread = None
                    return
                for watch, connection in self._calls.items():
                    if watch.must_break:
                        _break(watch, connection)


def _break(watch: Watch, connection: HasSocket) -> None:
    watch.broken_off = True
    connected = connection.socket
    if connected is not None:
        with suppress(OSError):  # it is closed already
            # Of the plain socket: the one for TLS would also drop its state, which the reading thread is using.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)


WATCHDOG = Watchdog()
