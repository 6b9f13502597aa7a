"""Keeping a lease while nothing is stored yet: an evaluator may take minutes to be set up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from neuron_evals.connections import others_see
from neuron_evals.outputs.heartbeat import Heartbeat

if TYPE_CHECKING:
    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.runner.crew import AroundFork
    from neuron_evals.models.leases import Lease


@contextmanager
def kept(lease: Lease, stop: StopToken) -> Iterator[AroundFork]:
    """Renew a lease from a thread while the block runs, and stop when the run is cancelled or the lease lost.

    Where another thread would not see the caller's rows, inside a transaction or in a database in memory, nothing is
    renewed.

    Args:
        lease: The lease.
        stop: Is set then.

    Returns:
        What gives a context manager in which there is no such thread, to be put around a fork.
    """
    if not others_see(lease.using):
        yield nullcontext
        return
    heartbeat = Heartbeat(lambda reason: stop.set(reason, abandon=True))
    heartbeat.add(lease)
    heartbeat.start()
    try:
        yield heartbeat.paused
    finally:
        heartbeat.close()
