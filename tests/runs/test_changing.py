"""Cancelling, resuming, repeating, sweeping and pruning runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from neuron_evals.models import EvalRun, EvalRunItem, EvalSuite, RunStatus
from neuron_evals.models.clock import database_now
from neuron_evals.models.leases import claim
from neuron_evals.outputs import give_back
from neuron_evals.runs import (
    RunError,
    cancel_run,
    create_run,
    execute_run,
    prune_runs,
    rerun,
    resume_run,
    sweep_runs,
    waiting_runs,
)
from neuron_evals.signals import run_cancelled
from tests.runs.samples import Agent, again, items, leases_expire, make_suite, statuses


@pytest.fixture
def cancelled():
    """The runs of which the signal told."""
    told: list[int] = []

    def receive(sender, run, **kwargs):
        assert sender is EvalRun
        told.append(run.pk)

    run_cancelled.connect(receive)
    yield told
    run_cancelled.disconnect(receive)


def executed(run: EvalRun) -> EvalRun:
    return execute_run(run.pk, using=run.database)


def test_cancel__queued_run__is_over_at_once_and_never_runs(committing, cancelled):
    run = create_run(make_suite(committing))

    assert cancel_run(run) is True
    assert (run.status, cancelled) == ("cancelled", [run.pk])
    assert executed(run).status == RunStatus.CANCELLED
    assert Agent.asked == []


def test_cancel__told_after_the_commit(committing, cancelled):
    run = create_run(make_suite(committing))
    with transaction.atomic(committing):
        cancel_run(run)
        assert cancelled == []
    assert cancelled == [run.pk]


def test_cancel__finished_run__nothing_happens(committing, cancelled):
    run = executed(create_run(make_suite(committing)))

    assert cancel_run(run) is False
    assert (again(run).status, cancelled) == ("passed", [])


def test_receiver_that_raises__does_not_keep_a_run_from_being_cancelled(committing):
    def break_(**_: object) -> None:
        raise RuntimeError("boom")

    run_cancelled.connect(break_)
    try:
        assert cancel_run(create_run(make_suite(committing))) is True
    finally:
        run_cancelled.disconnect(break_)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("passed", "it is passed; use rerun to run it again"),
        ("queued", "it is not over; it waits to be executed"),
        ("running", "it is not over; when its process was killed, execute or sweep it"),
    ],
)
def test_resume__what_cannot_be__refused_with_the_reason_and_what_to_do(committing, status, said):
    run = create_run(make_suite(committing))
    if status == "passed":
        executed(run)
    if status == "running":
        claim(run, "another")

    with pytest.raises(RunError, match=said):
        resume_run(again(run))
    assert again(run).status == status


def test_rerun__failed_items__are_the_childs_items(committing):
    suite = make_suite(committing, items(5, wrong=(1, 3)), repeats=2)
    run = executed(create_run(suite, options={"concurrency": 2, "min_success_rate": 0.1}))
    Agent.forget()

    child = executed(rerun(again(run), "failed"))

    assert (child.parent_id, child.suite_id, child.planned_count) == (run.pk, suite.pk, 4)
    assert child.options == {"concurrency": 2, "min_success_rate": 0.1, "only": "failed"}
    assert sorted(set(statuses(child))) == [("item-1", "failed"), ("item-3", "failed")]
    assert sorted(Agent.asked) == ["say 1", "say 1", "say 3", "say 3"]
    assert again(run).failed_count == 4


def test_rerun__items_that_broke__apart_from_those_that_failed(committing):
    def break_(text: str) -> None:
        if text == "say 2":
            raise RuntimeError("provider down")

    Agent.before = break_
    run = executed(create_run(make_suite(committing, items(4, wrong=(1,)))))
    assert run.error_count == 1
    Agent.forget()

    child = executed(rerun(run, "error"))

    assert statuses(child) == [("item-2", "passed")]
    assert child.status == RunStatus.PASSED


def test_rerun__everything__uses_the_suite_as_it_is_now(committing):
    suite = make_suite(committing, items(2, wrong=(0,)))
    run = executed(create_run(suite, agent="other"))
    suite.dataset = items(3)
    suite.save(using=committing)

    child = executed(rerun(again(run)))

    assert (child.status, child.total_count) == ("passed", 3)
    assert child.agent_snapshot["definition"] == {"code": "other"}
    assert Agent.asked == []


def test_rerun__of_a_rerun__takes_the_items_of_that_one(committing):
    run = executed(create_run(make_suite(committing, items(4, wrong=(1, 3)))))
    child = executed(rerun(run, "failed"))

    grandchild = executed(rerun(child, "failed"))

    assert grandchild.parent_id == child.pk
    assert statuses(grandchild) == [("item-1", "failed"), ("item-3", "failed")]


def test_rerun__nothing_to_repeat_or_not_over__refused(committing):
    run = create_run(make_suite(committing))
    with pytest.raises(RunError, match="wait for its end"):
        rerun(run, "failed")
    run = executed(run)
    with pytest.raises(RunError, match="has no item that failed"):
        rerun(run, "failed")
    with pytest.raises(RunError, match="has no item that broke"):
        rerun(run, "error")
    with pytest.raises(RunError, match="only is one of"):
        rerun(run, "passed")


def test_rerun__parent_deleted_before_it_is_executed__ends_as_error(committing):
    run = executed(create_run(make_suite(committing, items(2, wrong=(0,)))))
    child = rerun(run, "failed")
    run.delete()

    done = executed(child)

    assert done.status == RunStatus.ERROR
    assert "was deleted" in done.error
    assert len(Agent.asked) == 2


def test_sweep__run_of_which_every_part_was_given_back__is_closed_with_its_result(committing):
    run = create_run(make_suite(committing, items(2)))
    done = executed(create_run(run.suite))
    lease = claim(run, "killed before the totals")
    assert lease is not None
    for row in done.items.using(committing).all():
        row.pk, row.run_id = None, run.pk
        EvalRunItem.objects.using(committing).store([row])
    give_back(lease)
    assert sweep_runs(using=committing) == []
    leases_expire(run)

    assert [swept.pk for swept in sweep_runs(using=committing)] == [run.pk]
    assert (again(run).status, again(run).passed_count) == ("passed", 2)


def test_sweep__while_an_executor_is_alive__leaves_its_run(committing):
    run = create_run(make_suite(committing))
    claim(run, "alive")
    assert sweep_runs(using=committing) == []
    assert again(run).status == RunStatus.RUNNING


@pytest.mark.parametrize("launcher", ["process", ""])
def test_waiting__queued_for_long_and_nobody_began__whoever_was_to_carry_it(using, launcher):
    run = create_run(make_suite(using))
    rows = EvalRun.objects.using(using).filter(pk=run.pk)
    rows.update(launcher=launcher)
    assert waiting_runs(timedelta(hours=1), using) == []

    rows.update(queued_at=database_now(using) - timedelta(hours=2))
    assert [waiting.pk for waiting in waiting_runs(timedelta(hours=1), using)] == [run.pk]

    assert claim(again(run), "host") is not None
    assert waiting_runs(timedelta(hours=1), using) == []


def test_waiting__old_run_that_was_just_resumed__waits_since_then(using):
    run = create_run(make_suite(using))
    long_ago = database_now(using) - timedelta(days=9)
    EvalRun.objects.using(using).filter(pk=run.pk).update(created_at=long_ago, queued_at=long_ago)
    cancel_run(run)
    resume_run(run)
    assert waiting_runs(timedelta(minutes=5), using) == []


def test_waiting__row_that_others_made__waits_since_it_was_made(using):
    run = EvalRun.objects.using(using).create()
    assert waiting_runs(timedelta(hours=1), using) == []
    EvalRun.objects.using(using).update(created_at=database_now(using) - timedelta(hours=2))
    assert waiting_runs(timedelta(hours=1), using) == [run]


def aged(run: EvalRun, days: int) -> EvalRun:
    EvalRun.objects.using(run.database).filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=days))
    return run


def test_prune__by_age__baselines_and_active_runs_stay(committing):
    suite = make_suite(committing)
    old, baseline, young, active = (create_run(suite) for _ in range(4))
    for run, days in ((old, 100), (baseline, 100), (young, 1)):
        aged(executed(run), days)
    EvalSuite.objects.using(committing).update(baseline=baseline)

    assert prune_runs(timedelta(days=90), dry=True, using=committing) == [old.pk]
    assert prune_runs(timedelta(days=90), using=committing) == [old.pk]

    assert set(EvalRun.objects.using(committing).values_list("pk", flat=True)) == {baseline.pk, young.pk, active.pk}
    assert not EvalRunItem.objects.using(committing).filter(run=old.pk).exists()


def test_prune__by_number__keeps_the_newest_of_each_suite(committing):
    suite = make_suite(committing)
    other = EvalSuite.objects.using(committing).create(name="Other", dataset=items(1), agent=suite.agent)
    first, second, third = (executed(create_run(suite)) for _ in range(3))
    lone = executed(create_run(other))

    assert prune_runs(keep=2, using=committing) == [first.pk]
    assert prune_runs(timedelta(days=1), keep=1, using=committing) == []
    assert prune_runs(keep=0, using=committing) == [second.pk, third.pk, lone.pk]


def test_prune__without_a_rule__refused(using):
    with pytest.raises(RunError, match="by their age"):
        prune_runs(using=using)
    with pytest.raises(RunError, match="from 0 up"):
        prune_runs(keep=-1, using=using)
    with pytest.raises(RunError, match="too long ago"):
        prune_runs(timedelta(weeks=900_000), using=using)
