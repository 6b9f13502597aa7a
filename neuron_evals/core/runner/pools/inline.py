"""Items one after the other in the calling thread."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from neuron_evals.core.execution import Executed, Surroundings, Task, cancelled, execute
from neuron_evals.core.runner.pools.contract import Done, Hooks, Pool
from neuron_evals.core.runner.pools.threads import ThreadPool

if TYPE_CHECKING:
    from neuron_evals.core.cancellation import StopToken


_NAP = 0.1
"""Seconds after which a pause looks whether the run was stopped."""


class InlinePool(Pool):
    """Executes in `wait`. An item with a time limit gets a worker thread, which alone can be left behind."""

    ahead = 1

    def __init__(self, hooks: Hooks, stop: StopToken) -> None:
        self._hooks = hooks
        self._stop = stop
        self._around = Surroundings()
        self._tasks: deque[tuple[int, Task]] = deque()
        self._limited = ThreadPool(1, hooks)
        self._in_thread: set[int] = set()
        self._given_up: list[Done] = []

    def open(self, around: Surroundings) -> None:
        """Get ready."""
        self._around = replace(around, around_async=self._hooks.around_async)
        self._limited.open(around)

    def start(self, ticket: int, task: Task) -> None:
        """Take a task."""
        if task.timeout is None:
            self._tasks.append((ticket, task))
        else:
            self._in_thread.add(ticket)
            self._limited.start(ticket, task)

    def wait(self, timeout: float | None) -> Iterable[Done]:
        """Execute the next task, wait for the thread, or let the time pass."""
        self.exhausted = self._limited.exhausted
        if self._given_up:
            given_up, self._given_up = self._given_up, []
            return given_up
        if self._tasks:
            ticket, task = self._tasks.popleft()
            return [(ticket, self._executed(task))]
        if self._in_thread:
            done = list(self._limited.wait(timeout))
            self._in_thread.difference_update(ticket for ticket, _ in done)
            return done
        self._sleep(min(timeout or 0.0, _NAP))
        return ()

    def recall(self) -> None:
        """Give up what was taken and not executed yet."""
        self._given_up.extend((ticket, None) for ticket, _ in self._tasks)
        self._tasks.clear()
        self._limited.recall()

    def wake(self) -> None:
        """End a wait for the thread."""
        self._limited.wake()

    def close(self, *, abandon: bool) -> None:
        """End the thread."""
        self._limited.close(abandon=abandon)

    def _executed(self, task: Task) -> Executed:
        try:
            with self._stop.interruptible():
                return execute(task, self._around)
        except KeyboardInterrupt:
            self._stop.set("interrupted", abandon=True)
            return Executed(cancelled(task))

    def _sleep(self, seconds: float) -> None:
        try:
            with self._stop.interruptible():
                time.sleep(seconds)
        except KeyboardInterrupt:
            self._stop.set("interrupted", abandon=True)
