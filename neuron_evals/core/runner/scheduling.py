"""Feeding tasks to a pool, trying again, and handing results on as they come and in dataset order."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from neuron_evals.core.execution import Executed, Surroundings, Task, cancelled
from neuron_evals.core.results import Attempt, ItemResult, Status

if TYPE_CHECKING:
    from neuron_evals.core.caches import RunOutputs
    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.runner.pools.contract import Pool

WINDOW = 1024
"""How far results may run ahead of the first one that is missing: bounds what waits for its turn."""

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 10.0
"""Seconds before an item is tried again: the first pause doubles with each try, up to the longest."""


@dataclass(slots=True)
class _Flight:
    """A task on its way, with the tries it has behind it."""

    number: int
    task: Task
    tries: list[ItemResult] = field(default_factory=list)

    def again(self, executed: Executed) -> bool:
        """Return whether to try again after this."""
        if len(self.tries) > self.task.retries:
            return False
        if executed.result.status is Status.ERROR:
            return executed.transient
        return executed.result.status is Status.FAILED and self.task.evaluator.retry_failed

    def result(self) -> ItemResult:
        """Return the try that counts, with the others beside it: the first wrong answer, else the last try."""
        counts = next((result for result in self.tries if result.status is Status.FAILED), self.tries[-1])
        if len(self.tries) == 1:
            return counts
        # A try that found what an earlier one of this run had paid for saved the run nothing.
        cached_run = counts.cached_run and self.tries[0].cached_run
        others = tuple(
            Attempt(tried.status, tried.score, tried.error, tried.execution_time, tried.output)
            for tried in self.tries
            if tried is not counts
        )
        return replace(counts, attempts=len(self.tries), other_attempts=others, cached_run=cached_run)


class Scheduler:
    """Runs tasks in a pool, in the calling thread, which alone takes tasks and hands out results.

    Args:
        pool: Where tasks are executed.
        stop: Set it to stop: items in flight are waited for, or become `cancelled` when it says to abandon them.
        finished: Called with each result as soon as it is there.
        outputs: Where outputs of `run` are cached; `None` for nowhere.
    """

    def __init__(
        self,
        pool: Pool,
        stop: StopToken,
        finished: Callable[[ItemResult], None],
        outputs: RunOutputs | None = None,
    ) -> None:
        self._outputs = outputs
        self._pool = pool
        self._stop = stop
        self._finished = finished
        self._flights: dict[int, _Flight] = {}
        self._paused: list[tuple[float, int, _Flight]] = []
        self._waiting: dict[int, ItemResult] = {}
        self._tickets = 0
        self._given = 0
        self._yielded = 0
        self._recalled = False

    def run(self, tasks: Iterator[Task]) -> Generator[ItemResult, None, None]:
        """Yield the results in the order of the tasks, until there are no more tasks or `stop` is set.

        Raises:
            Exception: What `tasks` raised, once the results of the tasks before are in.
        """
        self._pool.open(Surroundings(stop=self._stop, outputs=self._outputs))
        self._stop.on_set(self._pool.wake)
        try:
            yield from self._run(tasks)
        finally:
            self._stop.on_set(None)
            self._pool.close(abandon=self._stop.abandon or bool(self._flights))

    def given_up(self) -> Iterator[ItemResult]:
        """Yield the results that are left of the tasks that were taken, where `run` is at work in an item for ever."""
        while self._paused:
            self._land(heapq.heappop(self._paused)[2])
        for flight in list(self._flights.values()):
            self._land(flight)
        self._flights.clear()
        yield from self._in_order()

    def _run(self, tasks: Iterator[Task]) -> Generator[ItemResult, None, None]:
        broken: Exception | SystemExit | None = None
        more = True
        while True:
            if more and not self._stop.is_set():
                try:
                    more = self._feed(tasks)
                except (Exception, SystemExit) as exc:  # raised below, once the items in flight are in
                    broken, more = exc, False
            if not self._flights and not self._paused:
                break
            self._take_some()
            yield from self._in_order()
        if broken is not None:
            raise broken

    def _feed(self, tasks: Iterator[Task]) -> bool:
        """Hand out tasks; return whether there may be more."""
        while len(self._flights) < self._pool.ahead and self._given - self._yielded < WINDOW:
            task = next(tasks, None)
            if task is None:
                return False
            self._start(_Flight(self._given, task))
            self._given += 1
        return True

    def _start(self, flight: _Flight) -> None:
        self._tickets += 1
        self._pool.start(self._tickets, flight.task)
        self._flights[self._tickets] = flight

    def _take_some(self) -> None:
        if self._stop.is_set():
            self._wind_down()
            if not self._flights:
                return
        for ticket, executed in self._pool.wait(self._until_next_try()):
            self._take(ticket, executed)
        if self._pool.exhausted is not None:
            self._stop.set(self._pool.exhausted)
        if not self._stop.is_set():
            while self._paused and self._paused[0][0] <= time.monotonic():
                self._start(heapq.heappop(self._paused)[2])

    def _take(self, ticket: int, executed: Executed | None) -> None:
        flight = self._flights.pop(ticket, None)
        if flight is None:  # a late result of a try that was given up
            return
        if executed is not None:
            flight.tries.append(executed.result)
            if not self._stop.is_set() and flight.again(executed):
                if executed.result.status is Status.FAILED:
                    # Asking again means another answer; the one that counts, and stays in the cache, is the first.
                    flight.task = replace(flight.task, key=None)
                pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (len(flight.tries) - 1))
                heapq.heappush(self._paused, (time.monotonic() + pause, ticket, flight))
                return
        self._land(flight)

    def _land(self, flight: _Flight) -> None:
        result = flight.result() if flight.tries else cancelled(flight.task)
        self._waiting[flight.number] = result
        self._finished(result)

    def _wind_down(self) -> None:
        """Give up what nobody has begun; when the run is abandoned, also what is in flight."""
        while self._paused:
            self._land(heapq.heappop(self._paused)[2])
        if not self._recalled:
            self._recalled = True
            self._pool.recall()
        if self._stop.abandon:
            for ticket, executed in self._pool.rest() if self._flights else ():
                self._take(ticket, executed)
            for flight in list(self._flights.values()):
                self._land(flight)
            self._flights.clear()

    def _until_next_try(self) -> float | None:
        return max(0.0, self._paused[0][0] - time.monotonic()) if self._paused else None

    def _in_order(self) -> Iterator[ItemResult]:
        while self._yielded in self._waiting:
            result = self._waiting.pop(self._yielded)
            self._yielded += 1
            yield result
