"""Executors, cancels, resumes and sweeps in random order, and at the same time."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from django.db import connections
from django.db.models import ProtectedError

from neuron_evals.models import EvalRun, EvalRunItem, EvalRunShard, RunStatus, ShardStatus, run_queries
from neuron_evals.models.clock import database_now
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.leases import LEASE, Lease, LeaseLost, cancel_requested, claim, fenced, release, renew
from neuron_evals.models.run_status import ACTIVE
from neuron_evals.models.states import finish, request_cancel, resume, sweep
from tests.models.rows import claimed, item, make_run, store
from tests.patience import LIMITS, wait_until

ITEMS = 4
SHARDS = ([(0, None)], [(0, 2), (2, None)])
LEGAL = {
    ("queued", "running"),
    ("queued", "cancelled"),
    ("running", "passed"),
    ("running", "error"),
    ("running", "cancelled"),
    ("error", "queued"),
    ("cancelled", "queued"),
}


def execution(run: EvalRun) -> Iterator[None]:
    """An executor that stands still at each `yield`, for however long: others act in between."""
    try:
        while (lease := claim(run, "host")) is not None:
            yield
            yield from results(run, lease)
            yield
        finish(run, RunStatus.PASSED)
    except LeaseLost:
        return


def results(run: EvalRun, lease: Lease) -> Iterator[None]:
    for index in range(lease.start, ITEMS if lease.stop is None else lease.stop):
        if cancel_requested(lease):
            release(lease, ShardStatus.CANCELLED)
            return
        yield
        despite_contention(lease.using, partial(store_once, run, lease, index))
        yield
        lease = renew(lease)
    release(lease)


def store_once(run: EvalRun, lease: Lease, index: int) -> None:
    with fenced(lease):
        if not run.items.filter(index=index).exists():
            store(run, item(run, index))


class Row(NamedTuple):
    """What is looked at after each step."""

    status: str
    attempt: int
    finished_at: object


class World:
    """One run and all that happens to it; each step is followed by a look at its row."""

    def __init__(self, using: str, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  (repeatable, not secret)
        self._query = f"SELECT {', '.join(Row._fields)} FROM {EvalRun._meta.db_table} WHERE id = %s"  # noqa: S608
        self.run = make_run(using, shards=self.random.choice(SHARDS), source=f"seed {seed}")
        self.executors: list[Iterator[None]] = []
        self.cancelled_attempt = 0
        self.seen = self.row()

    def row(self) -> Row:
        """Look at the run, thousands of times: without the ORM, which takes most of the time of such a query."""
        with connections[self.run.database].cursor() as cursor:
            cursor.execute(self._query, [self.run.pk])
            return Row(*cursor.fetchone())

    def act(self, steps: int) -> None:
        acts = [self.step] * 12 + [self.arrive] * 3 + [self.cancel, self.resume, self.sweep, self.time_passes]
        for _ in range(steps):
            act = self.random.choice(acts)
            if self.executors or act != self.step:
                act()
                self.look()

    def look(self) -> None:
        row, before = self.row(), self.seen
        if row.status != before.status:
            assert (before.status, row.status) in LEGAL
            assert row.attempt == before.attempt + (row.status == "queued")
        else:
            assert row.attempt == before.attempt
        if row.status not in ACTIVE:
            assert row.finished_at is not None
            if before.status in ACTIVE:
                assert again(self.run).recount() is False
        if row.attempt == self.cancelled_attempt:
            assert row.status in ("running", "cancelled")
        self.seen = row

    def arrive(self) -> None:
        self.executors.append(execution(self.run))

    def step(self) -> None:
        if self.executors:
            executor = self.random.choice(self.executors)
            if next(executor, "ended") == "ended":
                self.executors.remove(executor)

    def cancel(self) -> None:
        if request_cancel(self.run):
            self.cancelled_attempt = self.row().attempt

    def resume(self) -> None:
        resume(self.run)

    def sweep(self) -> None:
        sweep(using=self.run.database)

    def time_passes(self) -> None:
        expire(self.run)

    def settle(self) -> None:
        """All executors end, and what none of them has is swept."""
        while self.executors:
            self.step()
            self.look()
        self.time_passes()
        self.sweep()
        self.look()


def test_run__random_interleavings__legal_and_cancelled_stays_cancelled(using):
    ends: Counter[str] = Counter()
    for seed in range(200):
        world = World(using, seed)
        world.act(30)
        world.settle()
        row = world.row()
        assert row.status in ("queued", "passed", "error", "cancelled"), seed
        if row.attempt == world.cancelled_attempt:
            assert row.status == "cancelled", seed
        ends[row.status] += 1
        resume(world.run)
        world.look()
        world.arrive()
        world.settle()
        assert world.row().status == "passed", seed
        assert sorted(world.run.items.values_list("index", flat=True)) == list(range(ITEMS)), seed
    assert min(ends["cancelled"], ends["error"], ends["passed"]) > 0


def at_once(using: str, acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Return what each of `acts` gave, all called at the same time in threads with connections of their own."""
    together = threading.Barrier(len(acts))
    given: list[Any] = [None] * len(acts)

    def work(number: int) -> None:
        try:
            together.wait(60)
            given[number] = acts[number]()
        except Exception as exc:  # handed to the test
            given[number] = exc
        finally:
            connections[using].close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    broken = [value for value in given if isinstance(value, Exception)]
    assert broken == []
    return given


