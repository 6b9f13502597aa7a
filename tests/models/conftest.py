"""The three kinds of databases, migrated once for each module."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connections, transaction

from neuron_evals.models import AgentDefinition, CachedOutput, EvalReview, EvalRun, EvalRunItem, EvalRunShard, EvalSuite
from tests.databases import migrated
from tests.servers import SERVERS, database

ALIAS = "rows"
SQLITE: dict[str, Any] = {
    "ENGINE": "django.db.backends.sqlite3",
    "OPTIONS": {"timeout": 60, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"},
}
DELETED = (EvalReview, EvalRunItem, EvalRunShard, CachedOutput, EvalRun, EvalSuite, AgentDefinition)


@pytest.fixture(
    scope="module", params=["sqlite", *(pytest.param(vendor, marks=pytest.mark.server(vendor)) for vendor in SERVERS)]
)
def _database(request, django_db_blocker, tmp_path_factory):
    if request.param == "sqlite":
        path = str(tmp_path_factory.mktemp("database") / "rows.sqlite3")
        entry = {**SQLITE, "NAME": path, "TEST": {"NAME": path}}
    else:
        entry = database(request.param, "neuron_evals_rows")
    with django_db_blocker.unblock(), migrated(ALIAS, entry):
        yield


@pytest.fixture
def using(_database, django_db_blocker):
    """Alias of a migrated, empty database; what the test does to it is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic(ALIAS):
        yield ALIAS
        transaction.set_rollback(rollback=True, using=ALIAS)


@pytest.fixture
def committing(_database, django_db_blocker):
    """Alias of a migrated, empty database; transactions of the test are real, and its rows deleted afterwards."""
    with django_db_blocker.unblock():
        yield ALIAS
        EvalSuite.objects.using(ALIAS).update(baseline=None)
        EvalRun.objects.using(ALIAS).update(parent=None)
        for model in DELETED:
            model.objects.using(ALIAS).all()._raw_delete(ALIAS)
        assert not connections[ALIAS].in_atomic_block
