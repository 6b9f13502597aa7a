"""Waiting as long as a slow machine needs, and no longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LONGEST_SECONDS = 60.0
"""How long what must come about may take."""

LIMITS = (0.3, 3.0, 30.0)
"""Limits in seconds of what must end because something else hangs."""


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until `condition` gives something true.

    Raises:
        AssertionError: It did not within `LONGEST_SECONDS`.
    """
    until = time.monotonic() + LONGEST_SECONDS
    while not condition():
        assert time.monotonic() < until, f"it did not come about within {LONGEST_SECONDS:.0f} s"
        time.sleep(0.002)


def under_shortest_limit(attempt: Callable[[float], T], fits: Callable[[T], object]) -> tuple[T, float]:
    """Try one limit after the other until what should not reach it does not.

    A test of a time limit needs a short one, because it waits for it; but what stands beside the thing that hangs must
    be done in time, which on a slow machine takes longer than on others.

    Args:
        attempt: Does it all under a limit in seconds.
        fits: Says of what came out whether the limit left enough time for what does not hang.

    Returns:
        What came out under the first limit that fits, else under the longest; and that limit in seconds.
    """
    for limit in LIMITS[:-1]:
        found = attempt(limit)
        if fits(found):
            return found, limit
    return attempt(LIMITS[-1]), LIMITS[-1]
