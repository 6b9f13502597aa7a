"""Waiting for a database that is busy or away."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from django.db import Error, InterfaceError, OperationalError, connections

from neuron_evals.core.exceptions import OutputError
from neuron_evals.models.contention import FIRST_PAUSE, is_contention, slept

T = TypeVar("T")

PATIENCE: Final = 30.0
"""Seconds that a database may be busy or away; a lease lasts longer."""

_TRIES: Final = 3


def patiently(using: str, job: Callable[[], T], patience: float = PATIENCE) -> T:
    """Do something in the database, again while it is busy or away, with pauses that grow to a second.

    Args:
        using: Alias of the database.
        job: What to do; what it had done when it broke must not stay.
        patience: Seconds after which it is given up, 0 or more.

    Returns:
        What `job` returned.

    Raises:
        OutputError: The database was busy or away all the time.
        Exception: Whatever else `job` raises. That is also the database's own error when it answers and fails at this
            job each time, and any error inside an atomic block of the caller, which cannot go on after it.
    """
    end = time.monotonic() + patience
    pause = FIRST_PAUSE
    tries = 0
    while True:
        try:
            return job()
        except (OperationalError, InterfaceError) as exc:
            if connections[using].in_atomic_block:
                raise
            if not is_contention(exc) and _answers(using):
                tries += 1
                if tries == _TRIES:
                    raise
            if time.monotonic() + pause > end:
                msg = f'the database "{using}" was busy or away for {patience:g} seconds: {_one_line(exc)}'
                raise OutputError(msg) from exc
        pause = slept(pause)


def _answers(using: str) -> bool:
    """Return whether the database answers; a connection that broke is closed, so that the next query opens another."""
    connection: Any = connections[using]
    try:
        connection.close_if_unusable_or_obsolete()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        with suppress(Error):
            connection.close()
        return False
    return True


def _one_line(exc: BaseException) -> str:
    return " ".join(f"{type(exc).__name__}: {exc}".split())
