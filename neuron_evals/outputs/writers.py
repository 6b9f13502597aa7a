"""Who writes to the database: a thread of its own, or the caller."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from neuron_evals.connections import close_connections

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult
    from neuron_evals.outputs.storing import Store

T = TypeVar("T")

CAPACITY: Final = 500
"""How many results wait at most while a commit runs; then whoever has more waits too."""


class Writer(ABC):
    """Takes results and jobs, and does them in the order in which they came.

    Attributes:
        failure: Why nothing is stored any more; `None` while all is well.
    """

    failure: Exception | None = None

    @abstractmethod
    def put(self, store: Store, result: ItemResult) -> None:
        """Have a result stored.

        Raises:
            Exception: Why storing a result before this one failed; from then on nothing is stored.
        """

    @abstractmethod
    def run(self, job: Callable[[], T]) -> T:
        """Do something in the database after all that came before, and return what it returns."""

    @abstractmethod
    def flush(self) -> None:
        """Wait until all that came is stored.

        Raises:
            Exception: Why it could not be stored.
        """

    @abstractmethod
    def close(self) -> None:
        """Store what is waiting, and end."""

    def _refuse_after_failure(self) -> None:
        if self.failure is not None:
            raise self.failure


class CallingWriter(Writer):
    """Writes in the calling thread: where the caller is inside a transaction, or the database in memory is its own."""

    def put(self, store: Store, result: ItemResult) -> None:
        """Store a result.

        Raises:
            Exception: Why it, or one before it, could not be stored.
        """
        self._refuse_after_failure()
        try:
            store.store([result])
        except Exception as exc:
            self.failure = exc
            raise

    def run(self, job: Callable[[], T]) -> T:
        """Do something at once."""
        return job()

    def flush(self) -> None:
        """Do nothing: what came is stored, or could not be.

        Raises:
            Exception: Why it could not.
        """
        self._refuse_after_failure()

    def close(self) -> None:
        """Do nothing: what came is stored."""


class _Job:
    """Something to do in the thread, and what came of it."""

    def __init__(self, job: Callable[[], Any]) -> None:
        self._job = job
        self.done = threading.Event()
        self.returned: Any = None
        self.error: BaseException | None = None

    def do(self) -> None:
        try:
            self.returned = self._job()
        except BaseException as exc:
            self.error = exc
        self.done.set()

    def result(self) -> Any:
        """Wait for the end of it; return what it returned, or raise what it raised."""
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.returned


class ThreadWriter(Writer):
    """Writes in a thread with a connection of its own. What comes while it commits goes together into the next commit.

    Args:
        capacity: How many results wait at most; from 1.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._waiting: deque[tuple[Store, ItemResult]] = deque()
        self._jobs: deque[_Job] = deque()
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="neuron_evals database", daemon=True)
        self._thread.start()

    def put(self, store: Store, result: ItemResult) -> None:
        """Have a result stored, after waiting for a place.

        Raises:
            Exception: Why storing a result before this one failed.
        """
        with self._changed:
            while len(self._waiting) >= self._capacity and self.failure is None:
                self._changed.wait()
            self._refuse_after_failure()
            self._waiting.append((store, result))
            if len(self._waiting) == 1:
                self._changed.notify_all()

    def run(self, job: Callable[[], T]) -> T:
        """Do something in the thread when all that waits is stored, and return what it returns."""
        asked = _Job(job)
        with self._changed:
            self._jobs.append(asked)
            self._changed.notify_all()
        returned: T = asked.result()
        return returned

    def flush(self) -> None:
        """Wait until all that came is stored.

        Raises:
            Exception: Why it could not be stored.
        """
        self.run(lambda: None)
        with self._changed:
            self._refuse_after_failure()

    def close(self) -> None:
        """Store what is waiting, and end the thread with its connection."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        try:
            while True:
                batch, jobs = self._take()
                self._store(batch)
                for job in jobs:
                    job.do()
                if not (batch or jobs):
                    return
        finally:
            close_connections()

    def _take(self) -> tuple[list[tuple[Store, ItemResult]], list[_Job]]:
        """Wait for something to do, and return it; nothing when the end has come."""
        with self._changed:
            while not (self._waiting or self._jobs or self._closed):
                self._changed.wait()
            taken = list(self._waiting), list(self._jobs)
            self._waiting.clear()
            self._jobs.clear()
            self._changed.notify_all()
        return taken

    def _store(self, batch: list[tuple[Store, ItemResult]]) -> None:
        try:
            for store, group in groupby(batch, key=itemgetter(0)):
                if self.failure is None:
                    store.store([result for _, result in group])
        except Exception as exc:
            with self._changed:
                self.failure = exc
                self._changed.notify_all()


def in_own_thread(job: Callable[[], T]) -> T:
    """Do something in a thread with connections of its own, which it closes, and return what it returns."""
    asked = _Job(job)

    def work() -> None:
        try:
            asked.do()
        finally:
            close_connections()

    thread = threading.Thread(target=work, name="neuron_evals database", daemon=True)
    thread.start()
    thread.join()
    returned: T = asked.result()
    return returned
