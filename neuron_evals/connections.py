"""Database connections of worker threads. Django's own are per thread, and only its request cycle closes them.

A connection inside an atomic block always stays as it is: closing it would lose the work of whoever began the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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


def close_connections() -> None:
    """Close the connections that this thread opened. Call it as a worker thread ends."""
    for connection in _free_connections():
        connection.close()


def _free_connections() -> Iterator[BaseDatabaseWrapper]:
    """Yield this thread's connections that are inside no atomic block."""
    return (item for item in connections.all(initialized_only=True) if not item.in_atomic_block)
