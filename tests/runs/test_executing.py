"""Executing runs: each item once, whoever executes and however often."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections

from neuron_evals import BaseEvaluator, NotEmpty, StringContains
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.runner.pools.processes import pool
from neuron_evals.core.runner.pools.processes.forking import fork
from neuron_evals.models import EvalRun, EvalSuite, RunStatus, ShardStatus
from neuron_evals.models.clock import database_now
from neuron_evals.models.leases import LEASE, claim
from neuron_evals.runs import RunError, cancel_run, create_run, execute_run, resume_run, sweep_runs
from tests.runs.samples import Agent, again, items, leases_expire, make_suite, statuses


def executed(run: EvalRun, **options: object) -> EvalRun:
    return execute_run(run.pk, using=run.database, **options)  # type: ignore[arg-type]


def test_run__of_a_suite__ends_with_each_result_and_right_figures(committing):
    suite = make_suite(committing, items(4, wrong=(1,)))

    run = executed(create_run(suite, options={"concurrency": 2}))

    assert (run.status, run.error) == ("failed", "")
    assert statuses(run) == [("item-0", "passed"), ("item-1", "failed"), ("item-2", "passed"), ("item-3", "passed")]
    assert (run.planned_count, run.total_count, run.passed_count, run.failed_count) == (4, 4, 3, 1)
    assert run.success_rate == 0.75
    assert run.recount() is False
    assert list(run.shards.using(committing).values_list("status", flat=True)) == [ShardStatus.FINISHED]


def test_min_success_rate__of_the_suite__decides_unless_the_run_says_another(committing):
    suite = make_suite(committing, items(4, wrong=(1,)), min_success_rate=0.7)

    assert executed(create_run(suite)).status == RunStatus.PASSED
    assert executed(create_run(suite, options={"min_success_rate": 0.8})).status == RunStatus.FAILED


def test_process_workers__run_each_item_in_a_child(committing):
    run = create_run(make_suite(committing, items(3)), options={"workers": "processes", "concurrency": 2})
    assert executed(run).status == RunStatus.PASSED
    assert statuses(run) == [("item-0", "passed"), ("item-1", "passed"), ("item-2", "passed")]
    # What was asked was noted where it was asked: not in this process.
    assert Agent.asked == []


def test_finished_run__executed_again__does_nothing(committing):
    run = executed(create_run(make_suite(committing)))
    asked = list(Agent.asked)

    again_ = executed(run)

    assert Agent.asked == asked
    assert (again_.status, again_.finished_at) == (run.status, run.finished_at)


def test_same_job__five_times_at_once__each_item_once(committing):
    run = create_run(make_suite(committing, items(12)), options={"concurrency": 2})
    together = threading.Barrier(5)

    def job() -> str:
        together.wait()
        try:
            return executed(run).status
        finally:
            connections[committing].close()

    with ThreadPoolExecutor(5) as pool:
        seen = [future.result() for future in [pool.submit(job) for _ in range(5)]]

    assert sorted(Agent.asked) == sorted(f"say {index}" for index in range(12))
    assert again(run).status == RunStatus.PASSED
    assert RunStatus.PASSED in seen
    assert run.items.using(committing).count() == 12


def test_shards__two_executors_at_once__share_the_items(committing):
    run = create_run(make_suite(committing, items(9)), shards=3)
    both = threading.Barrier(2)
    meeting = threading.local()

    def meet(_: str) -> None:
        if not hasattr(meeting, "met"):
            meeting.met = True
            both.wait(60)

    Agent.before = meet

    def job() -> None:
        try:
            executed(run)
        finally:
            connections[committing].close()

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(job), pool.submit(job)]:
            future.result()

    assert sorted(Agent.asked) == sorted(f"say {index}" for index in range(9))
    assert again(run).status == RunStatus.PASSED
    assert [row.start for row in run.shards.using(committing).order_by("number")] == [0, 3, 6]


def test_executor_is_gone__resumed__the_others_results_stay(committing):
    run = create_run(make_suite(committing, items(5)))
    stop = StopToken()
    Agent.before = lambda text: stop.set("killed", abandon=True) if text == "say 2" else None
    executed(run, stop=stop)
    assert again(run).status == RunStatus.CANCELLED
    Agent.forget()

    resumed = executed(resume_run(again(run)))

    assert statuses(resumed) == [(f"item-{index}", "passed") for index in range(5)]
    assert resumed.status == RunStatus.PASSED
    assert (resumed.attempt, resumed.total_count) == (2, 5)
    assert "say 0" not in Agent.asked
    assert "say 1" not in Agent.asked


def test_lost_executor__swept_and_resumed__each_item_once(committing):
    run = create_run(make_suite(committing))
    assert claim(run, "somebody who is killed") is not None
    leases_expire(run)

    assert [swept.pk for swept in sweep_runs(using=committing)] == [run.pk]
    assert again(run).status == RunStatus.ERROR
    resumed = executed(resume_run(again(run)))

    assert resumed.status == RunStatus.PASSED
    assert len(Agent.asked) == 3


def test_cancel__while_an_item_runs__stops_and_stays_cancelled(committing):
    run = create_run(make_suite(committing, items(5)))
    released = threading.Event()

    def wait(text: str) -> None:
        if text == "say 1":
            cancel_run(again(run))
            released.wait(60)

    Agent.before = wait
    # Two at once: items are in threads then, which can be abandoned.
    done = executed(run, stop=_Releasing(released))

    assert done.status == RunStatus.CANCELLED
    assert done.cancelled_count >= 3
    assert done.recount() is False


class _Releasing(StopToken):
    """Lets the item go on that waits, as soon as somebody asks to stop."""

    def __init__(self, event: threading.Event) -> None:
        super().__init__()
        self._event = event

    def set(self, reason: str, *, abandon: bool = False) -> None:
        super().set(reason, abandon=abandon)
        self._event.set()


def test_agent_that_cannot_be_built_any_more__run_ends_as_error(committing, settings):
    run = create_run(make_suite(committing))
    settings.NEURON_EVALS = {"AGENTS": {}}

    done = executed(run)

    assert done.status == RunStatus.ERROR
    assert 'there is no agent "noting"' in done.error or "noting" in done.error
    assert Agent.asked == []


def test_suite_changed_since__run_ends_as_error__and_cannot_be_resumed(committing):
    suite = make_suite(committing)
    run = create_run(suite)
    suite.dataset = items(2)
    suite.save(using=committing)

    done = executed(run)

    assert done.status == RunStatus.ERROR
    assert "changed since run" in done.error
    with pytest.raises(RunError, match="changed since run"):
        resume_run(done)


def test_suites_other_columns_changed_since__run_goes_as_it_was_made(committing):
    suite = make_suite(committing, repeats=2)
    run = create_run(suite)
    EvalSuite.objects.using(committing).update(repeats=3, agent=suite.agent, min_success_rate=1)

    done = executed(run)

    assert (done.status, done.total_count, done.planned_count) == ("passed", 6, 6)


class Coded(BaseEvaluator):
    def get_dataset(self):
        return [{"id": name, "input": name} for name in ("a", "b")]

    def run(self, item):
        return item["input"]

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)
        self.check(StringContains("a"), output)


def test_evaluator_from_code__runs_with_the_evaluator_that_is_given(committing):
    run = create_run(evaluator=Coded(), using=committing, options={"repeat": 2})
    assert (run.source, run.planned_count) == ("tests.runs.test_executing.Coded", None)

    done = executed(run, evaluator=Coded())

    assert (done.status, done.planned_count, done.passed_count, done.failed_count) == ("failed", 4, 2, 2)


def test_evaluator_from_code__not_given__refused_and_nothing_happens(committing):
    run = create_run(evaluator=Coded(), using=committing)

    with pytest.raises(RunError, match="name its folder"):
        executed(run)
    assert again(run).status == RunStatus.QUEUED


def test_evaluator_that_breaks_in_set_up__run_ends_as_error(committing):
    class Broken(Coded):
        def set_up(self):
            raise RuntimeError("no fixtures")

    run = create_run(evaluator=Broken(), using=committing)

    done = executed(run, evaluator=Broken())

    assert (done.status, done.total_count) == ("error", 0)
    assert "no fixtures" in done.error


def test_no_such_run__refused(committing):
    with pytest.raises(RunError, match="there is no run 99"):
        execute_run(99, using=committing)


class Watched(BaseEvaluator):
    """Notes, at each step before its items run, which threads there are and for how long its run is leased."""

    def __init__(self, run: EvalRun) -> None:
        self.run_row = run
        self.noted: dict[str, tuple[bool, timedelta]] = {}

    def note(self, step: str) -> None:
        (shard,) = self.run_row.shards.using(self.run_row.database)
        assert shard.lease_expires_at is not None
        beats = any(thread.name == "neuron_evals heartbeat" for thread in threading.enumerate())
        self.noted[step] = (beats, shard.lease_expires_at - database_now(self.run_row.database))

    def set_up(self):
        self.note("set_up")

    def get_dataset(self):
        self.note("get_dataset")
        return [{"id": "a"}, {"id": "b"}]

    def run(self, item):
        return str(os.getpid())

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_preparing__is_kept_by_a_thread_under_an_ordinary_lease__and_forks_beside_none(workers, committing):
    run, _ = EvalRun.objects.using(committing).enqueue(options={"workers": workers}, source="Watched")
    evaluator = Watched(run)
    beside: list[str] = []

    def noting_fork() -> int:
        beside.extend(thread.name for thread in threading.enumerate() if thread.name == "neuron_evals heartbeat")
        return fork()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "fork", noting_fork)
        done = executed(run, evaluator=evaluator)

    assert done.status == RunStatus.PASSED
    assert [beats for beats, _ in evaluator.noted.values()] == [True, True]
    assert all(timedelta(0) < left <= LEASE for _, left in evaluator.noted.values())
    assert beside == []
    pids = set(run.items.using(committing).values_list("output_text", flat=True))
    assert (str(os.getpid()) in pids) == (workers == "threads")
