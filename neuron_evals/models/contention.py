"""Small transactions that meet others in the database: the one that has to give way is repeated."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from django.db import OperationalError, connections

T = TypeVar("T")

PATIENCE: Final = 10.0
"""Seconds after which a transaction that is in the way of others all the time is given up."""

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds between two tries: they grow from the one to the other."""

_CODES: Final = {1205, 1213, "40001", "40P01", "55P03"}
"""MariaDB's numbers and PostgreSQL's codes of locks that were not to be had, deadlocks and serialization failures."""


def despite_contention(using: str, job: Callable[[], T]) -> T:
    """Do something in the database, again where it met others, with pauses that grow to a second.

    Args:
        using: Alias of the database.
        job: One statement, or one transaction: when it breaks, nothing of it stays.

    Returns:
        What `job` returned.

    Raises:
        OperationalError: It met others for 10 seconds, or failed for another reason; or the caller is inside an atomic
            block, which cannot go on after such an error: repeat the whole block.
    """
    end = time.monotonic() + PATIENCE
    pause = FIRST_PAUSE
    while True:
        try:
            return job()
        except OperationalError as exc:
            if connections[using].in_atomic_block or not is_contention(exc) or time.monotonic() + pause > end:
                raise
        pause = slept(pause)


def is_contention(exc: BaseException) -> bool:
    """Return whether an error of the database says that others were in the way."""
    code = getattr(exc.__cause__, "sqlstate", None) or next(iter(exc.args), None)
    return code in _CODES or "database is locked" in str(exc) or "database table is locked" in str(exc)


def slept(pause: float) -> float:
    """Sleep up to `pause` seconds, and return the next pause. Who met in a deadlock must not meet again."""
    time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311  (no secret)
    return min(2 * pause, LONGEST_PAUSE)
