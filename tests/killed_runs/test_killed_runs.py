"""A run whose process is killed loses what was in flight and one commit, and ends as if nothing had happened."""

from __future__ import annotations

import signal
from datetime import timedelta

import pytest

from neuron_evals.models import EvalRun, EvalRunShard, RunStatus
from neuron_evals.models.clock import database_now
from neuron_evals.models.counts import COUNTS
from neuron_evals.models.leases import LEASE
from neuron_evals.runs import cancel_run, create_run, execute_run, resume_run, sweep_runs
from tests.killed_runs.phases import IN_FLIGHT, PHASES
from tests.killed_runs.processes import PATIENCE
from tests.runs.samples import again, items, leases_expire, make_suite, statuses

ITEMS, RACERS = 10, 8


@pytest.fixture
def suite(committing):
    return make_suite(committing, items(ITEMS, wrong=(3, 7)), min_success_rate=0.5)


def started(suite: object) -> EvalRun:
    return create_run(suite, options={"concurrency": IN_FLIGHT})  # type: ignore[arg-type]


def figures(run: EvalRun) -> dict[str, object]:
    run = again(run)
    return {name: getattr(run, name) for name in (*COUNTS, "status", "planned_count", "score_statistics", "error")}


def blocked_for(run: EvalRun) -> timedelta:
    """How long at most nobody else may have a run whose process was killed."""
    now = database_now(run.database)
    leased = run.shards.using(run.database).leased(now).values_list("lease_expires_at", flat=True)
    return max([end - now for end in leased if end is not None], default=timedelta(0))


@pytest.mark.parametrize(
    ("phase", "recovery"),
    [*((phase, "sweep and resume") for phase in PHASES), *((phase, "execute again") for phase in PHASES[2:])],
)
def test_killed__then_executed_by_another__ends_like_an_uninterrupted_run(
    phase, recovery, committing, suite, processes
):
    whole = execute_run(started(suite).pk, using=committing)
    run = started(suite)

    killed = processes.execute(run.pk, phase)
    said = processes.reached(killed)
    processes.kill(killed)
    before, stored = len(processes.calls()), run.items.using(committing).count()
    assert blocked_for(run) <= LEASE
    leases_expire(run)
    if recovery == "sweep and resume":
        sweep_runs(using=committing)
        if again(run).status == RunStatus.ERROR:
            resume_run(again(run))
    assert processes.end(processes.execute(run.pk)) == 0

    assert statuses(run) == statuses(whole)
    assert figures(run) == figures(whole)
    assert again(run).recount() is False
    calls = processes.calls()
    assert {text for _, text in calls} == {f"say {index}" for index in range(ITEMS)}
    one_commit = int(said) if said else IN_FLIGHT
    assert before - stored <= IN_FLIGHT + one_commit
    assert len(calls) - before == ITEMS - stored
    if phase == "before the claim":
        assert (before, len(calls)) == (0, ITEMS)
    if phase == "before the totals":
        assert (before, len(calls)) == (ITEMS, ITEMS)


def test_eight_processes__race_for_one_run__one_wins(committing, suite, processes):
    run = started(suite)
    racers = [processes.execute(run.pk, "before the claim") for _ in range(RACERS)]
    for racer in racers:
        processes.reached(racer)

    (processes.folder / "go").touch()
    ended = [processes.end(racer) for racer in racers]

    assert again(run).status == RunStatus.PASSED
    assert 0 in ended
    assert not any("Traceback" in said for said in processes.said.values())
    losers = [racer for racer, status in zip(racers, ended, strict=True) if status]
    assert all(f"run {run.pk}: another process has it" in processes.said[racer.pid] for racer in losers)
    calls = processes.calls()
    assert sorted(text for _, text in calls) == sorted(f"say {index}" for index in range(ITEMS))
    assert len({pid for pid, _ in calls}) == 1
    assert run.items.using(committing).count() == ITEMS
    assert EvalRunShard.objects.using(committing).filter(run=run.pk, attempt=1).count() == 1


def test_orphan__its_run_was_given_to_another__writes_nothing_more(committing, suite, processes):
    run = started(suite)
    orphan = processes.execute(run.pk, "during an item")
    processes.reached(orphan)
    leases_expire(run)
    assert [swept.pk for swept in sweep_runs(using=committing)] == [run.pk]
    resume_run(again(run))

    assert processes.end(processes.execute(run.pk)) == 0

    before = figures(run)
    processes.end(orphan)
    assert figures(run) == before
    assert [item_id for item_id, _ in statuses(run)] == [f"item-{index}" for index in range(ITEMS)]
    assert len(processes.calls()) <= ITEMS + 2 * IN_FLIGHT


def test_cancelled__while_it_waits_for_an_item__ends_with_what_is_there(committing, suite, processes):
    run = started(suite)
    process = processes.execute(run.pk, "during an item")
    processes.reached(process)

    assert cancel_run(again(run))
    process.communicate(timeout=PATIENCE)

    assert process.returncode == 1
    done = again(run)
    assert (done.status, done.total_count) == ("cancelled", ITEMS)
    assert done.cancelled_count >= 1
    assert done.recount() is False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_terminated__is_cancelled_with_what_is_there__and_can_be_resumed(committing, suite, processes, number):
    run = started(suite)
    process = processes.execute(run.pk, "during an item")
    processes.reached(process)

    stored = run.items.using(committing).count()
    process.send_signal(number)
    said, _ = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert "Traceback" not in said
    assert again(run).status == RunStatus.CANCELLED
    kept = [status for _, status in statuses(run) if status in ("passed", "failed")]
    assert len(kept) >= stored >= 1
    resume_run(again(run))
    assert processes.end(processes.execute(run.pk)) == 0
    assert again(run).total_count == ITEMS
