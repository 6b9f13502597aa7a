"""A run whose process is killed loses what was in flight and one commit, and ends as if nothing had happened."""

from __future__ import annotations

import pytest

from neuron_evals.models import EvalRun, EvalRunShard, RunStatus
from neuron_evals.models.counts import COUNTS
from neuron_evals.runs import create_run, execute_run, resume_run, sweep_runs
from tests.killed_runs.phases import IN_FLIGHT, PHASES
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
    before = len(processes.calls())
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
    assert len(calls) <= ITEMS + IN_FLIGHT + one_commit
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
    calls = processes.calls()
    assert sorted(text for _, text in calls) == sorted(f"say {index}" for index in range(ITEMS))
    assert len({pid for pid, _ in calls}) == 1
    assert run.items.using(committing).count() == ITEMS
    assert EvalRunShard.objects.using(committing).filter(run=run.pk, attempt=1).count() == 1