def test_claim__eight_at_once__one_for_each_shard(committing):
    for shards in ([(0, None)], [(0, 1), (1, 2), (2, None)]):
        run = make_run(committing, shards=shards)
        leases = at_once(committing, [partial(claim, run, "host")] * 8)
        assert sorted(lease.number for lease in leases if lease) == list(range(len(shards)))
        run.refresh_from_db()
        assert run.status == "running"


def test_finish__eight_at_once__one_closes_the_run(committing):
    run = make_run(committing)
    release(claimed(run))
    closed = at_once(committing, [lambda: finish(again(run), RunStatus.PASSED)] * 8)
    assert sorted(closed) == [False] * 7 + [True]


def test_last_shards__given_back_at_once__the_run_is_closed(committing):
    def end(lease: Lease) -> bool:
        release(lease)
        return finish(EvalRun.objects.using(committing).get(pk=lease.run_id), RunStatus.PASSED)

    for _ in range(5):
        run = make_run(committing, shards=[(0, 1), (1, 2), (2, 3), (3, None)])
        leases = [claimed(run) for _ in range(4)]
        closed = at_once(committing, [partial(end, lease) for lease in leases])
        assert sum(closed) == 1


def test_enqueue__same_key_eight_at_once__one_run(committing):
    made = at_once(committing, [lambda: EvalRun.objects.using(committing).enqueue(idempotency_key="k")] * 8)
    assert sum(new for _, new in made) == 1
    assert len({run.pk for run, _ in made}) == 1
    assert EvalRunShard.objects.using(committing).count() == 1


def test_everything__at_once_in_threads__no_result_twice_and_a_legal_end(committing):
    run = make_run(committing, shards=[(0, 2), (2, None)])

    def execute() -> None:
        for _ in range(6):
            for _ in execution(again(run)):
                pass

    at_once(committing, [execute] * 4 + [lambda: disturb(run, 1), lambda: disturb(run, 2)])
    sweep(database_now(committing) + 2 * LEASE, committing)
    end = again(run)
    assert end.status in ("queued", "passed", "error", "cancelled")
    assert not end.is_over or end.recount() is False
    if end.status != "passed":
        resume(end)
        for _ in execution(end):
            pass
    assert again(run).status == "passed"
    assert sorted(run.items.values_list("index", flat=True)) == list(range(ITEMS))


def test_delete__while_the_run_is_resumed_and_executed__refused_until_it_is_over_and_then_done(committing):
    def execute(run: EvalRun) -> None:
        while (found := EvalRun.objects.using(committing).filter(pk=run.pk).first()) is not None:
            if found.status == "passed":
                return
            resume(found)
            for step, _ in enumerate(execution(found)):
                if step == ITEMS:
                    request_cancel(found)

    def is_deleted(run: EvalRun) -> bool:
        try:
            EvalRun.objects.using(committing).filter(pk=run.pk).delete()
        except ProtectedError:
            return False
        return True

    for _ in range(5):
        run = make_run(committing, shards=[(0, 2), (2, None)])
        request_cancel(run)
        at_once(committing, [partial(execute, run)] * 2 + [partial(wait_until, partial(is_deleted, run))])
        assert not EvalRun.objects.using(committing).exists()
        assert not EvalRunItem.objects.using(committing).exists()
        assert not EvalRunShard.objects.using(committing).exists()


def test_resume__while_the_run_is_being_deleted__waits_and_finds_it_gone(committing, monkeypatch):
    run = make_run(committing)
    request_cancel(run)
    resumed: list[bool] = []

    def work() -> None:
        resumed.append(resume(again_or_gone))
        connections[committing].close()

    again_or_gone = again(run)
    thread = threading.Thread(target=work)

    @contextmanager
    def checked_and_then(instead: str) -> Iterator[None]:
        thread.start()
        thread.join(LIMITS[0])  # which it reaches: whoever resumes waits for the row
        yield

    monkeypatch.setattr(run_queries, "explained_refusal", checked_and_then)
    EvalRun.objects.using(committing).filter(pk=run.pk).delete()
    thread.join()

    assert resumed == [False]
    assert not EvalRun.objects.using(committing).exists()


def again(run: EvalRun) -> EvalRun:
    return EvalRun.objects.using(run.database).get(pk=run.pk)


def expire(run: EvalRun) -> None:
    past = database_now(run.database) - LEASE
    # Those of runs before it are over: to touch them too would take longer with each run.
    leased = EvalRunShard.objects.using(run.database).filter(run=run.pk).exclude(lease_expires_at=None)
    despite_contention(run.database, partial(leased.update, lease_expires_at=past))


def disturb(run: EvalRun, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    for _ in range(12):
        act = chance.choice([request_cancel, resume, expire, lambda run: sweep(using=run.database)])
        act(again(run))
