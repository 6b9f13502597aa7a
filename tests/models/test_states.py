"""States of runs and leases of shards: every move, allowed and not, on every kind of database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from neuron_evals import StopRun
from neuron_evals.models import EvalRun, EvalRunShard, RunStatus, ShardStatus
from neuron_evals.models.clock import database_now
from neuron_evals.models.counts import COUNTS
from neuron_evals.models.leases import LEASE, Lease, LeaseLost, cancel_requested, claim, fenced, release, renew
from neuron_evals.models.states import LOST, _close_lost, finish, request_cancel, request_own_cancel, resume, sweep
from tests.models.rows import claimed, item, make_run, over, store

LATER = timedelta(hours=1)
"""Far beyond every lease of these tests."""


@pytest.fixture
def queries(using):
    return CaptureQueriesContext(connections[using])


def fresh(run: EvalRun) -> EvalRun:
    return EvalRun.objects.using(run.database).get(pk=run.pk)


def started(using: str, **columns: object) -> tuple[EvalRun, Lease]:
    run = make_run(using, **columns)
    return run, claimed(run)


def expire(lease: Lease) -> None:
    past = database_now(lease.using) - timedelta(seconds=1)
    EvalRunShard.objects.using(lease.using).filter(pk=lease.shard_id).update(lease_expires_at=past)


def ended(using: str, status: RunStatus, **columns: object) -> EvalRun:
    run, lease = started(using, **columns)
    if status is RunStatus.CANCELLED:
        request_cancel(run)
    release(lease)
    assert finish(run, status)
    return run


# --- Claiming --------------------------------------------------------------------------------------------------------


def test_claim__of_a_queued_run__leases_its_shard_and_has_it_running(using):
    run, lease = started(using)
    row, shard = fresh(run), run.shards.get()
    assert (row.status, row.attempt, row.finished_at) == ("running", 1, None)
    assert row.started_at is not None
    assert shard.lease_expires_at is not None
    assert shard.heartbeat_at is not None
    assert abs(row.started_at - database_now(using)) < LATER
    assert (shard.status, shard.executor, shard.token) == ("running", "host:1", lease.token)
    assert (lease.run_id, lease.shard_id, lease.number, lease.start, lease.stop) == (run.pk, shard.pk, 0, 0, None)
    assert shard.lease_expires_at - shard.heartbeat_at == LEASE
    assert lease.expires_at == shard.lease_expires_at


def test_claim__a_second_time__none(using):
    run, _ = started(using)
    assert claim(run, "host:2") is None
    assert run.shards.get().executor == "host:1"


def test_claim__of_several_shards__each_once_in_order(using):
    run = make_run(using, shards=[(0, 5), (5, 10), (10, None)])
    leases = [claim(run, f"host:{number}") for number in range(4)]
    assert [lease and (lease.number, lease.start, lease.stop) for lease in leases] == [
        (0, 0, 5),
        (1, 5, 10),
        (2, 10, None),
        None,
    ]
    assert len({lease.token for lease in leases if lease}) == 3


def test_claim__of_an_expired_lease__takes_over_and_the_former_holder_has_lost_it(using):
    run, former = started(using)
    began = fresh(run).started_at
    expire(former)
    lease = claim(run, "host:2")
    assert lease is not None
    assert lease.token != former.token
    assert fresh(run).started_at == began
    for act in (lambda: renew(former), lambda: release(former), lambda: store_under(former, run)):
        with pytest.raises(LeaseLost, match=f"run {run.pk}: another executor has shard 0"):
            act()
    assert not run.items.exists()
    renew(lease)
    store_under(lease, run)
    assert run.items.count() == 1


def store_under(lease: Lease, run: EvalRun) -> None:
    with fenced(lease):
        store(run, item(run, 0))


@pytest.mark.parametrize("status", [RunStatus.PASSED, RunStatus.FAILED, RunStatus.ERROR, RunStatus.CANCELLED])
def test_claim__of_a_run_that_is_over__none(using, status):
    run = ended(using, status)
    EvalRunShard.objects.using(using).update(status=ShardStatus.QUEUED)  # even if a shard were open
    assert claim(run, "host:2") is None
    assert fresh(run).status == status
    assert run.shards.get().status == "queued"


def test_claim__of_a_run_to_be_cancelled__none(using):
    run, _ = started(using, shards=[(0, 5), (5, None)])
    request_cancel(run)
    assert claim(run, "host:2") is None
    assert list(run.shards.order_by("number").values_list("status", flat=True)) == ["running", "queued"]


def test_claim__of_a_run_that_was_deleted__none(using):
    run = make_run(using)
    over(fresh(run)).delete()
    assert claim(run, "host:1") is None


def test_claim__long_name_of_the_executor__is_cut(using):
    run = make_run(using)
    assert claim(run, "host" * 200 + "\x00")
    assert len(run.shards.get().executor) <= 200


def test_claimable__runs_of_which_a_shard_is_free_the_oldest_first(using):
    queued, running, expired, cancelled, over = (make_run(using) for _ in range(5))
    claim(running, "host:1")
    expire(claimed(expired))
    request_cancel(cancelled)
    EvalRun.objects.using(using).filter(pk=over.pk).update(status="passed")
    assert list(EvalRun.objects.using(using).claimable(database_now(using))) == [queued, expired]


def test_claim__number_of_queries(using, queries):
    run = make_run(using)
    with queries:
        claim(run, "host:1")
    # The time, the free shards, the shard, the run; and a savepoint around the two statements that write.
    assert len([query for query in queries if "SAVEPOINT" not in query["sql"]]) == 4


# --- Keeping and giving back -----------------------------------------------------------------------------------------


def test_lost_lease__stops_a_run():
    assert issubclass(LeaseLost, StopRun)


def test_renew__moves_the_end(using):
    run, lease = started(using)
    renewed = renew(lease, LATER)
    assert renewed.token == lease.token
    assert renewed.expires_at - lease.expires_at > LATER - 2 * LEASE
    assert run.shards.get().lease_expires_at == renewed.expires_at


def test_renew__expired_and_taken_by_nobody__is_kept(using):
    run, lease = started(using)
    expire(lease)
    renew(lease)
    assert claim(run, "host:2") is None


def test_fenced__what_the_block_raises__undoes_what_it_stored(using):
    run, lease = started(using)
    with pytest.raises(AttributeError), fenced(lease):
        store(run, item(run, 0), None)  # type: ignore[arg-type]  # breaks after the first
    assert not run.items.exists()


def test_fenced__number_of_queries(using, queries):
    run, lease = started(using)
    with queries:
        store_under(lease, run)
    assert len([query for query in queries if "SAVEPOINT" not in query["sql"]]) == 2


def test_release__then_the_lease_is_worth_nothing(using):
    _, lease = started(using)
    release(lease, ShardStatus.CANCELLED)
    assert EvalRunShard.objects.using(using).get().status == "cancelled"
    for act in (release, renew):
        with pytest.raises(LeaseLost):
            act(lease)


def test_release__with_a_status_that_is_open__refused(using):
    _, lease = started(using)
    with pytest.raises(ValueError, match="release: status is one of finished, error, cancelled, got queued"):
        release(lease, ShardStatus.QUEUED)


def test_cancel_requested__tells_the_executor(using):
    run, lease = started(using)
    assert cancel_requested(lease) is False
    request_cancel(run)
    assert cancel_requested(lease) is True
    over(fresh(run)).delete()
    with pytest.raises(LeaseLost):
        cancel_requested(lease)


def test_clock_of_a_machine__far_off__does_not_end_leases(using, monkeypatch):
    run, _ = started(using)
    for skew in (timedelta(minutes=10), -timedelta(minutes=10)):
        monkeypatch.setattr(timezone, "now", lambda skew=skew: datetime.now(UTC) + skew)
        assert claim(run, "host:2") is None
        assert sweep(using=using) == []
    assert fresh(run).status == "running"


@pytest.mark.parametrize("use_tz", [True, False])
def test_time_of_the_database__is_the_same_in_a_column(using, settings, use_tz):
    settings.USE_TZ = use_tz
    now = database_now(using)
    assert timezone.is_aware(now) is use_tz
    assert abs(now - timezone.now()) < LATER
    run = make_run(using)
    run.shards.update(lease_expires_at=now)
    assert run.shards.get().lease_expires_at == now
    settings.USE_TZ = True


# --- Finishing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [RunStatus.PASSED, RunStatus.FAILED, RunStatus.ERROR])
def test_finish__no_shard_open__closes_the_run_with_its_counts(using, status):
    run, lease = started(using)
    with fenced(lease):
        store(run, item(run, 0, score=1.0), item(run, 1, "failed", score=0.5), item(run, 2, "skipped"))
    release(lease)
    assert finish(run, status, "why" if status is RunStatus.ERROR else "", metrics={"p50": 0.1})
    row = fresh(run)
    assert (row.status, row.metrics, row.error) == (status, {"p50": 0.1}, "why" if status is RunStatus.ERROR else "")
    assert (row.total_count, row.passed_count, row.failed_count, row.skipped_count) == (3, 1, 1, 1)
    assert (row.success_rate, row.aggregate_score) == (0.5, 0.75)
    assert {name: getattr(run, name) for name in COUNTS} == {name: getattr(row, name) for name in COUNTS}
    assert row.recount() is False
    assert (row.duration or -LATER) >= timedelta(0)
    assert run.is_over


def test_finish__a_shard_open__false(using):
    run = make_run(using, shards=[(0, 5), (5, None)])
    first = claimed(run)
    assert finish(run, RunStatus.PASSED) is False
    release(first)
    assert finish(run, RunStatus.PASSED) is False
    second = claimed(run)
    release(second)
    assert finish(run, RunStatus.PASSED) is True
    assert finish(run, RunStatus.FAILED) is False
    assert fresh(run).status == "passed"


def test_finish__to_be_cancelled__is_cancelled_whatever_the_items_say(using):
    run, lease = started(using, shards=[(0, 5), (5, None)])
    request_cancel(run)
    assert finish(run, RunStatus.PASSED) is False  # somebody is still at work
    release(lease, ShardStatus.CANCELLED)
    assert finish(run, RunStatus.PASSED) is True  # nobody will ever have the other shard
    assert (run.status, fresh(run).status) == ("cancelled", "cancelled")


def test_finish__broken_and_to_be_cancelled__is_cancelled_and_keeps_no_error(using):
    run, lease = started(using)
    request_cancel(run)
    release(lease, ShardStatus.ERROR)
    assert finish(run, RunStatus.ERROR, "boom")
    assert (run.status, run.error, fresh(run).error) == ("cancelled", "", "")


@pytest.mark.parametrize("status", [RunStatus.PASSED, RunStatus.FAILED, RunStatus.CANCELLED])
def test_finish__otherwise_than_broken__keeps_no_error(using, status):
    run, lease = started(using)
    release(lease)
    assert finish(run, status, "boom")
    assert (run.status, fresh(run).error) == (status, "")


def test_finish__error_with_what_databases_refuse__is_stored_clean(using):
    run, lease = started(using)
    release(lease, ShardStatus.ERROR)
    assert finish(run, RunStatus.ERROR, "bo\x00om \ud800")
    assert fresh(run).error.startswith("bo")
    assert "\x00" not in fresh(run).error


def test_finish__run_not_running__false(using):
    run = make_run(using)
    run.shards.update(status="finished")
    assert finish(run, RunStatus.PASSED) is False
    assert fresh(run).status == "queued"


@pytest.mark.parametrize("status", [RunStatus.QUEUED, RunStatus.RUNNING])
def test_finish__with_a_status_that_is_no_end__refused(using, status):
    run, _ = started(using)
    with pytest.raises(ValueError, match=f"finish: status is one of passed, failed, error, cancelled, got {status}"):
        finish(run, status)


def test_finish__number_of_queries(using, queries):
    run, lease = started(using)
    release(lease)
    with queries:
        finish(run, RunStatus.PASSED)
    # The time, the run, its shards, the counts, the statement that closes it, the run as it is now.
    assert len(queries) == 6


# --- Cancelling ------------------------------------------------------------------------------------------------------


def test_cancel__queued__cancelled_at_once(using):
    run = make_run(using)
    assert request_cancel(run) is True
    row = fresh(run)
    assert row.status == run.status == "cancelled"
    assert row.finished_at == row.cancel_requested_at
    assert row.finished_at is not None
    assert claim(run, "host:1") is None


def test_cancel__running__asks_and_keeps_the_time_of_the_first(using):
    run, _ = started(using)
    assert request_cancel(run) is True
    first = fresh(run)
    assert (first.status, first.finished_at) == ("running", None)
    assert request_cancel(run) is True
    assert fresh(run).cancel_requested_at == first.cancel_requested_at


@pytest.mark.parametrize("status", [RunStatus.PASSED, RunStatus.FAILED, RunStatus.ERROR])
def test_cancel__over__false_and_nothing_changes(using, status):
    run = ended(using, status)
    assert request_cancel(run) is False
    row = fresh(run)
    assert (row.status, row.cancel_requested_at) == (status, None)


def test_own_cancel__nobody_has_it_or_its_own_executor__as_a_cancel(using):
    waiting, (begun, _) = make_run(using), started(using)
    assert request_own_cancel(waiting, "host:1")
    assert (waiting.status, fresh(waiting).status) == ("cancelled", "cancelled")
    assert request_own_cancel(begun, "host:1")
    assert (begun.status, fresh(begun).cancel_requested_at is None) == ("running", False)
    assert request_own_cancel(waiting, "host:1") is False


def test_own_cancel__another_executor_has_it__false_and_nothing_changes(using):
    run, lease = started(using)
    assert request_own_cancel(run, "host:2") is False
    assert fresh(run).cancel_requested_at is None
    expire(lease)
    assert request_own_cancel(run, "host:2")
    assert cancel_requested(lease)


def test_own_cancel__resumed_since_by_somebody__false_and_nothing_changes(using):
    run = make_run(using)
    other = fresh(run)
    request_cancel(other)
    assert resume(other)
    assert request_own_cancel(run, "host:1") is False
    assert fresh(run).status == "queued"


def test_cancelled_run__an_old_copy_is_saved__stays_cancelled(using):
    run = make_run(using)
    old = fresh(run)
    request_cancel(run)
    old.metadata = {"by": "somebody else"}
    old.save(update_fields=["metadata"])
    assert (fresh(run).status, fresh(run).metadata) == ("cancelled", {"by": "somebody else"})


# --- Resuming --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [RunStatus.ERROR, RunStatus.CANCELLED])
def test_resume__queued_again_with_open_shards_and_its_results(using, status):
    run, lease = started(using, shards=[(0, 3)])
    with fenced(lease):
        store(run, item(run, 0), item(run, 1, "cancelled"), item(run, 2, "error"))
    if status is RunStatus.CANCELLED:
        request_cancel(run)
    release(lease)
    finish(run, status, "broke")
    assert resume(run) is True
    row, shard = fresh(run), run.shards.get()
    assert (row.status, row.attempt, row.error, row.finished_at, row.cancel_requested_at) == (
        "queued",
        2,
        "",
        None,
        None,
    )
    assert (shard.status, shard.attempt, shard.token, shard.lease_expires_at) == ("queued", 2, "", None)
    assert list(run.items.in_dataset_order().values_list("index", "status")) == [(0, "passed"), (2, "error")]
    assert (row.total_count, row.cancelled_count, row.recount()) == (2, 0, False)
    again = claim(run, "host:2")
    assert again is not None
    with pytest.raises(LeaseLost):
        renew(lease)


@pytest.mark.parametrize("status", ["queued", "running", "passed", "failed"])
def test_resume__neither_broken_nor_cancelled__false_and_nothing_changes(using, status):
    run, lease = started(using)
    EvalRun.objects.using(using).filter(pk=run.pk).update(status=status)
    assert resume(run) is False
    assert (fresh(run).status, fresh(run).attempt) == (status, 1)
    renew(lease)


# --- Sweeping --------------------------------------------------------------------------------------------------------


def test_sweep__executor_gone__error_that_says_so_and_can_be_resumed(using):
    run, lease = started(using)
    with fenced(lease):
        store(run, item(run, 0), item(run, 1, "failed"))
    alive, _ = started(using)
    queued = make_run(using)
    expire(lease)
    assert sweep(using=using) == [run]
    assert sweep(using=using) == []
    row = fresh(run)
    assert (row.status, row.error, row.total_count, row.recount()) == ("error", LOST, 2, False)
    assert (fresh(alive).status, fresh(queued).status) == ("running", "queued")
    for act in (lambda: renew(lease), lambda: release(lease), lambda: store_under(lease, run)):
        with pytest.raises(LeaseLost):
            act()
    assert resume(run) is True
    assert claim(run, "host:2") is not None


def test_sweep__to_be_cancelled__cancelled(using):
    run, lease = started(using)
    request_cancel(run)
    expire(lease)
    assert sweep(using=using) == [run]
    assert (fresh(run).status, fresh(run).error) == ("cancelled", "")


def test_sweep__one_of_two_executors_gone__the_run_goes_on(using):
    run = make_run(using, shards=[(0, 5), (5, None)])
    first, second = claimed(run), claimed(run, "host:2")
    expire(first)
    assert sweep(using=using) == []
    release(second)
    assert sweep(using=using) == []  # whoever gave a shard back may be about to take the next
    taken = claimed(run, "host:2")
    assert (taken.number, fresh(run).status) == (0, "running")


def test_sweep__gone_between_giving_back_and_finishing__once_the_lease_is_over(using):
    run, lease = started(using)
    release(lease)
    assert sweep(using=using) == []
    assert sweep(database_now(using) + 2 * LEASE, using) == [run]
    assert fresh(run).status == "error"


def test_sweep__claimed_after_it_was_found_lost__goes_on(using):
    run, lease = started(using)
    expire(lease)
    now = database_now(using)
    (found,) = EvalRun.objects.using(using).lost(now)
    taken = claimed(run, "host:2")
    assert _close_lost(found, now) is False
    assert fresh(run).status == "running"
    renew(taken)


def test_sweep__nothing_lost__two_queries(using, queries):
    started(using)
    with queries:
        sweep(using=using)
    assert len(queries) == 2


def test_verbs__inside_a_transaction_of_the_caller__leave_it_usable(using):
    run, _ = started(using)
    with transaction.atomic(using):
        assert claim(run, "host:2") is None
        assert resume(run) is False
        other = make_run(using)
        request_cancel(other)
        EvalRun.objects.using(using).filter(pk=other.pk).update(status="cancelled")
        assert claim(other, "host:2") is None
    assert fresh(other).status == "cancelled"
