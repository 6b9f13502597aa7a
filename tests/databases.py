"""Databases of tests: made for one alone, or migrated once and given to each test clean."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.patience import wait_until
from tests.servers import database

if TYPE_CHECKING:
    from pathlib import Path

    from django.db.backends.base.base import BaseDatabaseWrapper

SQLITE_FILE: dict[str, Any] = {
    "ENGINE": "django.db.backends.sqlite3",
    "OPTIONS": {
        "timeout": 60,
        "transaction_mode": "IMMEDIATE",
        # What is lost when the machine loses power is no matter of tests; a process that is killed loses nothing.
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=OFF",
    },
}
"""Entry of `DATABASES` for a SQLite file, without its name."""

_QUICK: dict[str, dict[str, Any]] = {"postgresql": {"options": "-c synchronous_commit=off"}}
_PREPARING = "preparing"
_OWN_ROWS = ("django_migrations",)
_GROWING = ("auth_permission", "django_content_type")
"""Tables with rows that migrating makes; the permissions come first, because they refer to the others."""

_OTHER_SESSIONS = {
    "postgresql": "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
    "mysql": "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
}
_END_SESSION = {"postgresql": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}


@contextmanager
def migrated(alias: str, entry: dict[str, Any]) -> Iterator[None]:
    """Create a migrated, empty test database by an entry of `DATABASES`, reached by `alias` within the block."""
    with registered(alias, entry) as connection:
        name = connection.settings_dict["NAME"]
        _create(connection)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)


@contextmanager
def registered(alias: str, entry: dict[str, Any]) -> Iterator[BaseDatabaseWrapper]:
    """Reach a database by `alias` within the block."""
    from django.db import connections  # noqa: PLC0415  (the engine's own tests have no Django)

    connections.databases[alias] = connections.configure_settings({**connections.databases, alias: entry})[alias]
    try:
        yield connections[alias]
    finally:
        connections[alias].close()
        del connections[alias], connections.databases[alias]


class MigratedOnce:
    """Databases that are migrated when the first test needs them, and given to each test without rows.

    Args:
        folder: Where files of SQLite are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._template: Path | None = None
        self._copies = 0
        self._servers: dict[str, _Server] = {}

    @contextmanager
    def at(self, alias: str, kind: str) -> Iterator[None]:
        """Reach an empty database by `alias` within the block: `"sqlite"` for a file, or a key of `SERVERS`."""
        with self._sqlite(alias) if kind == "sqlite" else self._server(kind).at(alias):
            yield

    def destroy(self) -> None:
        """Remove the databases from their servers."""
        for server in self._servers.values():
            server.destroy()

    @contextmanager
    def _sqlite(self, alias: str) -> Iterator[None]:
        if self._template is None:
            path = self._folder / "template.sqlite3"
            with registered(_PREPARING, _file(path)) as connection:
                _create(connection)
            self._template = path  # its connection is closed: the log is written back into it
        self._copies += 1
        path = self._folder / f"{self._copies}.sqlite3"
        shutil.copyfile(self._template, path)
        with registered(alias, _file(path)):
            yield
        for written in self._folder.glob(f"{path.name}*"):
            written.unlink()

    def _server(self, vendor: str) -> _Server:
        if vendor not in self._servers:
            self._servers[vendor] = _Server(vendor)
        return self._servers[vendor]


class _Server:
    """A database on a server."""

    def __init__(self, vendor: str) -> None:
        entry = {**database(vendor, "neuron_evals_shared"), "OPTIONS": _QUICK.get(vendor, {})}
        self._name = entry["NAME"]
        with registered(_PREPARING, entry) as connection:
            _create(connection)
            self._entry = {**entry, "NAME": connection.settings_dict["NAME"]}
            tables = connection.introspection.table_names()
            self._emptied = [name for name in tables if name not in (*_OWN_ROWS, *_GROWING)]
            with connection.cursor() as cursor:
                self._kept = {name: _last_id(cursor, name) for name in _GROWING}

    @contextmanager
    def at(self, alias: str) -> Iterator[None]:
        try:
            with registered(alias, self._entry):
                yield
        finally:
            # A connection of its own: that of the test may be broken, or in the middle of something.
            with registered(_PREPARING, self._entry) as connection:
                self._clean(connection)

    def destroy(self) -> None:
        with registered(_PREPARING, self._entry) as connection:
            connection.creation.destroy_test_db(self._name, verbosity=0)

    def _clean(self, connection: BaseDatabaseWrapper) -> None:
        """Delete what the test left; what still goes on in the database is ended before."""
        from django.db import transaction  # noqa: PLC0415  (the engine's own tests have no Django)

        with connection.cursor() as cursor:
            wait_until(lambda: _ended_others(cursor, connection.vendor))
            filled = _filled(cursor, self._emptied)
            # In PostgreSQL Django's foreign keys are looked at when the transaction ends.
            with connection.constraint_checks_disabled(), transaction.atomic(connection.alias):
                for name in filled:
                    cursor.execute(f"DELETE FROM {name}")  # noqa: S608  (as above)
                for name, last in self._kept.items():
                    cursor.execute(f"DELETE FROM {name} WHERE id > %s", [last])  # noqa: S608


def _file(path: Path) -> dict[str, Any]:
    return {**SQLITE_FILE, "NAME": str(path), "TEST": {"NAME": str(path)}}


def _create(connection: BaseDatabaseWrapper) -> None:
    from django.db import OperationalError  # noqa: PLC0415  (the engine's own tests have no Django)

    try:
        if connection.vendor != "sqlite":
            with connection._nodb_cursor():
                pass
    except (OperationalError, RuntimeWarning) as exc:  # the warning comes before a second try with PostgreSQL
        user = connection.settings_dict["USER"]
        pytest.skip(f"{connection.alias} answers, but lets {user} not in: {exc}")
    connection.creation.create_test_db(verbosity=0, autoclobber=True)


def _ended_others(cursor: Any, vendor: str) -> bool:
    """End the other sessions in the database, and return whether there was none."""
    cursor.execute(_OTHER_SESSIONS[vendor])
    found = [number for (number,) in cursor.fetchall()]
    for number in found:
        cursor.execute(_END_SESSION[vendor].format(number))
    return not found


def _last_id(cursor: Any, table: str) -> Any:
    cursor.execute(f"SELECT COALESCE(MAX(id), 0) FROM {table}")  # noqa: S608  (a table of ours)
    return cursor.fetchone()[0]


def _filled(cursor: Any, tables: list[str]) -> list[str]:
    """Return which tables have rows."""
    cursor.execute(
        " UNION ALL ".join(
            f"SELECT '{table}' FROM (SELECT 1 AS one) AS row_of_one WHERE EXISTS (SELECT 1 FROM {table})"  # noqa: S608
            for table in tables
        )
    )
    return [table for (table,) in cursor.fetchall()]
