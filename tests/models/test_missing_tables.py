"""What keeps a database from holding our rows is known before anything runs."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from django.db import connections, transaction

from neuron_evals.caches import DatabaseCache
from neuron_evals.models import CachedOutput, EvalRun, EvalRunItem, EvalSuite
from neuron_evals.models.tables import table_problems
from neuron_evals.outputs import DatabaseOutput
from tests.databases import registered

OTHER = "other"
READ_ONLY = {
    "sqlite": {"init_command": "PRAGMA query_only=ON"},
    "postgresql": {"options": "-c default_transaction_read_only=on"},
    "mysql": {"init_command": "SET SESSION TRANSACTION READ ONLY"},
}


@contextmanager
def reached(using, **options):
    """Reach the database in another way, by `OTHER`."""
    entry = connections.databases[using]
    with registered(OTHER, {**entry, "OPTIONS": {**entry["OPTIONS"], **options}}):
        yield OTHER


@pytest.fixture
def reading(committing):
    """Alias by which the database can only be read."""
    with reached(committing, **READ_ONLY[connections[committing].vendor]) as alias:
        yield alias


def test_database_that_takes_rows__no_problem_and_no_row(committing):
    assert table_problems(committing) == []
    assert not EvalRun.objects.using(committing).exists()


def test_database_that_can_only_be_read__a_problem_of_output_and_cache(reading):
    assert list(EvalRun.objects.using(reading)) == []
    [problem] = DatabaseOutput(using=reading).problems()
    assert problem.startswith('the database "other" cannot be used: ')
    [problem] = DatabaseCache(reading).problems()
    assert problem.startswith("the cache in the database cannot be used: ")


def test_sqlite_that_others_are_writing_to__no_problem(databases, django_db_blocker):
    with (
        django_db_blocker.unblock(),
        databases.at("rows", "sqlite"),
        reached("rows", timeout=0.01) as other,
        transaction.atomic("rows"),
    ):
        EvalRun.objects.using("rows").filter(pk=1).update(batch="x")
        assert table_problems(other) == []


def test_many_tables_missing__three_are_named_with_the_command(tmp_path, django_db_blocker):
    entry = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "empty.sqlite3")}
    with django_db_blocker.unblock(), registered(OTHER, entry):
        [problem] = table_problems(OTHER, (EvalRun, EvalSuite, EvalRunItem, CachedOutput))
    assert problem == (
        'the database "other" has no table neuron_evals_evalrun, no table neuron_evals_evalsuite, '
        "no table neuron_evals_evalrunitem, and lacks 1 more; "
        "run `python manage.py migrate neuron_evals --database other`"
    )
