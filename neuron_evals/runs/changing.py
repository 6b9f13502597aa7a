"""What people do to runs: cancel, resume, repeat, close the lost ones, delete the old ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import router, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from neuron_evals.models import EvalRun, EvalRunShard, EvalSuite, RunStatus, Trigger, states
from neuron_evals.models.clock import database_now
from neuron_evals.models.shards import OPEN
from neuron_evals.outputs import close_run
from neuron_evals.outputs.driver import executor as this_process
from neuron_evals.runs.creating import create_run
from neuron_evals.runs.executing import run_gate
from neuron_evals.runs.options import PARTS, RunOptions
from neuron_evals.runs.problems import RunError
from neuron_evals.runs.subjects import suite_as_it_was
from neuron_evals.signals import run_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from neuron_evals.core.evaluators import BaseEvaluator

_PAGE = 1_000
_WHAT_INSTEAD = {
    RunStatus.QUEUED: "it waits to be executed",
    RunStatus.RUNNING: "when its process was killed, execute or sweep it once its claim has run out, after a minute",
}


def cancel_run(run: EvalRun) -> bool:
    """Ask to cancel a run: a queued one is cancelled at once, a running one as soon as its executors see it.

    The signal `run_cancelled` is sent after the commit.

    Args:
        run: The run; it is read again from the database.

    Returns:
        Whether it is or will be cancelled; `False` when it was over already.
    """
    return _told(run, asked=states.request_cancel(run))


def cancel_own_run(run: EvalRun) -> bool:
    """Ask to cancel a run that this process was to execute, as `cancel_run` does, unless another executor has it.

    Args:
        run: The run as it was made or read by this process; when it was resumed since, it is another's.

    Returns:
        Whether it is or will be cancelled; `False` when it was over already, or is another's.
    """
    return _told(run, asked=states.request_own_cancel(run, this_process()))


def _told(run: EvalRun, *, asked: bool) -> bool:
    if asked:
        send = partial(run_cancelled.send_robust, EvalRun, run=run)
        transaction.on_commit(lambda: send() and None, using=run.database)
    return asked


def resume_run(run: EvalRun) -> EvalRun:
    """Put a run that broke or was cancelled back into the queue; its results stay. Launch or execute it then.

    Args:
        run: The run; it is read again from the database.

    Returns:
        The run.

    Raises:
        RunError: It is neither `error` nor `cancelled`, or what it evaluates has changed.
    """
    if run.suite_id is not None:
        suite_as_it_was(run)
    if not states.resume(run):
        run.refresh_from_db(fields=["status"])
        instead = _WHAT_INSTEAD.get(RunStatus(run.status))
        why = f"it is not over; {instead}" if instead else f"it is {run.status}; use rerun to run it again"
        raise RunError([f"run {run.pk} cannot be resumed: {why}"])
    return run


def rerun(  # noqa: PLR0913  (who asks, and for what)
    run: EvalRun,
    only: str | None = None,
    *,
    evaluator: BaseEvaluator | None = None,
    trigger: str = Trigger.COMMAND,
    user: Any = None,
    idempotency_key: str = "",
) -> EvalRun:
    """Make a queued run that repeats a run, or a part of it, with the suite, agent and judge as they are now.

    Args:
        run: The run to repeat, which is over; the new run has it as its parent.
        only: `failed` for the items of which an execution failed, `error` for those of which one broke; all of them by
            default. An item is repeated as often as before.
        evaluator: The evaluator, for a run of one from code.
        trigger: What asked for it.
        user: Who asked for it.
        idempotency_key: As for `create_run`.

    Returns:
        The new run.

    Raises:
        RunError: There is nothing to repeat, the run is not over, or it cannot be run any more.
    """
    if only is not None and only not in PARTS:
        raise RunError([f"only is one of {', '.join(PARTS)}, got {only!r}"])
    if not run.is_over:
        raise RunError([f"run {run.pk} is {run.status}; wait for its end, or cancel it"])
    if only is not None and not run.items.using(run.database).filter(status=only).exists():
        raise RunError([f"run {run.pk} has no item that {'failed' if only == 'failed' else 'broke'}"])
    if run.suite_id is None and evaluator is None:
        raise RunError([f'run {run.pk} is of the evaluator "{run.source}" from code; name its folder'])
    said = RunOptions.of(run.options).told() | ({} if only is None else {"only": only})
    return create_run(
        None if run.suite_id is None else run.suite,
        evaluator=evaluator,
        options=said,
        trigger=trigger,
        user=user,
        idempotency_key=idempotency_key,
        parent=run,
        using=run.database,
        **_other_agents(run),
    )


def sweep_runs(now: datetime | None = None, using: str | None = None) -> list[EvalRun]:
    """Close the runs that say they are running while no executor is left that keeps a lease on a part of them.

    A run of which every part was given back is closed with its result: it was killed before it could be. Others become
    `error`, or `cancelled` when somebody asked for that, and can be resumed.

    Args:
        now: The time by which leases expired; that of the database by default.
        using: Alias of the database; by default the one that routers name.

    Returns:
        The runs that this call closed.
    """
    using = using or router.db_for_write(EvalRun)
    moment = now or database_now(using)
    open_shards = EvalRunShard.objects.using(using).filter(run=OuterRef("pk"), status__in=OPEN)
    ended = EvalRun.objects.using(using).lost(moment).exclude(Exists(open_shards)).order_by("pk")
    closed = [run for run in ended if close_run(run, run_gate(run))]
    return closed + states.sweep(moment, using)


def waiting_runs(older_than: timedelta, using: str | None = None) -> list[EvalRun]:
    """Return the runs that are queued for so long and that nobody has begun, the oldest first.

    A run that was never handed to a launcher is among them, with an empty `launcher`: its command was killed before it
    began, or nobody has launched it.

    Args:
        older_than: For how long they are queued at least, by the clock of the database.
        using: Alias of the database; by default the one that routers name.
    """
    using = using or router.db_for_write(EvalRun)
    return list(EvalRun.objects.using(using).waiting(_ago(older_than, database_now(using))))


def prune_runs(
    older_than: timedelta | None = None, *, keep: int | None = None, dry: bool = False, using: str | None = None
) -> list[int]:
    """Delete runs that are over, with their items and reviews. Baselines of suites stay.

    Args:
        older_than: Delete those that ended longer ago.
        keep: Of each suite and of each evaluator, leave so many of the newest runs that are over, whatever their age.
        dry: Delete nothing.
        using: Alias of the database; by default the one that routers name.

    Returns:
        The numbers of the runs that were, or would be, deleted.

    Raises:
        RunError: Neither of the two says what is old, or `older_than` or `keep` is out of range.
    """
    if older_than is None and keep is None:
        raise RunError(["say which runs are old: by their age, or by how many are kept"])
    if keep is not None and keep < 0:
        raise RunError([f"keep is a whole number from 0 up, got {keep}"])
    runs = EvalRun.objects.using(using or router.db_for_write(EvalRun))
    baselines = EvalSuite.objects.using(runs.db).filter(baseline=OuterRef("pk"))
    over = runs.finished().exclude(Exists(baselines))
    before = None if older_than is None else _ago(older_than, timezone.now())
    rows = runs.finished().newest_first().values_list("pk", "suite", "source", "finished_at")
    old = _old(rows.iterator(chunk_size=_PAGE), before, keep)
    deleted = []
    for start in range(0, len(old), _PAGE):
        found = over.filter(pk__in=old[start : start + _PAGE]).order_by("pk").values_list("pk", flat=True)
        for number in list(found):
            # Each in a transaction of its own: its items may be many. One that became active meanwhile stays.
            if dry or over.filter(pk=number).delete()[0]:
                deleted.append(number)  # noqa: PERF401  (the condition deletes)
    return deleted


def _ago(length: timedelta, now: datetime) -> datetime:
    try:
        return now - length
    except OverflowError:
        raise RunError([f"{length.days} days are too long ago"]) from None


def _old(
    rows: Iterable[tuple[int, int | None, str, datetime | None]], before: datetime | None, keep: int | None
) -> list[int]:
    seen: dict[object, int] = {}
    old = []
    for number, suite, source, finished_at in rows:
        subject = source if suite is None else suite
        seen[subject] = seen.get(subject, 0) + 1
        ended_before = before is None or (finished_at is not None and finished_at < before)
        if ended_before and (keep is None or seen[subject] > keep):
            old.append(number)
    return old


def _other_agents(run: EvalRun) -> dict[str, Any]:
    """Return the agent and the judge of a run where they are not those of its suite."""
    suite = run.suite
    if suite is None:
        return {}
    given: dict[str, Any] = {}
    if run.agent_id != suite.agent_id:
        given["agent"] = run.agent or run.agent_snapshot.get("name")
    if run.judge_id != suite.judge_id and run.judge_snapshot:
        given["judge"] = run.judge or run.judge_snapshot.get("name")
    return given
