"""Storing results: those that are there, those that are refused, a lease that was lost, a database that is away."""

from __future__ import annotations

import logging
from datetime import timedelta

import numpy as np
import pytest
from django.db import DataError, IntegrityError, OperationalError, connections, transaction

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.results import Status
from neuron_evals.models import EvalRun, EvalRunItem, contention, states
from neuron_evals.models.clock import database_now
from neuron_evals.models.leases import LeaseLost
from neuron_evals.outputs import patience, storing
from neuron_evals.outputs import rows as rows_module
from neuron_evals.outputs.patience import patiently
from neuron_evals.outputs.storing import Store
from tests.models.rows import make_run, over
from tests.outputs.running import leased, result


@pytest.fixture
def store(committing):
    return Store(leased(make_run(committing)), patience=0.0)


def rows(store):
    return EvalRunItem.objects.using(store.lease.using).filter(run=store.lease.run_id).in_dataset_order()


def test_stored_again__changes_nothing(store):
    store.store([result(0), result(1)])
    store.store([result(1, status=Status.FAILED), result(2)])
    store.store([result(0), result(1), result(2)])
    assert list(rows(store).values_list("index", "status")) == [(0, "passed"), (1, "passed"), (2, "passed")]
    assert store.refused == 0


def test_one_that_the_database_refuses__is_an_error_item_and_the_others_are_stored(store, caplog):
    said = "what the agent said"
    with caplog.at_level(logging.WARNING):
        store.store([result(index, output=said, repeat=70_000 if index == 5 else 0) for index in range(9)])
    refused = connections[store.lease.using].vendor != "sqlite"  # SQLite has no small numbers
    assert store.refused == refused
    statuses = dict(rows(store).values_list("index", "status"))
    assert statuses == dict.fromkeys(range(9), "passed") | ({5: "error"} if refused else {})
    if refused:
        row = rows(store).get(index=5)
        assert row.error == "The result, which was passed, could not be stored: DataError"
        assert (row.output, row.score) == (None, None)
        assert row.item_key in caplog.text
        assert said not in caplog.text


def refusing(monkeypatch, refuse):
    """Have the preparation of rows raise what `refuse` gives for a result."""

    def row_of(run_id, given):
        if error := refuse(given):
            raise error
        return rows_module.row_of(run_id, given)

    monkeypatch.setattr(storing, "row_of", row_of)


@pytest.mark.parametrize("error", [ValueError("what the agent said"), RecursionError(), DataError("what it said")])
def test_one_that_cannot_be_written__is_an_error_item_without_its_text(store, monkeypatch, caplog, error):
    refusing(monkeypatch, lambda given: error if given.index == 2 else None)
    store.store([result(index) for index in range(5)])
    assert [row.status for row in rows(store)] == ["passed", "passed", "error", "passed", "passed"]
    assert rows(store).get(index=2).error.endswith(f"could not be stored: {type(error).__name__}")
    assert "said" not in caplog.text


def test_not_even_an_error_item__an_error_that_names_run_and_item(store, monkeypatch):
    def refuse(*_):
        raise IndexError

    monkeypatch.setattr(Store, "_write", refuse)
    with pytest.raises(OutputError, match=r"run \d+: the result of item 4 cannot be stored: IndexError"):
        store.store([result(4)])


def test_lease_lost__nothing_is_written(store):
    states.sweep(now=database_now(store.lease.using) + timedelta(hours=1), using=store.lease.using)
    with pytest.raises(LeaseLost):
        store.store([result(0)])
    assert not rows(store).exists()


def test_run_deleted__lease_is_lost(store):
    over(EvalRun.objects.using(store.lease.using).get(pk=store.lease.run_id)).delete()
    with pytest.raises(LeaseLost):
        store.store([result(0)])


def test_commit_whose_answer_is_lost__each_result_is_there_once(store, monkeypatch):
    write = Store._write
    broke: list[bool] = []

    def committed_and_lost(self, rows):
        write(self, rows)
        if not broke:
            broke.append(True)
            raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(Store, "_write", committed_and_lost)
    store._patience = 30.0
    store.store([result(0), result(1)])
    assert broke
    assert rows(store).count() == 2


def test_connection_that_broke__the_next_one_is_taken(server_database):
    using = server_database
    store = Store(leased(make_run(using)))
    store.store([result(0)])
    end = {"postgresql": "SELECT pg_terminate_backend(%s)", "mysql": "KILL %s"}[connections[using].vendor]
    own = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT connection_id()"}[connections[using].vendor]
    with connections[using].cursor() as cursor:
        cursor.execute(own)
        [number] = cursor.fetchone()
    other = connections[using].copy("other")
    with other.cursor() as cursor:
        cursor.execute(end, [number])
    other.close()
    store.store([result(1)])
    assert rows(store).count() == 2


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(patience, "time", clock)
    monkeypatch.setattr(contention, "time", clock)
    return clock


@pytest.fixture
def away(monkeypatch):
    """Whether the database answers is what a test says."""
    monkeypatch.setattr(patience, "_answers", lambda using: False)


@pytest.mark.usefixtures("away")
def test_outage_shorter_than_the_patience__is_outlived(using_none, clock):
    def job():
        if clock.now < 20:
            raise OperationalError("connection refused")
        return "done"

    assert patiently("default", job) == "done"


@pytest.mark.usefixtures("away")
def test_outage_longer_than_the_patience__an_error_that_says_so(using_none, clock):
    def job():
        raise OperationalError("connection\nrefused")

    with pytest.raises(
        OutputError, match='"default" was busy or away for 30 seconds: OperationalError: connection refused'
    ):
        patiently("default", job)
    assert 28 < clock.now <= 30


@pytest.mark.parametrize(
    "error",
    [OperationalError("database is locked"), OperationalError(1213, "Deadlock"), OperationalError(1205, "Lock")],
)
def test_contention__tried_again_as_long_as_the_patience_lasts(using_none, clock, error):
    tries = []

    def job():
        tries.append(clock.now)
        if len(tries) < 12:
            raise error

    patiently("default", job)
    assert len(tries) == 12


def test_database_that_answers_and_fails_at_it_each_time__its_own_error(using_none, clock, monkeypatch):
    monkeypatch.setattr(patience, "_answers", lambda using: True)
    tries = []

    def job():
        tries.append(1)
        raise OperationalError("packet too large")

    with pytest.raises(OperationalError, match="packet too large"):
        patiently("default", job)
    assert len(tries) == 3


def test_refused_for_another_reason__at_once(using_none, clock):
    def job():
        raise IntegrityError("twice")

    with pytest.raises(IntegrityError):
        patiently("default", job)
    assert clock.now == 0


def test_inside_a_transaction_of_the_caller__at_once(committing, clock):
    def job():
        raise OperationalError("connection lost")

    with pytest.raises(OperationalError), transaction.atomic(committing):
        patiently(committing, job)
    assert clock.now == 0


@pytest.fixture
def using_none():
    """No database is used: what the job does is made up."""
    assert not connections["default"].in_atomic_block


def test_other_kinds_of_float__are_stored_as_they_are_and_those_that_json_has_not_as_unknown(store):
    costs = [np.float64(0.25), np.float64("nan"), np.float64("inf")]
    store.store([result(index, cost=cost) for index, cost in enumerate(costs)])
    assert list(rows(store).values_list("cost", flat=True)) == [0.25, None, None]
    assert store.refused == 0
