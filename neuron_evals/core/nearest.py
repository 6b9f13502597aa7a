"""The known name that a wrong one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(given: object, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to another, whatever the case; `None` when none is near."""
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(str(given).lower(), by_lower, n=1)
    return by_lower[near[0]] if near else None


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """Return the question for the known name that is nearest, with a space behind it; empty when none is near."""
    near = nearest(given, known)
    return "" if near is None else f'did you mean "{near}"? '
