"""Items in worker threads."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from neuron_evals.core.execution import Surroundings, Task, execute, too_late
from neuron_evals.core.runner.pools.contract import LONGEST_WAIT, PARTING_SECONDS, Done, Hooks, Pool, drained
from neuron_evals.core.trajectories import Recorded

AHEAD = 8
"""How many tasks are in flight for each thread: with fewer, threads that do little often wait for the scheduler."""

LEFT_BEHIND_LIMIT = 50
"""How many hung threads a run leaves behind before it gives up: each holds memory until the process ends."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A thread, and whether it was given up."""

    thread: threading.Thread | None = None
    left_behind: bool = False


@dataclass(slots=True)
class _Begun:
    """A task with a time limit that a worker is busy with."""

    worker: _Worker
    task: Task
    recorded: Recorded = field(default_factory=Recorded)
    since: float = field(default_factory=time.monotonic)

    @property
    def until(self) -> float:
        return self.since + (self.task.timeout or 0.0)


class ThreadPool(Pool):
    """At most `count` daemon threads on one queue: an item that hangs must not hold the process at its exit."""

    def __init__(self, count: int, hooks: Hooks) -> None:
        self.ahead = AHEAD * count
        self._count = count
        self._hooks = hooks
        self._around = Surroundings()
        self._inbox: SimpleQueue[tuple[int, Task] | None] = SimpleQueue()
        self._outbox: SimpleQueue[Done | None] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._waiting = 0
        self._begun: dict[int, _Begun] = {}
        self._left_behind = 0

    def open(self, around: Surroundings) -> None:
        """Get ready."""
        self._around = self._hooks.around(around)

    def start(self, ticket: int, task: Task) -> None:
        """Queue a task; hire a thread while there are fewer than tasks."""
        self._waiting += 1
        # Before a thread is hired for it, which would wait for it else, and be woken once more.
        self._inbox.put((ticket, task))
        if len(self._workers) < min(self._count, self._waiting):
            # Where the system has no more threads to give, those that are there do the work.
            with suppress(RuntimeError) if self._workers else nullcontext():
                self._hire()

    def wait(self, timeout: float | None) -> Iterable[Done]:
        """Return what is done, and what is too late."""
        done = self._received(self._until_next_limit(timeout))
        done.extend(self._overdue())
        self._waiting -= len(done)
        return done

    def recall(self) -> None:
        """Take back what is still in the queue."""
        while not self._inbox.empty():
            job = self._inbox.get_nowait()
            if job is not None:
                self._outbox.put((job[0], None))

    def wake(self) -> None:
        """Make `wait` return."""
        self._outbox.put(None)

    def close(self, *, abandon: bool) -> None:
        """Let the threads end."""
        self.recall()
        for _ in self._workers:
            self._inbox.put(None)
        if not abandon:
            for worker in self._workers:
                if worker.thread is not None:
                    worker.thread.join(PARTING_SECONDS)

    def _hire(self) -> None:
        worker = _Worker()
        # In a copy of the caller's context, as code called inline would be.
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(self._toil, worker), name=f"neuron-evals-{len(self._workers) + 1}", daemon=True
        )
        thread.start()
        worker.thread = thread
        self._workers.append(worker)

    def _toil(self, worker: _Worker) -> None:
        try:
            while not worker.left_behind and (job := self._inbox.get()) is not None:
                ticket, task = job
                if task.timeout is None:
                    self._outbox.put((ticket, execute(task, self._around)))
                    continue
                self._begun[ticket] = begun = _Begun(worker, task)
                self._outbox.put(None)  # so that the scheduler waits no longer than the limit
                executed = execute(task, self._around, begun.recorded)
                if self._begun.pop(ticket, None) is not None:  # else the scheduler was first and gave it up
                    self._outbox.put((ticket, executed))
        finally:
            self._hooks.after_worker()

    def _until_next_limit(self, timeout: float | None) -> float | None:
        limits = [begun.until for begun in list(self._begun.values())]
        if not limits:
            return timeout
        left = max(0.0, min(limits) - time.monotonic())
        return left if timeout is None else min(left, timeout)

    def _received(self, timeout: float | None) -> list[Done]:
        try:
            message = self._outbox.get(timeout=LONGEST_WAIT if timeout is None else min(timeout, LONGEST_WAIT))
        except Empty:
            return []
        done = [] if message is None else [message]
        done.extend(drained(self._outbox))
        return done

    def _overdue(self) -> list[Done]:
        if not self._begun:
            return []
        now = time.monotonic()
        late = [(ticket, begun) for ticket, begun in list(self._begun.items()) if begun.until <= now]
        return [
            (ticket, too_late(begun.task, now - begun.since, begun.recorded))
            for ticket, begun in late
            if self._leave(ticket, begun)
        ]

    def _leave(self, ticket: int, begun: _Begun) -> bool:
        """Leave a hung worker behind; return whether its task was still open."""
        if self._begun.pop(ticket, None) is None:
            return False
        begun.worker.left_behind = True
        self._workers.remove(begun.worker)
        self._left_behind += 1
        if self._left_behind >= LEFT_BEHIND_LIMIT:
            self.exhausted = f"{self._left_behind} items hang in threads that cannot be stopped"
        elif not self._inbox.empty():
            self._hire()
        return True
