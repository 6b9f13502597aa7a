"""Running tasks: in the calling thread, or in worker threads. Results come out in the order of the tasks."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from neuron_evals.core.execution import Task, cancelled
from neuron_evals.core.results import ItemResult

if TYPE_CHECKING:
    from neuron_evals.core.cancellation import StopToken

T = TypeVar("T")

Work = Callable[[Task], ItemResult]
Finished = Callable[[ItemResult], None]

WINDOW = 1024
"""How far results may run ahead of the first one that is missing: bounds what waits for its turn."""

PARTING_SECONDS = 5.0
"""How long to wait for idle worker threads to close what they opened."""


def run_inline(
    tasks: Iterator[Task], work: Work, stop: StopToken, finished: Finished
) -> Generator[ItemResult, None, None]:
    """Run tasks one after the other in the calling thread, until there are none or `stop` is set.

    A `KeyboardInterrupt` makes the item that it hit `cancelled` and sets `stop`.
    """
    while not stop.is_set() and (task := next(tasks, None)) is not None:
        try:
            with stop.interruptible():
                result = work(task)
        except KeyboardInterrupt:
            stop.set("interrupted", abandon=True)
            result = cancelled(task)
        finished(result)
        yield result


def run_threads(  # noqa: PLR0913, PLR0917  (what run_inline takes, and the crew)
    tasks: Iterator[Task], work: Work, count: int, stop: StopToken, finished: Finished, parting: Callable[[], None]
) -> Generator[ItemResult, None, None]:
    """Run tasks in at most `count` worker threads, until there are none or `stop` is set.

    The threads are daemons of our own: an item that hangs must not hold the process at its exit. The calling thread
    alone takes tasks, hands out results and calls `finished`.

    Args:
        tasks: The tasks; read at most a few ahead.
        work: What to do with each; it does not raise.
        count: Number of threads, from 1.
        stop: Set it to stop: items in flight are waited for, or become `cancelled` when it says to abandon them.
        finished: Called with each result as soon as it is there.
        parting: Called in each thread before it ends.
    """
    crew = _Crew(work, count, parting)
    try:
        yield from crew.run(tasks, stop, finished)
    finally:
        crew.dismiss(wait=not stop.abandon)


@dataclass(slots=True)
class _Crew:
    """Worker threads with one inbox and one outbox."""

    work: Work
    count: int
    parting: Callable[[], None]
    inbox: SimpleQueue[tuple[int, Task] | None] = field(default_factory=SimpleQueue)
    outbox: SimpleQueue[tuple[int, ItemResult] | None] = field(default_factory=SimpleQueue)
    threads: list[threading.Thread] = field(default_factory=list)
    in_flight: dict[int, Task] = field(default_factory=dict)
    waiting: dict[int, ItemResult] = field(default_factory=dict)
    given: int = 0
    yielded: int = 0

    def run(self, tasks: Iterator[Task], stop: StopToken, finished: Finished) -> Generator[ItemResult, None, None]:
        stop.on_set(lambda: self.outbox.put(None))
        broken: Exception | None = None
        more = True
        try:
            while True:
                if more and not stop.is_set():
                    try:
                        more = self._feed(tasks)
                    except Exception as exc:
                        broken, more = exc, False
                if not self.in_flight:
                    break
                self._take_one(stop, finished)
                yield from self._in_order()
        finally:
            stop.on_set(None)
        if broken is not None:
            raise broken

    def _feed(self, tasks: Iterator[Task]) -> bool:
        """Hand out tasks; return whether there may be more.

        Twice as many as there are threads are in flight, so that no thread waits for its next task.
        """
        while len(self.in_flight) < 2 * self.count and self.given - self.yielded < WINDOW:
            task = next(tasks, None)
            if task is None:
                return False
            if len(self.threads) < min(self.count, len(self.in_flight) + 1):
                self._hire()
            self.in_flight[self.given] = task
            self.inbox.put((self.given, task))
            self.given += 1
        return True

    def _hire(self) -> None:
        # In a copy of the caller's context, as code called inline would be.
        context = contextvars.copy_context()
        name = f"neuron-evals-{len(self.threads) + 1}"
        thread = threading.Thread(target=context.run, args=(self._toil,), name=name, daemon=True)
        thread.start()
        self.threads.append(thread)

    def _toil(self) -> None:
        try:
            while (job := self.inbox.get()) is not None:
                number, task = job
                self.outbox.put((number, self.work(task)))
        finally:
            self.parting()

    def _take_one(self, stop: StopToken, finished: Finished) -> None:
        if stop.is_set():
            self._recall(finished)
            if stop.abandon:
                self._abandon(finished)
        if self.in_flight and (message := self.outbox.get()) is not None:
            self._take(*message, finished)

    def _take(self, number: int, result: ItemResult, finished: Finished) -> None:
        if self.in_flight.pop(number, None) is not None:
            self.waiting[number] = result
            finished(result)

    def _recall(self, finished: Finished) -> None:
        """Cancel what no thread has begun."""
        for number, task in _drain(self.inbox):
            self._take(number, cancelled(task), finished)

    def _abandon(self, finished: Finished) -> None:
        """Take what is there already, then cancel what is in flight."""
        for number, result in _drain(self.outbox):
            self._take(number, result, finished)
        for number, task in list(self.in_flight.items()):
            self._take(number, cancelled(task), finished)

    def _in_order(self) -> Iterator[ItemResult]:
        while self.yielded in self.waiting:
            result = self.waiting.pop(self.yielded)
            self.yielded += 1
            yield result

    def dismiss(self, *, wait: bool) -> None:
        # Nobody waits any more for what is still in the inbox.
        list(_drain(self.inbox))
        for _ in self.threads:
            self.inbox.put(None)
        if wait and not self.in_flight:
            for thread in self.threads:
                thread.join(PARTING_SECONDS)


def _drain(queue: SimpleQueue[tuple[int, T] | None]) -> Iterator[tuple[int, T]]:
    """Yield what is in the queue now."""
    while True:
        try:
            message = queue.get_nowait()
        except Empty:
            return
        if message is not None:
            yield message
