"""Who executes a shard: claiming it, keeping it, storing under it, giving it back.

An executor has a shard by a lease: a random token in the shard's row, and a time until which nobody else may claim it.
A token that is no longer in the row proves that somebody else took over, or that the run was given up; whoever holds
it must stop and may write nothing. Every statement locks the shard's row before the run's, so that two of them never
wait for each other. Where the database lets one give way to others all the same, it is repeated, unless the caller is
inside an atomic block; a `fenced` block is repeated by whoever runs it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models.functions import Coalesce

from neuron_evals.core.exceptions import StopRun
from neuron_evals.core.jsonable import clean_text
from neuron_evals.models.clock import database_now
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.run_status import ACTIVE, RunStatus
from neuron_evals.models.runs import EvalRun
from neuron_evals.models.shards import EvalRunShard, ShardStatus

LEASE = timedelta(seconds=60)
"""How long a lease lasts unless it is renewed."""

GIVEN_BACK = (ShardStatus.FINISHED, ShardStatus.ERROR, ShardStatus.CANCELLED)
"""The statuses with which a shard can be given back."""

EXECUTOR = 200
"""Greatest length of the name of an executor, in characters."""


class LeaseLost(StopRun):
    """Somebody else has the shard, or the run was given up: stop at once and write nothing.

    It is a `StopRun`: raised in an output driver it ends the run.
    """


@dataclass(frozen=True, slots=True)
class Lease:
    """An executor's right to a shard.

    Attributes:
        run_id: Number of the run.
        shard_id: Number of the shard's row.
        number: Which shard of the run it is, counted from 0.
        start: Position of its first item in the dataset, counted from 0.
        stop: Position behind its last item; `None` for the end of the dataset.
        token: What proves the right.
        expires_at: When others may claim the shard, by the clock of the database.
        using: Alias of the database.
    """

    run_id: int
    shard_id: int
    number: int
    start: int
    stop: int | None
    token: str
    expires_at: datetime
    using: str


class _Refused(Exception):  # noqa: N818  (undoes a transaction, and goes no further)
    """The run may not be executed."""


def claim(run: EvalRun, executor: str, duration: timedelta = LEASE) -> Lease | None:
    """Claim a shard of a run: one that nobody has, or whose lease has expired. The run is running from then on.

    Args:
        run: The run; it is read again from the database.
        executor: Who claims, for people: such as host and process.
        duration: How long the lease lasts, above 0.

    Returns:
        The lease; `None` when there is nothing to claim: the run is over or to be cancelled, or others have its shards.
    """
    using = run.database
    now = database_now(using)
    shards = EvalRunShard.objects.using(using).filter(run=run.pk)
    for shard in shards.free(now).order_by("number"):
        lease = Lease(
            run.pk, shard.pk, shard.number, shard.start, shard.stop, secrets.token_hex(16), now + duration, using
        )
        try:
            if despite_contention(using, partial(_taken, shards.free(now), lease, executor, now)):
                return lease
        except _Refused:
            return None
    return None


def renew(lease: Lease, duration: timedelta = LEASE) -> Lease:
    """Keep a shard for another while, and return the lease with its new end. An expired one that nobody took is kept.

    Args:
        lease: The lease.
        duration: How long it lasts from now on, above 0.

    Raises:
        LeaseLost: Somebody else has the shard, or the run was given up.
    """
    now = database_now(lease.using)
    renewed = replace(lease, expires_at=now + duration)
    despite_contention(lease.using, partial(_update_held, lease, lease_expires_at=renewed.expires_at, heartbeat_at=now))
    return renewed


@contextmanager
def fenced(lease: Lease) -> Iterator[None]:
    """Run a block in a transaction that only who has the shard can commit. Store results in it.

    The shard's row stays locked until the end of the block: keep it short, and call no model in it.

    Args:
        lease: The lease.

    Raises:
        LeaseLost: Somebody else has the shard, or the run was given up. The block is not entered.
    """
    with transaction.atomic(lease.using):
        _update_held(lease, status=ShardStatus.RUNNING)
        yield


def release(lease: Lease, status: ShardStatus = ShardStatus.FINISHED) -> None:
    """Give a shard back: its items are all there, or it broke, or it was cancelled.

    Commit it before `states.finish` is called: of two executors that end at once, the later must see that both have.

    Args:
        lease: The lease.
        status: `FINISHED`, `ERROR` or `CANCELLED`.

    Raises:
        LeaseLost: Somebody else has the shard, or the run was given up.
        ValueError: `status` is none of the three.
    """
    if status not in GIVEN_BACK:
        msg = f"release: status is one of {', '.join(GIVEN_BACK)}, got {status}"
        raise ValueError(msg)
    # The end of the lease stays: until then the run counts as alive, so that it can be finished (`keep_given_back`).
    despite_contention(lease.using, partial(_update_held, lease, status=status, token=""))


def keep_given_back(run: EvalRun, duration: timedelta = LEASE) -> None:
    """Have a run count as alive for another while though its shards were given back: its figures are being counted.

    Args:
        run: The run.
        duration: How long it counts as alive from now on, above 0.
    """
    shards = EvalRunShard.objects.using(run.database).filter(run=run.pk, status__in=GIVEN_BACK)
    end = database_now(run.database) + duration
    despite_contention(run.database, partial(shards.update, lease_expires_at=end))


def cancel_requested(lease: Lease) -> bool:
    """Return whether somebody asked to cancel the run; executors look every second or two.

    Raises:
        LeaseLost: The run is gone.
    """
    found = EvalRun.objects.using(lease.using).filter(pk=lease.run_id).values_list("cancel_requested_at").first()
    if found is None:
        raise LeaseLost(_lost(lease))
    return found[0] is not None


def _taken(free: Any, lease: Lease, executor: str, now: datetime) -> bool:
    """Take a shard and have its run running, or do neither."""
    with transaction.atomic(lease.using):
        if not _take(free, lease, executor, now):
            return False
        _start(lease, now)
    return True


def _take(free: Any, lease: Lease, executor: str, now: datetime) -> bool:
    changed = free.filter(pk=lease.shard_id).update(
        status=ShardStatus.RUNNING,
        executor=clean_text(executor, EXECUTOR),
        token=lease.token,
        lease_expires_at=lease.expires_at,
        heartbeat_at=now,
    )
    return bool(changed)


def _start(lease: Lease, now: datetime) -> None:
    """Have the run running, or undo the claim."""
    runs = EvalRun.objects.using(lease.using).filter(pk=lease.run_id, status__in=ACTIVE, cancel_requested_at=None)
    if not runs.update(started_at=Coalesce("started_at", now), status=RunStatus.RUNNING):
        raise _Refused


def _update_held(lease: Lease, **columns: Any) -> None:
    held = EvalRunShard.objects.using(lease.using).filter(
        pk=lease.shard_id, token=lease.token, status=ShardStatus.RUNNING
    )
    if not held.update(**columns):
        raise LeaseLost(_lost(lease))


def _lost(lease: Lease) -> str:
    return f"run {lease.run_id}: another executor has shard {lease.number}, or the run was given up"
