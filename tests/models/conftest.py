"""The three kinds of databases, clean for each test."""

from __future__ import annotations

import pytest
from django.db import connections, transaction

from tests.servers import SERVERS

ALIAS = "rows"


@pytest.fixture(params=["sqlite", *(pytest.param(vendor, marks=pytest.mark.server(vendor)) for vendor in SERVERS)])
def _database(request, django_db_blocker, databases):
    with django_db_blocker.unblock(), databases.at(ALIAS, request.param):
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
        assert not connections[ALIAS].in_atomic_block
