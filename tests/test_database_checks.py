"""System checks of databases: warnings about what results may fail to be stored by."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks
from django.db import connections

from tests.databases import migrated
from tests.servers import database

ALIAS = "checked"
GOOD = {"transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"}


def ids(databases=(ALIAS,)):
    return [message.id for message in run_checks(tags=["neuron_evals"], databases=databases)]


@pytest.fixture
def sqlite(tmp_path, django_db_blocker):
    """Give a function that checks a SQLite file with such options."""

    def check(**options):
        entry = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "db.sqlite3"), "OPTIONS": options}
        connections.databases[ALIAS] = connections.configure_settings({"default": {}, ALIAS: entry})[ALIAS]
        try:
            return ids()
        finally:
            connections[ALIAS].close()
            del connections[ALIAS], connections.databases[ALIAS]

    with django_db_blocker.unblock():
        yield check


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (GOOD, []),
        ({**GOOD, "transaction_mode": "exclusive"}, []),
        ({"init_command": GOOD["init_command"]}, ["neuron_evals.W001"]),
        ({"transaction_mode": "DEFERRED", "init_command": GOOD["init_command"]}, ["neuron_evals.W001"]),
        ({"transaction_mode": "IMMEDIATE"}, ["neuron_evals.W002"]),
        ({}, ["neuron_evals.W001", "neuron_evals.W002"]),
    ],
)
def test_sqlite_file__warned_where_writers_would_meet(sqlite, options, expected):
    assert sqlite(**options) == expected


def test_file_that_cannot_be_opened__nothing_is_said_of_its_log(sqlite, tmp_path):
    (tmp_path / "db.sqlite3").mkdir()
    assert sqlite() == []


def test_database_that_may_not_be_asked__is_not(sqlite):
    assert ids(databases=None) == []
    assert ids(databases=()) == []


def test_database_without_our_tables__is_no_matter_of_ours(sqlite, settings):
    settings.DATABASE_ROUTERS = ["tests.test_database_checks.Elsewhere"]
    assert sqlite() == []


class Elsewhere:
    """A router that keeps the app's tables out of every database."""

    def allow_migrate(self, db, app_label, **hints):
        return False


@pytest.mark.server("mariadb")
@pytest.mark.parametrize(("charset", "expected"), [("utf8mb4", []), ("latin1", ["neuron_evals.W003"])])
def test_mariadb__warned_of_a_character_set_without_emoji(django_db_blocker, charset, expected):
    entry = {**database("mariadb", "neuron_evals_checked"), "TEST": {"CHARSET": charset}}
    with django_db_blocker.unblock(), migrated(ALIAS, entry):
        assert ids() == expected


def test_memory_database_and_postgresql__no_warning(db):
    assert ids(databases=["default"]) == []
