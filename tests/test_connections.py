"""Database connections of worker threads and event loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from asgiref.sync import sync_to_async
from django.db import connections, transaction

from neuron_evals.connections import close_connections, own_async_connections, refresh_connections

if TYPE_CHECKING:
    from pathlib import Path

    from django.db.backends.base.base import BaseDatabaseWrapper

ALIAS = "workers"


@pytest.fixture
def _database(tmp_path: Path, django_db_blocker) -> Iterator[None]:
    """Provide a database in a file: Django never closes one in memory."""
    entry = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "workers.sqlite3")}
    connections.databases[ALIAS] = connections.configure_settings({"default": {}, ALIAS: entry})[ALIAS]
    with django_db_blocker.unblock():
        yield
        connections[ALIAS].close()
    del connections[ALIAS], connections.databases[ALIAS]


def in_thread(function: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            function()
        except BaseException as exc:
            failures.append(exc)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def query() -> BaseDatabaseWrapper:
    connection = connections[ALIAS]
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
    return connection


pytestmark = pytest.mark.usefixtures("_database")


def test_close__in_a_thread__closes_what_the_thread_opened_and_leaves_others():
    ours = query()

    def work() -> None:
        theirs = query()
        close_connections()
        assert theirs.connection is None

    in_thread(work)
    assert ours.connection is not None
    query()


def test_close__nothing_opened__opens_nothing():
    def work() -> None:
        close_connections()
        assert connections.all(initialized_only=True) == []

    in_thread(work)


def test_refresh__connection_outlived_its_age__replaced_by_the_next_query():
    def work() -> None:
        first = query().connection
        connections[ALIAS].close_at = 0
        refresh_connections()
        assert query().connection is not first
        close_connections()

    in_thread(work)


def test_refresh__connection_without_age_limit__kept():
    def work() -> None:
        connections[ALIAS].settings_dict["CONN_MAX_AGE"] = None
        first = query().connection
        refresh_connections()
        assert query().connection is first
        close_connections()

    in_thread(work)


@pytest.mark.parametrize("function", [refresh_connections, close_connections])
def test_connection_inside_an_atomic_block__stays_and_its_work_is_kept(function: Callable[[], None]) -> None:
    def work() -> None:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("CREATE TABLE note (body TEXT)")
        with transaction.atomic(using=ALIAS):
            with connections[ALIAS].cursor() as cursor:
                cursor.execute("INSERT INTO note VALUES ('kept')")
            connections[ALIAS].close_at = 0
            function()
            query()
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("SELECT body FROM note")
            assert cursor.fetchall() == [("kept",)]
        connections[ALIAS].close()

    in_thread(work)


def test_own_async__queries_in_a_thread_of_their_own_that_closes_its_connections_and_ends():
    async def work() -> tuple[BaseDatabaseWrapper, threading.Thread]:
        async with own_async_connections():
            theirs, thread = await sync_to_async(query)(), await sync_to_async(threading.current_thread)()
            assert await sync_to_async(query)() is theirs
            assert theirs.connection is not None
        return theirs, thread

    async def together() -> tuple[tuple[BaseDatabaseWrapper, threading.Thread], ...]:
        return await asyncio.gather(work(), work())

    ours = query()
    used = asyncio.run(together())
    assert len({id(theirs) for theirs, _ in used} | {id(ours)}) == 3
    assert [theirs.connection for theirs, _ in used] == [None, None]
    assert not any(thread.is_alive() for _, thread in used)
    assert ours.connection is not None


def test_own_async__item_breaks__still_closes():
    used: list[BaseDatabaseWrapper] = []

    async def work() -> None:
        async with own_async_connections():
            used.append(await sync_to_async(query)())
            raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(work())
    assert used[0].connection is None


def test_own_async__no_query__starts_no_thread():
    async def work() -> None:
        before = set(threading.enumerate())
        async with own_async_connections():
            pass
        assert set(threading.enumerate()) <= before

    asyncio.run(work())
