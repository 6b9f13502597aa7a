"""Keeping leases, and looking whether somebody wants a run cancelled, while its items run."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from django.db import Error

from neuron_evals.connections import close_connections, others_see
from neuron_evals.models import EvalRunShard
from neuron_evals.models.leases import LEASE, LeaseLost, keep_given_back, renew

if TYPE_CHECKING:
    from datetime import datetime

    from neuron_evals.models import EvalRun
    from neuron_evals.models.leases import Lease

INTERVAL: Final = 1.0
"""Seconds between two looks."""

RENEWAL: Final = LEASE.total_seconds() / 3
"""Seconds between two renewals."""

_log = logging.getLogger(__name__)


class Pulse:
    """A thread that does something in the database again and again, with a connection of its own. It starts at once.

    Args:
        beat: What it does. When the database is away it is left for the next time: a lease outlives a short outage.
        interval: Seconds between two times, above 0.
    """

    def __init__(self, beat: Callable[[], object], interval: float) -> None:
        self._beat = beat
        self._interval = interval
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="neuron_evals heartbeat", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()

    def _work(self) -> None:
        try:
            while not self._ended.wait(self._interval):
                self._try()
        finally:
            close_connections()

    def _try(self) -> None:
        try:
            self._beat()
        except Error as exc:
            _log.debug("no heartbeat: %s", type(exc).__name__)
            close_connections()


class Heartbeat:
    """Renews leases, and tells when an executor must stop.

    Args:
        stop: Is told why, when somebody asked to cancel a run or when a lease is lost. It may be called from another
            thread, and more than once.
        renewal: Seconds between two renewals; a third of a lease by default.
    """

    def __init__(self, stop: Callable[[str], None], renewal: float = RENEWAL) -> None:
        self._stop = stop
        self._renewal = renewal
        self._renewed: dict[Lease, float] = {}
        self._lock = threading.Lock()
        self._pulse: Pulse | None = None
        self._looked = time.monotonic()

    def add(self, lease: Lease) -> None:
        """Keep a lease from now on; it is fresh."""
        with self._lock:
            self._renewed[lease] = time.monotonic()

    def remove(self, lease: Lease) -> None:
        """Keep a lease no longer; a renewal that is on its way has ended when this returns."""
        with self._lock:
            self._renewed.pop(lease, None)

    def start(self) -> None:
        """Look and renew in a thread with a connection of its own."""
        self._pulse = Pulse(self.beat, INTERVAL)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Have no thread while the block runs; it must be short against a lease."""
        started = self._pulse is not None
        self.close()
        try:
            yield
        finally:
            if started:
                self.start()

    def close(self) -> None:
        """End the thread."""
        if self._pulse is not None:
            self._pulse.end()
            self._pulse = None

    def beat_when_due(self) -> None:
        """Look and renew in this thread, unless that was a moment ago."""
        if time.monotonic() - self._looked >= INTERVAL:
            self.beat()

    def beat(self) -> None:
        """Look and renew now."""
        self._looked = time.monotonic()
        with self._lock:
            leases = list(self._renewed)
            seen = _seen(leases)
            for lease in leases:
                try:
                    self._keep(lease, *seen.get(lease.shard_id, ("", None)))
                except LeaseLost as exc:
                    del self._renewed[lease]
                    self._stop(str(exc))

    def _keep(self, lease: Lease, token: str, cancel_requested_at: datetime | None) -> None:
        if token != lease.token or time.monotonic() - self._renewed[lease] >= self._renewal:
            renew(lease)  # which raises when the lease is lost, as another token says
            self._renewed[lease] = time.monotonic()
        if cancel_requested_at is not None:
            self._stop(f"run {lease.run_id} was cancelled")


@contextmanager
def kept_alive(run: EvalRun) -> Iterator[None]:
    """Have a run of which every shard was given back count as alive while the block counts, however long that takes."""
    if not others_see(run.database):
        yield
        return
    pulse = Pulse(partial(keep_given_back, run), RENEWAL)
    try:
        yield
    finally:
        pulse.end()


def _seen(leases: Sequence[Lease]) -> dict[int, tuple[str, datetime | None]]:
    """Return of each shard the token in its row, and when somebody asked to cancel the run; by one query."""
    if not leases:
        return {}
    # A command's runs are all in one database.
    shards = EvalRunShard.objects.using(leases[0].using).filter(pk__in=[lease.shard_id for lease in leases])
    rows = shards.values_list("pk", "token", "run__cancel_requested_at")
    return {number: (token, asked) for number, token, asked in rows}
