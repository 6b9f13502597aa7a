"""What the scheduler asks of a pool of workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from neuron_evals.core.execution import AroundAsync, Executed, Surroundings, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from queue import SimpleQueue

Done = tuple[int, Executed | None]
"""A ticket and what its task gave; `None` when nobody had begun it when it was recalled."""

LONGEST_WAIT = 0.2
"""Seconds after which a wait looks for signals: one that comes just before a blocking call would not end it."""

PARTING_SECONDS = 5.0
"""How long to wait for idle workers to close what they opened."""


def nothing() -> None:
    """Do nothing: the hook that was not given."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a project wants done in workers.

    Attributes:
        before_child: Called in a worker before each item, never inline; when it raises, that item is an error.
        after_child: Called in a worker after each item, never inline; when it raises, that item is an error.
        after_worker: Called in each worker thread or child as it ends, to close what it opened.
        before_call: Called in the threads of `async` workers before each call of a plain method.
        around_async: Gives an async context manager that is around each item on an event loop, in every kind of worker
            and inline, so that the item has, and closes, connections of its own.
        after_fork: Called in the process that forks children, right after it was forked itself: it has to let go,
            without closing, of the connections that belong to the parent.
    """

    before_child: Callable[[], None] | None = None
    after_child: Callable[[], None] | None = None
    after_worker: Callable[[], None] = field(default=nothing)
    before_call: Callable[[], None] = field(default=nothing)
    around_async: AroundAsync = field(default=nullcontext)
    after_fork: Callable[[], None] = field(default=nothing)

    def around(self, around: Surroundings) -> Surroundings:
        """Return what is around each item in a worker: `around`, and the hooks."""
        return replace(around, before=self.before_child, after=self.after_child, around_async=self.around_async)


class Pool(ABC):
    """Executes tasks. Only one thread, the scheduler's, calls it; each try of a task has a ticket of its own."""

    ahead: int
    """How many tasks to have in flight, so that no worker waits for the next one."""

    exhausted: str | None = None
    """Why the pool cannot go on, such as too many hung items; `None` while it can."""

    def open(self, around: Surroundings) -> None:  # noqa: B027  (a process pool has nothing to do)
        """Get ready. `around` is what is around each item, without the hooks, which are the pool's own."""

    @abstractmethod
    def start(self, ticket: int, task: Task) -> None:
        """Have a task executed as soon as a worker is free."""

    @abstractmethod
    def wait(self, timeout: float | None) -> Iterable[Done]:
        """Return what is done: as soon as something is, after `timeout` seconds, or when `wake` was called."""

    def rest(self) -> Iterable[Done]:
        """Return what is done and was not returned yet; what is not done is abandoned, and nothing starts any more."""
        return self.wait(0.0)

    @abstractmethod
    def recall(self) -> None:
        """Give up the tasks that nobody has begun; `wait` returns them with `None`."""

    @abstractmethod
    def wake(self) -> None:
        """Make `wait` return; safe from any thread and in a signal handler."""

    @abstractmethod
    def close(self, *, abandon: bool) -> None:
        """End the workers; with `abandon` without waiting for what they do."""


def drained(queue: SimpleQueue[Done | None]) -> Iterator[Done]:
    """Yield what is in an outbox now, without the calls to wake up."""
    while not queue.empty():
        message = queue.get_nowait()
        if message is not None:
            yield message
