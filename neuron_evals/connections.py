"""Database connections of workers. Django's own are per thread, and only its request cycle closes them.

A connection inside an atomic block always stays as it is: closing it would lose the work of whoever began the block.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from asgiref.sync import SyncToAsync, ThreadSensitiveContext, sync_to_async
from django.db import connections

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper


def refresh_connections() -> None:
    """Drop this thread's connections that broke or outlived `CONN_MAX_AGE`, so that the next query opens new ones.

    Call it in a worker thread before each item. `django.db.close_old_connections` does the same, and inside atomic
    blocks too.
    """
    for connection in _free_connections():
        connection.close_if_unusable_or_obsolete()


def others_see(alias: str) -> bool:
    """Return whether other threads and processes see what this thread writes.

    They do not inside an atomic block, and where the database is SQLite's in memory.

    Args:
        alias: Alias of the database.
    """
    connection: Any = connections[alias]
    in_memory = getattr(connection, "is_in_memory_db", None)  # only SQLite's connections have it
    return not (connection.in_atomic_block or (in_memory is not None and in_memory()))


def close_connections() -> None:
    """Close the connections that this thread opened. Call it as a worker thread or child process ends."""
    for connection in _free_connections():
        connection.close()


@asynccontextmanager
async def own_async_connections() -> AsyncIterator[None]:
    """Have the queries of async code made in a thread of its own, and close its connections at the end.

    Django makes the queries of all event loops in one thread: items would wait for each other, and one that breaks the
    connection would break it for all that are in flight. Inside another `ThreadSensitiveContext` nothing changes.
    """
    async with ThreadSensitiveContext() as context:
        try:
            yield
        finally:
            if context in SyncToAsync.context_to_thread_executor:  # else no query was made, and there is no thread yet
                await sync_to_async(close_connections)()


def forget_connections() -> None:
    """Let go of the connections that this process inherited when it was forked, and leave the parent's as they are.

    To end a session with a server here would end the parent's, and over TLS both would use one cipher state. So the
    connections are kept as they are, never used, and the next query opens new ones. A database in memory is a copy
    already. The file of a SQLite database is closed here, unless the parent is in the middle of a transaction.
    """
    for connection in connections.all(initialized_only=True):
        in_memory = getattr(connection, "is_in_memory_db", None)  # only SQLite's connections have it
        if in_memory is not None:
            if in_memory():
                continue
            _close_copy(connection)
        _INHERITED.append(connection)
        del connections[connection.alias]


def _close_copy(connection: BaseDatabaseWrapper) -> None:
    """Close the copy of a SQLite connection.

    SQLite notes for each file what its process has locked. While an inherited connection is open, that note goes on to
    say what the parent had locked, and new connections lock nothing themselves: with a write-ahead log, rows are lost.
    To close it unlocks nothing of the parent's; but a transaction would be rolled back, under the parent's hands.
    """
    copy = connection.connection
    if copy is not None and not copy.in_transaction:
        copy.close()


_INHERITED: list[BaseDatabaseWrapper] = []
"""Connections of the parent: referenced, so that nothing ever closes them by destructing them."""


def _free_connections() -> Iterator[BaseDatabaseWrapper]:
    """Yield this thread's connections that are inside no atomic block."""
    return (item for item in connections.all(initialized_only=True) if not item.in_atomic_block)
