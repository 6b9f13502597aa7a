"""What breaks off the calls of an event loop when their run is abandoned: one timer looks at all of them.

A timer for each call would take more of the loop's time than the calls themselves while they wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from neuron_evals.core.providers.transport.watch import PERIOD, Watch


class _LoopWatchdog:
    """Watches the calls of one event loop; it looks at them only while there are any."""

    def __init__(self) -> None:
        self.calls: dict[Watch, asyncio.Timeout] = {}
        self.looks = False

    def look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let the time of those end that must break off, and look again after a while."""
        for watch, limit in self.calls.items():
            if watch.must_break and not limit.expired():
                limit.reschedule(loop.time())
        self.looks = bool(self.calls)
        if self.looks:
            loop.call_later(PERIOD, self.look, loop)


_BY_LOOP: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopWatchdog] = WeakKeyDictionary()


@contextmanager
def over_on_loop(limit: asyncio.Timeout, watch: Watch) -> Iterator[None]:
    """Let the time of `limit`, which is around the code inside, end when `watch` says so.

    The deadline of the call is the limit's own; what is looked at is whether its run was abandoned.
    """
    if watch.stop is None:
        yield
        return
    loop = asyncio.get_running_loop()
    watchdog = _BY_LOOP.setdefault(loop, _LoopWatchdog())
    watchdog.calls[watch] = limit
    if not watchdog.looks:
        watchdog.look(loop)
    try:
        yield
    finally:
        del watchdog.calls[watch]
