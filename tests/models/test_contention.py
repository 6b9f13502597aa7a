"""Verbs that meet others in the database are repeated."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction

from neuron_evals.caches import DatabaseCache
from neuron_evals.models import CachedOutput, EvalRun, EvalRunShard, RunStatus, contention
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.leases import LEASE, claim, release, renew
from neuron_evals.models.states import finish, request_cancel, resume, sweep
from tests.models.rows import claimed, make_run


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(contention, "time", clock)
    return clock


DEADLOCK = OperationalError(1213, "Deadlock found when trying to get lock; try restarting transaction")


class Meeting:
    """Has statements that write meet others: those with the given numbers, counted from 1, are refused."""

    def __init__(self, *numbers: int) -> None:
        self.left = set(numbers)
        self._count = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("UPDATE", "INSERT", "DELETE")):
            self._count += 1
            if self._count in self.left:
                self.left.remove(self._count)
                raise DEADLOCK
        return execute(sql, params, many, context)


def met(using: str, act: Callable[[], Any]) -> Any:
    """Act with the first and the third statement refused: of a transaction of two that is once each of them."""
    meeting = Meeting(1, 3)
    with connections[using].execute_wrapper(meeting):
        given = act()
    assert 1 not in meeting.left
    return given


def again(run: EvalRun) -> EvalRun:
    return EvalRun.objects.using(run.database).get(pk=run.pk)


def test_enqueue__meets_others__one_run_with_its_shards(committing, clock):
    run = met(committing, lambda: make_run(committing, shards=[(0, 2), (2, None)]))
    assert list(EvalRun.objects.using(committing)) == [run]
    assert run.shards.count() == 2
    assert clock.now > 0


def test_claim__meets_others__has_one_shard(committing, clock):
    run = make_run(committing, shards=[(0, 2), (2, None)])
    lease = met(committing, lambda: claim(run, "host"))
    assert list(run.shards.filter(status="running").values_list("token", flat=True)) == [lease.token]
    assert again(run).status == "running"


def test_renew_release_and_finish__meet_others__are_done_once(committing, clock):
    run = make_run(committing)
    lease = met(committing, lambda: renew(claimed(run)))
    met(committing, lambda: release(lease))
    assert met(committing, lambda: finish(run, RunStatus.PASSED)) is True
    assert again(run).status == "passed"
    met(committing, run.recount)


def test_cancel_and_resume__meet_others__the_attempt_counts_one_more(committing, clock):
    run = make_run(committing)
    assert met(committing, lambda: request_cancel(run)) is True
    assert met(committing, lambda: resume(run)) is True
    assert (again(run).status, again(run).attempt, run.shards.get().attempt) == ("queued", 2, 2)


def test_sweep__meets_others__closes_the_run(committing, clock):
    run = make_run(committing)
    lease = claimed(run)
    assert met(committing, lambda: sweep(lease.expires_at + LEASE, committing)) == [run]
    assert again(run).status == "error"


def test_cache__meets_others__keeps_the_entry(committing, clock):
    met(committing, lambda: DatabaseCache(committing).set("a" * 64, "yes"))
    assert CachedOutput.objects.using(committing).count() == 1


def test_verb_inside_a_transaction_of_the_caller__is_not_repeated(committing, clock):
    run = make_run(committing)
    with pytest.raises(OperationalError), transaction.atomic(committing):
        met(committing, lambda: request_cancel(run))
    assert clock.now == 0
    assert again(run).status == "queued"


def test_others_all_the_time__the_error_of_the_database_after_ten_seconds(committing, clock):
    def job() -> None:
        raise DEADLOCK

    with pytest.raises(OperationalError, match="Deadlock found"):
        despite_contention(committing, job)
    assert 8 < clock.now <= 10


def test_refused_for_another_reason__at_once(committing, clock):
    def job() -> None:
        raise OperationalError(1153, "packet too large")

    with pytest.raises(OperationalError, match="packet too large"):
        despite_contention(committing, job)
    assert clock.now == 0


def test_deadlock_of_a_server__both_get_what_they_asked(server_database):
    using = server_database
    run = make_run(using)
    request_cancel(run)
    locked, resuming = threading.Event(), threading.Event()
    others: list[int] = []
    own: list[int] = []

    def in_the_other_order() -> None:
        others.append(1)
        with transaction.atomic(using):
            EvalRun.objects.using(using).filter(pk=run.pk).update(planned_count=len(others))
            locked.set()
            assert resuming.wait(60)
            EvalRunShard.objects.using(using).filter(run=run.pk).update(executor="the other")

    def other() -> None:
        try:
            despite_contention(using, in_the_other_order)
        finally:
            connections[using].close()

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        done = execute(sql, params, many, context)
        if sql.startswith("UPDATE") and EvalRunShard._meta.db_table in sql:
            own.append(1)
            resuming.set()
        return done

    thread = threading.Thread(target=other)
    thread.start()
    assert locked.wait(60)
    with connections[using].execute_wrapper(note):
        assert resume(run) is True
    thread.join(60)
    assert not thread.is_alive()
    assert len(others) + len(own) > 2  # one of them had to begin again
    row = again(run)
    assert (row.status, row.attempt, row.planned_count, run.shards.get().executor) == (
        "queued",
        2,
        len(others),
        "the other",
    )
