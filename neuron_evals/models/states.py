"""How a run moves between its states: each move is one statement with a condition.

    queued -> running                       by `leases.claim`
    queued -> cancelled                     by `request_cancel`, `request_own_cancel`
    running -> passed, failed, error        by `finish`
    running -> cancelled                    by `finish`, when somebody asked to cancel
    running -> error, cancelled             by `sweep`, when its executors are gone
    error, cancelled -> queued              by `resume`; the attempt counts 1 more

A function returns whether it moved the run. What it was given is read again from the database then. Where the database
lets it give way to others, in a deadlock for instance, it is repeated; inside an atomic block of the caller it is not.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import Case, F, Value, When
from django.db.models.functions import Coalesce

from neuron_evals.core.jsonable import clean_text
from neuron_evals.models.clock import database_now
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.counts import counted
from neuron_evals.models.items import EvalRunItem, ItemStatus
from neuron_evals.models.leases import EXECUTOR
from neuron_evals.models.run_status import ACTIVE, ENDED, RunStatus
from neuron_evals.models.runs import STATE, EvalRun
from neuron_evals.models.shards import OPEN, EvalRunShard, ShardStatus

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

LOST = "The process that executed the run is gone: no lease was renewed. Resume the run to go on."
"""The error of a swept run."""

_RESUMABLE = (RunStatus.ERROR, RunStatus.CANCELLED)


def request_cancel(run: EvalRun) -> bool:
    """Ask to cancel a run. A queued one is cancelled at once; of a running one the executors stop soon.

    Args:
        run: The run.

    Returns:
        Whether it is or will be cancelled; `False` when it was over already.
    """
    return _moved(
        run, despite_contention(run.database, partial(_ask_to_cancel, _stored(run), database_now(run.database)))
    )


def request_own_cancel(run: EvalRun, executor: str) -> bool:
    """Ask to cancel a run, as `request_cancel` does, unless another executor has a part of it or it was resumed.

    Args:
        run: The run; its `attempt` is the one that is meant.
        executor: Who has it if the caller has it, as given to `leases.claim`.

    Returns:
        Whether it is or will be cancelled; `False` when it was over already, or is another's.
    """
    return _moved(
        run, despite_contention(run.database, partial(_ask_unless_taken, run, clean_text(executor, EXECUTOR)))
    )


def _ask_unless_taken(run: EvalRun, executor: str) -> int:
    with transaction.atomic(run.database):
        # Locks what could be claimed meanwhile.
        _shards(run).update(number=F("number"))
        now = database_now(run.database)
        if _shards(run).filter(status=ShardStatus.RUNNING).leased(now).exclude(executor=executor).exists():
            return 0
        return _ask_to_cancel(_stored(run).filter(attempt=run.attempt), now)


def _ask_to_cancel(runs: QuerySet[EvalRun], now: datetime) -> int:
    # MariaDB sets one column after the other, and each sees those before: the status comes last.
    return runs.filter(status__in=ACTIVE).update(
        cancel_requested_at=Coalesce("cancel_requested_at", now),
        finished_at=Case(When(status=RunStatus.QUEUED, then=now), default=F("finished_at")),
        status=Case(When(status=RunStatus.QUEUED, then=Value(RunStatus.CANCELLED)), default=F("status")),
    )


def finish(run: EvalRun, status: RunStatus, error: str = "", **columns: Any) -> bool:
    """Close a running run, when no shard of it is open. Its counts are taken from the stored results.

    Call it after each `release` was committed, and after `claim` found nothing more. When somebody asked to cancel the
    run it becomes `cancelled`, whatever `status` says; shards that nobody has are no hindrance then.

    Args:
        run: The run.
        status: How it ended: `PASSED`, `FAILED`, `ERROR` or `CANCELLED`.
        error: Why it ended as `ERROR`; of a run that ends otherwise none is kept.
        **columns: Figures beside the counts: `score_statistics`, `metrics`.

    Returns:
        Whether this call closed it; `False` when a shard is open, or the run is not running.

    Raises:
        ValueError: `status` is none of the four.
    """
    if status not in ENDED:
        msg = f"finish: status is one of {', '.join(ENDED)}, got {status}"
        raise ValueError(msg)
    runs = _stored(run).filter(status=RunStatus.RUNNING)
    now = database_now(run.database)
    seen = runs.values("attempt", "cancel_requested_at").first()
    if seen is None:
        return False
    hindering = OPEN if seen["cancel_requested_at"] is None else (ShardStatus.RUNNING,)
    if _shards(run).filter(status__in=hindering).exists():
        return False
    # Within an attempt no shard that is closed opens again, so this still holds when the statement runs.
    move = partial(
        runs.filter(attempt=seen["attempt"]).update,
        status=Case(When(cancel_requested_at=None, then=Value(status)), default=Value(RunStatus.CANCELLED)),
        finished_at=now,
        error=Case(
            When(cancel_requested_at=None, then=_error(error if status == RunStatus.ERROR else "")), default=_error("")
        ),
        **counted(_items(run)),
        **columns,
    )
    return _moved(run, despite_contention(run.database, move))


def resume(run: EvalRun) -> bool:
    """Put a run that broke or was cancelled back into the queue. Its results stay; cancelled items are run again.

    Args:
        run: The run.

    Returns:
        Whether it is queued now; `False` when it is neither `error` nor `cancelled`.
    """
    runs = _stored(run).filter(status__in=_RESUMABLE)
    if not runs.exists():
        return False
    return _moved(run, despite_contention(run.database, partial(_queue_again, run, runs)))


def _queue_again(run: EvalRun, runs: QuerySet[EvalRun]) -> int:
    with transaction.atomic(run.database):
        _shards(run).update(
            status=ShardStatus.QUEUED, token="", lease_expires_at=None, heartbeat_at=None, attempt=F("attempt") + 1
        )
        _items(run).filter(status=ItemStatus.CANCELLED).delete()
        changed = runs.update(
            status=RunStatus.QUEUED,
            attempt=F("attempt") + 1,
            cancel_requested_at=None,
            queued_at=database_now(run.database),
            finished_at=None,
            error="",
            dispatch_error="",
            **counted(_items(run)),
        )
        if not changed:
            transaction.set_rollback(rollback=True, using=run.database)
    return changed


def sweep(now: datetime | None = None, using: str = DEFAULT_DB_ALIAS) -> list[EvalRun]:
    """Close the runs that say they are running while nobody has a lease on a shard of theirs.

    They become `error`, or `cancelled` when somebody had asked for that. A late executor finds its token gone.

    Args:
        now: Time by which leases expired; that of the database by default.
        using: Alias of the database.

    Returns:
        The runs that this call closed.
    """
    moment = database_now(using) if now is None else now
    lost = EvalRun.objects.using(using).lost(moment).order_by("pk")
    return [run for run in lost if _close_lost(run, moment)]


def _close_lost(run: EvalRun, now: datetime) -> bool:
    return _moved(run, despite_contention(run.database, partial(_give_up, run, now)))


def _give_up(run: EvalRun, now: datetime) -> int:
    changed = 0
    with transaction.atomic(run.database):
        # Locks what could still be claimed, and waits for whoever is storing.
        _shards(run).filter(status__in=OPEN).update(status=ShardStatus.ERROR, token="")
        if not _shards(run).leased(now).exists():
            changed = (
                _stored(run)
                .filter(status=RunStatus.RUNNING, attempt=run.attempt)
                .update(
                    error=Case(When(cancel_requested_at=None, then=_error(LOST)), default=_error("")),
                    status=Case(
                        When(cancel_requested_at=None, then=Value(RunStatus.ERROR)), default=Value(RunStatus.CANCELLED)
                    ),
                    finished_at=now,
                    **counted(_items(run)),
                )
            )
        if not changed:
            transaction.set_rollback(rollback=True, using=run.database)
    return changed


def _error(text: str) -> Value:
    """Return a text for the column, which cleans and cuts it as it does outside of conditions."""
    return Value(text, output_field=EvalRun._meta.get_field("error"))  # noqa: SLF001  (Django's documented name)


def _moved(run: EvalRun, changed: int) -> bool:
    if changed:
        with suppress(EvalRun.DoesNotExist):  # somebody deleted it at once
            run.refresh_from_db(fields=[*STATE, "error", "dispatch_error"])
    return bool(changed)


def _stored(run: EvalRun) -> QuerySet[EvalRun]:
    return EvalRun.objects.using(run.database).filter(pk=run.pk)


def _shards(run: EvalRun) -> Any:
    return EvalRunShard.objects.using(run.database).filter(run=run.pk)


def _items(run: EvalRun) -> Any:
    return EvalRunItem.objects.using(run.database).filter(run=run.pk)
