"""The output driver in whole runs."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError, OutputError
from neuron_evals.core.outputs import OutputDriver
from neuron_evals.core.report import EvaluationReport, EvaluationResults, Gate
from neuron_evals.core.results import Plan, PlannedEvaluator
from neuron_evals.models import EvalRun, EvalRunItem, EvalRunShard, states
from neuron_evals.models.clock import database_now
from neuron_evals.models.leases import LEASE
from neuron_evals.outputs import DatabaseOutput, close_run, closing, give_back, heartbeat, report_of
from neuron_evals.outputs.rows import row_of
from neuron_evals.outputs.storing import Store
from neuron_evals.outputs.writers import ThreadWriter
from tests.models.rows import make_run
from tests.outputs.running import NAME, Other, Scripted, execute, leased, questions, result, stored
from tests.patience import wait_until

LONG = 60
"""Seconds that a test waits for what comes at once."""


class Noting(OutputDriver):
    """Another driver, that loses nothing."""

    def __init__(self):
        self.results = []
        self.report = None

    def finished(self, result):
        self.results.append(result)

    def output(self, report):
        self.report = report


def rounded(value):
    """A mean as rows have it, whatever order the database added in."""
    return None if value is None else round(value, 12)


def columns(run, *names):
    run.refresh_from_db()
    return tuple(getattr(run, name) for name in names)


def test_run__a_row_for_each_evaluator_with_what_it_gave(committing):
    report, driver = stored(
        committing, Scripted(questions("yes", "no", "yes")), Other(questions("yes")), Other([{"id": 1}], None)
    )
    one, _two, three = driver.runs
    assert [run.source.rpartition(".")[2] for run in driver.runs] == ["Scripted", "Other", "Other"]
    assert [run.status for run in driver.runs] == ["failed", "passed", "failed"]
    assert len({run.batch for run in driver.runs}) == 1
    assert one.batch
    assert [run.total_count for run in driver.runs] == [3, 1, 1]
    assert (one.planned_count, one.passed_count, one.failed_count, one.attempt) == (3, 2, 1, 1)
    assert three.error_count == 1
    assert one.options == {"concurrency": 1, "workers": "inline"}
    assert one.started_at is not None
    assert one.finished_at is not None
    assert [run.success_rate for run in driver.runs] == [rounded(e.success_rate) for e in report.evaluators]
    assert EvalRunShard.objects.using(committing).filter(status="finished").count() == 3


@pytest.mark.parametrize("concurrency", [1, 8])
def test_repeated_items__counts_rate_and_statistics_equal_the_report(committing, concurrency):
    answers = ["yes", "no", "yes", None, "yes"]
    report, driver = stored(committing, Scripted(questions(*answers)), concurrency=concurrency, repeats=3)
    [run] = driver.runs
    [results] = report.evaluators
    again = report_of(run)
    assert (run.total_count, run.success_rate, run.aggregate_score) == (
        15,
        rounded(results.success_rate),
        rounded(results.aggregate_score),
    )
    assert not run.recount()
    assert [(one.item_id, one.repeat) for one in again.results] == [
        (one.item_id, one.repeat) for one in results.results
    ]
    assert again.score_statistics == results.score_statistics
    assert again.execution_time_percentiles == results.execution_time_percentiles
    assert run.metrics["execution_time_percentiles"] == results.execution_time_percentiles
    assert run.score_statistics["answer"]["total"] == 15


def test_single_evaluator__needs_no_batch(committing):
    _, driver = stored(committing, Scripted(questions("yes")))
    assert driver.runs[0].batch == ""


def test_same_evaluator_twice__each_gets_its_own_results(committing):
    _, driver = stored(committing, Scripted(questions("yes", "yes")), Scripted(questions("no", "no", "no")))
    assert [(run.passed_count, run.failed_count) for run in driver.runs] == [(2, 0), (0, 3)]


def test_evaluator_that_cannot_run__its_run_is_an_error_that_says_why(committing):
    _, driver = stored(committing, Scripted([]), Scripted(questions("yes")))
    broken, whole = driver.runs
    assert (broken.status, broken.total_count) == ("error", 0)
    assert "the dataset is empty" in broken.error
    assert (whole.status, whole.error) == ("passed", "")


def test_evaluator_that_breaks_between_items__keeps_what_came(committing):
    def items():
        yield from questions("yes", "yes")
        raise RuntimeError("the file ended")

    _, driver = stored(committing, Scripted(items()))
    [run] = driver.runs
    assert (run.status, run.passed_count, run.planned_count) == ("error", 2, None)
    assert "the file ended" in run.error


@pytest.mark.parametrize(
    ("gate", "outputs", "status"),
    [
        (None, ["yes"], "passed"),
        (None, ["yes", "no"], "failed"),
        (Gate(min_success_rate=0.5), ["yes", "no"], "passed"),
        (Gate(min_success_rate=0.6), ["yes", "no"], "failed"),
    ],
)
def test_status__is_what_the_exit_status_says(committing, gate, outputs, status):
    driver = DatabaseOutput(using=committing, gate=gate)
    execute([driver], Scripted(questions(*outputs)))
    assert columns(driver.runs[0], "status") == (status,)


def test_nothing_judged__is_no_success(committing):
    driver = DatabaseOutput(using=committing)
    driver.start(Plan((PlannedEvaluator(NAME, 1),)))
    skipped = result(0, status="skipped", checks=())
    driver.finished(skipped)
    driver.item(skipped)
    now = database_now(committing)
    driver.output(EvaluationReport([EvaluationResults(NAME, [skipped])], started_at=now, finished_at=now))
    driver.close()
    assert columns(driver.runs[0], "status", "error", "skipped_count") == ("error", "nothing was judged", 1)


def test_fail_fast__cancelled_with_what_is_there(committing):
    _, driver = stored(
        committing, Scripted(questions("yes", "no", "yes", "yes")), Other(questions("yes")), fail_fast=True
    )
    first, second = driver.runs
    assert (first.status, first.passed_count, first.failed_count, first.cancelled_count) == ("cancelled", 1, 1, 2)
    assert (second.status, second.cancelled_count) == ("cancelled", 1)


def test_fail_fast_at_the_last_item__nothing_was_left_out(committing):
    _, driver = stored(committing, Scripted(questions("yes", "no")), fail_fast=True)
    assert driver.runs[0].status == "failed"


def test_fail_fast_where_the_length_is_unknown__cancelled(committing):
    _, driver = stored(committing, Scripted(iter(questions("no", "yes"))), fail_fast=True)
    assert (driver.runs[0].status, driver.runs[0].total_count) == ("cancelled", 1)


def test_each_result__is_in_the_table_while_the_next_items_run(committing):
    seen = []

    def during(item):
        if item["id"] == "q3":
            seen.append(arrived(committing, 3))

    stored(committing, Scripted(questions(*["yes"] * 5), during))
    assert seen == [3]


def arrived(using, count):
    """Wait until so many results are there; return how many came in the end."""
    pause = threading.Event()
    for _ in range(LONG * 50):
        if EvalRunItem.objects.using(using).count() >= count:
            break
        pause.wait(0.02)
    return EvalRunItem.objects.using(using).count()


def test_400_items_in_16_threads__400_rows(committing):
    _, driver = stored(committing, Scripted(questions(*["yes"] * 400)), concurrency=16)
    [run] = driver.runs
    assert (run.total_count, run.passed_count, len(run.items.stored_keys())) == (400, 400, 400)


def test_what_ends_while_a_commit_runs__goes_together_into_the_next(committing, monkeypatch):
    sizes, going, go_on = [], threading.Event(), threading.Event()
    insert = Store._insert

    def slow(self, results):
        sizes.append(len(results))
        going.set()
        assert go_on.wait(LONG)
        insert(self, results)

    monkeypatch.setattr(Store, "_insert", slow)
    driver = DatabaseOutput(using=committing)
    driver.start(Plan((PlannedEvaluator(NAME, 9),)))
    driver.finished(result(0))
    assert going.wait(LONG)
    for index in range(1, 9):
        driver.finished(result(index))
    go_on.set()
    driver._writer.flush()
    assert sizes == [1, 8]
    driver.close()


def test_writer__lets_callers_wait_when_too_much_waits(committing, monkeypatch):
    blocked, go_on, stored_ones = threading.Event(), threading.Event(), []
    store = Store(leased(make_run(committing)))

    def insert(results):
        blocked.set()
        assert go_on.wait(LONG)
        stored_ones.extend(results)

    monkeypatch.setattr(store, "store", insert)
    writer = ThreadWriter(capacity=2)
    writer.put(store, result(0))
    assert blocked.wait(LONG)
    writer.put(store, result(1))
    writer.put(store, result(2))
    waiting = threading.Thread(target=writer.put, args=(store, result(3)))
    waiting.start()
    assert waiting.is_alive()
    go_on.set()
    waiting.join(LONG)
    writer.close()
    assert [one.index for one in stored_ones] == [0, 1, 2, 3]


def test_database_refuses_everything__the_others_lose_nothing_and_the_run_says_so(committing, monkeypatch):
    def refuse(self, results):
        raise OutputError("the disk is full")

    monkeypatch.setattr(Store, "store", refuse)
    noting, driver = Noting(), DatabaseOutput(using=committing)
    _, pipeline = execute([driver, noting], Scripted(questions(*["yes"] * 50)))
    assert [str(error) for error in pipeline.errors] == ["DatabaseOutput: the disk is full"]
    assert len(noting.results) == 50
    assert noting.report.passed_count == 50
    assert columns(driver.runs[0], "status", "error") == ("error", "results could not be stored: the disk is full")


def test_result_that_the_database_refuses__an_error_item_and_a_failure_of_the_driver(committing, monkeypatch):
    monkeypatch.setattr("neuron_evals.outputs.storing.row_of", refusing_one())
    driver = DatabaseOutput(using=committing)
    report, pipeline = execute([driver], Scripted(questions("yes", "yes", "yes")))
    assert report.passed_count == 3
    assert [str(error) for error in pipeline.errors] == [
        "DatabaseOutput: 1 results could not be stored; error items stand in their place"
    ]
    assert columns(driver.runs[0], "status", "passed_count", "error_count") == ("failed", 2, 1)


def refusing_one():
    def row(run_id, given):
        if given.index == 1:
            raise ValueError
        return row_of(run_id, given)

    return row


def test_short_outage__every_result_is_stored(committing, monkeypatch):
    insert, left = Store._insert, [3]

    def sometimes(self, results):
        if left[0]:
            left[0] -= 1
            raise OperationalError("database is locked")
        insert(self, results)

    monkeypatch.setattr(Store, "_insert", sometimes)
    _, driver = stored(committing, Scripted(questions("yes", "yes")))
    assert driver.runs[0].passed_count == 2
    assert left == [0]


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(heartbeat, "INTERVAL", 0.02)


@pytest.mark.usefixtures("quick")
def test_cancelled_from_elsewhere__stops_and_keeps_what_is_there(committing):
    stop = StopToken()
    stopped = threading.Event()
    reasons = []

    def during(item):
        if item["id"] == "q1":
            [run] = EvalRun.objects.using(committing)
            assert states.request_cancel(run)
            for _ in range(LONG * 50):
                if stop.is_set():
                    break
                stopped.wait(0.02)
            reasons.append(stop.reason)

    _, driver = stored(committing, Scripted(questions(*["yes"] * 5), during), stop=stop)
    [run] = driver.runs
    assert reasons == [f"run {run.pk} was cancelled"]
    assert run.status == "cancelled"
    assert run.total_count == 5
    assert run.cancelled_count >= 3


def test_lease_taken_by_another__stops_and_writes_nothing_more(committing):
    def during(item):
        if item["id"] == "q1":
            assert arrived(committing, 1) == 1
            states.sweep(now=database_now(committing) + timedelta(hours=1), using=committing)

    driver = DatabaseOutput(using=committing)
    _, pipeline = execute([driver], Scripted(questions(*["yes"] * 4), during))
    assert ["the run was given up" in error.text for error in pipeline.errors] == [True]
    assert columns(driver.runs[0], "status", "total_count", "error") == ("error", 1, states.LOST)


@pytest.mark.usefixtures("quick")
def test_lease_lost_while_an_item_runs__stops_the_run(committing):
    stop, pause = StopToken(), threading.Event()

    def during(item):
        states.sweep(now=database_now(committing) + timedelta(hours=1), using=committing)
        for _ in range(LONG * 50):
            if stop.is_set():
                break
            pause.wait(0.02)

    monitored = DatabaseOutput(using=committing, stop=stop)
    report, pipeline = execute([monitored], Scripted(questions(*["yes"] * 4), during), stop=stop)
    assert "the run was given up" in str(report.stopped)
    assert [error.driver for error in pipeline.errors] == ["DatabaseOutput"]
    assert columns(monitored.runs[0], "status", "total_count") == ("error", 0)


def beaten(run) -> Any:
    """Until when the shard is leased, and when its executor was last heard of."""
    return run.shards.values_list("lease_expires_at", "heartbeat_at").get()


@pytest.mark.usefixtures("quick")
def test_heartbeat__renews_the_lease(committing):
    told: list[str] = []
    run = make_run(committing)
    lease = leased(run)
    beating = heartbeat.Heartbeat(told.append, renewal=0.0)
    beating.add(lease)
    before = beaten(run)
    beating.beat()
    after = beaten(run)
    assert after > before
    beating.remove(lease)
    beating.beat()
    assert beaten(run) == after
    assert told == []


def test_counting__takes_longer_than_a_lease__the_run_counts_as_alive_until_it_is_closed(committing, monkeypatch):
    run = make_run(committing)
    lease = leased(run)
    _, _ = execute([DatabaseOutput(run, lease)], Scripted(questions("yes")))
    give_back(lease)
    past = database_now(committing) - timedelta(seconds=1)
    run.shards.update(lease_expires_at=past)

    def slow_report(*args: Any, **options: Any) -> Any:
        wait_until(lambda: not EvalRun.objects.using(committing).lost(database_now(committing)).exists())
        return report_of(*args, **options)

    monkeypatch.setattr(closing, "report_of", slow_report)
    monkeypatch.setattr(heartbeat, "RENEWAL", 0.01)

    assert close_run(run)

    assert columns(run, "status") == ("passed",)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("neuron_evals")]


def test_given_back__its_run_counts_as_alive_for_the_length_of_a_lease(committing):
    lease = leased(make_run(committing))
    give_back(lease)
    lost = EvalRun.objects.using(committing).lost
    now = database_now(committing)
    assert not lost(now).exists()
    assert lost(now + LEASE).exists()


def test_given_run__stores_and_leaves_the_end_to_its_owner(committing):
    run = make_run(committing, source=NAME)
    lease = leased(run)
    _, pipeline = execute([DatabaseOutput(run, lease)], Scripted(questions("yes", "no")))
    assert pipeline.errors == []
    assert columns(run, "status") == ("running",)
    assert not close_run(run)
    give_back(lease)
    assert close_run(run, Gate(min_success_rate=0.5))
    assert columns(run, "status", "passed_count", "failed_count") == ("passed", 1, 1)
    assert run.score_statistics["answer"]["count"] == 2
    assert not close_run(run)


def test_given_run_in_two_shards__is_judged_as_a_whole(committing):
    run = make_run(committing, source=NAME, shards=[(0, 2), (2, None)])
    first, second = leased(run), leased(run)
    Store(first).store([result(0), result(1)])
    Store(second).store([result(2, status="failed")])
    give_back(first)
    assert not close_run(run)
    give_back(second, error="out of memory")
    assert close_run(run)
    assert columns(run, "status", "total_count", "error") == ("error", 3, "a part of the run broke")


def test_run_without_lease_or_unknown_trigger__refused(committing):
    run = make_run(committing)
    with pytest.raises(ConfigurationError, match="give a run and a lease"):
        DatabaseOutput(run)
    with pytest.raises(ConfigurationError, match="trigger is one of command, admin, api, schedule, got 'cron'"):
        DatabaseOutput(trigger="cron")


def test_given_run_and_several_evaluators__refused(committing):
    run = make_run(committing)
    driver = DatabaseOutput(run, leased(run))
    with pytest.raises(OutputError, match=f"run {run.pk} takes the results of one evaluator, and the plan has 2"):
        driver.start(Plan((PlannedEvaluator("a", 1), PlannedEvaluator("b", 1))))
    driver.close()


def test_closed_without_a_report__the_run_is_an_error_with_what_came(committing):
    driver = DatabaseOutput(using=committing)
    driver.start(Plan((PlannedEvaluator(NAME, 2),)))
    driver.finished(result(0))
    driver.close()
    assert columns(driver.runs[0], "status", "total_count", "error") == (
        "error",
        1,
        "the command broke off before the run ended",
    )


def test_closed_without_a_start__nothing(committing):
    DatabaseOutput(using=committing).close()
    assert not EvalRun.objects.using(committing).exists()


def test_inside_a_transaction__written_there_and_rolled_back_with_it(committing):
    with transaction.atomic(committing):
        _, driver = stored(committing, Scripted(questions("yes", "no")))
        assert driver.runs[0].status == "failed"
        transaction.set_rollback(rollback=True, using=committing)
    assert not EvalRun.objects.using(committing).exists()


def test_threads_and_connections__end_with_the_run(committing):
    before = threading.active_count()
    stored(committing, Scripted(questions("yes")), concurrency=4)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("neuron_evals database")]
    assert threading.active_count() == before


def test_constraint_broken_in_an_item__its_error_is_stored_on_a_usable_connection(committing):
    def during(item):
        with transaction.atomic(committing):
            run = make_run(committing)
            EvalRunShard.objects.using(committing).create(run=run, number=0)

    _, driver = stored(committing, Scripted(questions("yes", "yes"), during))
    assert driver.runs[0].error_count == 2
    assert "IntegrityError" in driver.runs[0].items.first().error


@pytest.mark.django_db
def test_memory_database__written_by_the_caller():
    driver = DatabaseOutput()
    execute([driver], Scripted(questions("yes", "no")))
    assert columns(driver.runs[0], "status", "total_count") == ("failed", 2)
    assert connections["default"].in_atomic_block


def test_result_of_an_unknown_evaluator__refused(committing):
    driver = DatabaseOutput(using=committing)
    driver.start(Plan((PlannedEvaluator(NAME, 1),)))
    with pytest.raises(OutputError, match=r"a result of evaluators\.Unknown came"):
        driver.finished(replace(result(0), evaluator_class="evaluators.Unknown"))
    driver.close()


def test_called_under_a_running_event_loop__stored_all_the_same(committing):
    async def caller():
        return stored_without_queries(committing)

    driver = asyncio.run(caller())
    assert columns(driver.runs[0], "status", "total_count") == ("passed", 2)


def stored_without_queries(using):
    driver = DatabaseOutput(using=using)
    _, pipeline = execute([driver], Scripted(questions("yes", "yes")))
    assert pipeline.errors == []
    return driver


def test_evaluator_that_cannot_be_set_up__is_a_run_that_broke_and_has_no_result(committing):
    class Unready(Scripted):
        def set_up(self):
            raise RuntimeError("no key")

    report, driver = stored(committing, Unready(questions("yes")))
    (run,) = driver.runs
    assert (report.total_count, len(report.broken_evaluators)) == (0, 1)
    assert (run.status, run.items.count(), run.total_count) == ("error", 0, 0)
    assert "no key" in run.error
