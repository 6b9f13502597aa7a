"""Keeping a lease while nothing is stored yet: an evaluator may take minutes to be set up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import connections

from neuron_evals.models.leases import renew
from neuron_evals.outputs.heartbeat import Heartbeat
from neuron_evals.outputs.patience import patiently

if TYPE_CHECKING:
    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.models.leases import Lease

PREPARATION = timedelta(minutes=10)
"""How long a lease lasts that no thread renews while an evaluator is set up."""


@contextmanager
def kept(lease: Lease, stop: StopToken, *, alone: bool = False) -> Iterator[None]:
    """Renew a lease from a thread while the block runs, and stop when the run is cancelled or the lease lost.

    Where another thread would not see the caller's rows, inside a transaction or in a database in memory, nothing is
    renewed.

    Args:
        lease: The lease.
        stop: Is set then.
        alone: Whether the block forks, and no thread may be beside it: the lease lasts long enough instead, and a
            cancel is seen after the block.

    Raises:
        LeaseLost: Somebody else has the shard, or the run was given up; only with `alone`.
    """
    if alone:
        patiently(lease.using, partial(renew, lease, PREPARATION))
        yield
        patiently(lease.using, partial(renew, lease))
        return
    connection: Any = connections[lease.using]
    if connection.in_atomic_block or (connection.vendor == "sqlite" and connection.is_in_memory_db()):
        yield
        return
    heartbeat = Heartbeat(lambda reason: stop.set(reason, abandon=True))
    heartbeat.add(lease)
    heartbeat.start()
    try:
        yield
    finally:
        heartbeat.close()
