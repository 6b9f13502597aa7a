"""Items on an event loop of their own."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import deque
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Any

from neuron_evals.core.execution import Surroundings, Task, aexecute, too_late
from neuron_evals.core.runner.pools.contract import LONGEST_WAIT, PARTING_SECONDS, Done, Hooks, Pool, drained
from neuron_evals.core.runner.pools.plain_calls import PlainCalls
from neuron_evals.core.trajectories import Recorded

PLAIN_THREADS = 32
"""At most so many threads call plain methods, and plain tools of agents, at a time."""

GRACE_SECONDS = 1.0
"""How long items that were given up may take to end before the loop is left behind with them."""


class LoopPool(Pool):
    """At most `count` items at a time on one event loop in a daemon thread, so that it also works under a running loop.

    A plain `run` or `evaluate` is called in a thread, so that it does not hold the loop.
    """

    def __init__(self, count: int, hooks: Hooks) -> None:
        self.ahead = 2 * count
        self._count = count
        self._hooks = hooks
        self._around = Surroundings()
        self._outbox: SimpleQueue[Done | None] = SimpleQueue()
        self._arriving: deque[tuple[int, Task]] = deque()
        self._expected = False
        self._plain = PlainCalls(PLAIN_THREADS, hooks)
        self._toilers: set[asyncio.Task[Any]] = set()
        self._context = contextvars.copy_context()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._inbox: asyncio.Queue[tuple[int, Task] | None]
        self._parted = threading.Event()
        self._left: set[asyncio.Task[Any]] = set()

    def open(self, around: Surroundings) -> None:
        """Start the loop."""
        self._around = self._hooks.around(around)
        self._loop = asyncio.new_event_loop()
        self._inbox = asyncio.Queue()
        self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="neuron-evals-loop", daemon=True)
        self._thread.start()

    def start(self, ticket: int, task: Task) -> None:
        """Queue a task."""
        self._arriving.append((ticket, task))
        # The loop is woken once for all that arrive until it looks: each time, the two threads wait for each other.
        if not self._expected:
            self._expected = True
            self._on_loop(self._receive)

    def wait(self, timeout: float | None) -> Iterable[Done]:
        """Return what is done."""
        try:
            message = self._outbox.get(timeout=LONGEST_WAIT if timeout is None else min(timeout, LONGEST_WAIT))
        except Empty:
            return ()
        done = [] if message is None else [message]
        done.extend(drained(self._outbox))
        return done

    def recall(self) -> None:
        """Take back what is still in the queue."""
        self._on_loop(self._give_back)

    def wake(self) -> None:
        """Make `wait` return."""
        self._outbox.put(None)

    def close(self, *, abandon: bool) -> None:
        """End the loop."""
        self._on_loop(self._end, abandon)
        if self._thread is not None and not abandon and self._parted.wait(PARTING_SECONDS) and not self._left:
            self._thread.join(PARTING_SECONDS)

    def _on_loop(self, function: Any, *args: Any) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(function, *args)

    def _receive(self) -> None:
        self._expected = False  # before looking: what arrives after that wakes the loop again
        while self._arriving:
            self._inbox.put_nowait(self._arriving.popleft())

    def _give_back(self) -> None:
        while not self._inbox.empty():
            job = self._inbox.get_nowait()
            if job is not None:
                self._outbox.put((job[0], None))

    def _end(self, abandon: bool) -> None:  # noqa: FBT001  (called by position from another thread)
        self._give_back()
        for _ in range(self._count):
            self._inbox.put_nowait(None)
        if abandon:
            for task in self._given_up_or_running():
                task.cancel()

    def _given_up_or_running(self) -> set[asyncio.Task[Any]]:
        return asyncio.all_tasks(self._loop) - self._toilers

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        toilers = {loop.create_task(self._toil()) for _ in range(self._count)}
        # A task that is known, so that abandoning the items does not cancel the wait for the toilers with them.
        waiter = loop.create_task(asyncio.wait(toilers))
        self._toilers = {*toilers, waiter}
        loop.run_until_complete(waiter)
        self._left = self._given_up_or_running()
        if self._left:
            _, self._left = loop.run_until_complete(asyncio.wait(self._left, timeout=GRACE_SECONDS))
        self._plain.close(wait=not self._left)
        self._parted.set()
        if self._left:
            # Nobody waits for them any more; closing the loop under them would only make noise.
            loop.run_until_complete(asyncio.wait(self._left))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    async def _toil(self) -> None:
        while (job := await self._inbox.get()) is not None:
            ticket, task = job
            since = time.monotonic()
            recorded = Recorded()
            item = aexecute(task, self._around, self._plain.call, recorded)
            running = asyncio.get_running_loop().create_task(item, context=self._context.copy())
            if task.timeout is None:
                self._outbox.put((ticket, await running))
                continue
            done, _ = await asyncio.wait({running}, timeout=task.timeout)
            if done:
                self._outbox.put((ticket, running.result()))
            else:
                executed = too_late(task, time.monotonic() - since, recorded)
                running.cancel()
                self._outbox.put((ticket, executed))
