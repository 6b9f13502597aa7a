"""Figures as words: what is unknown reads `n/a`, and rounding never turns almost all into all."""

from __future__ import annotations

import math
from collections.abc import Mapping

from neuron_evals.core.results import Status

UNKNOWN = "n/a"
FAKE_NOTE = "canned replies stood in for the agent; nothing here tells how good it is"
_LARGEST_PLAIN = 1e15
_FINEST = 12
_STATUS_WORDS = {
    Status.PASSED: ("passed", "passed"),
    Status.FAILED: ("failed", "failed"),
    Status.ERROR: ("error", "errors"),
    Status.SKIPPED: ("skipped", "skipped"),
    Status.CANCELLED: ("cancelled", "cancelled"),
}


def percent(rate: float | None) -> str:
    """Return a fraction as a percentage with one decimal, with more where that would read 100 % or 0 % and is not.

    Args:
        rate: A fraction from 0 to 1; `None` when unknown.
    """
    if rate is None:
        return UNKNOWN
    value = rate * 100
    digits = 1
    while digits < _FINEST and 0 < rate < 1 and round(value, digits) in (0, 100):
        digits += 1
    return f"{number(value, digits)}%"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with at most `digits` decimals and no trailing zeros; `n/a` for `None`."""
    if value is None:
        return UNKNOWN
    if abs(value) >= _LARGEST_PLAIN:
        return f"{value:.6g}"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def seconds(value: float | None) -> str:
    """Return seconds with their unit, to the millisecond."""
    return UNKNOWN if value is None else f"{number(value)} s"


def time_left(value: float) -> str:
    """Return seconds, rounded up, as minutes and seconds, with hours when there are any."""
    minutes, rest = divmod(math.ceil(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun in the right number; the plural adds an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def by_status(counts: Mapping[Status, int]) -> str:
    """Return counts by status, such as `3 passed, 1 error`; what did not happen is left out, but for passed."""
    return ", ".join(
        f"{counts.get(status, 0)} {one if counts.get(status) == 1 else more}"
        for status, (one, more) in _STATUS_WORDS.items()
        if counts.get(status) or status is Status.PASSED
    )
