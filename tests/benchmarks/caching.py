"""What the cache of outputs costs, and what a hit costs instead of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, medians, run_child

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = 1000
REPEATS = 5
NAMES = {
    "none": "an item that runs at once, no cache",
    "miss": "the same, output stored in a FileCache",
    "hit": "the same, output found in a FileCache",
}


def figures(folder: Path) -> list[Figure]:
    """Measure items that return at once, so that nothing but the cache shows."""
    del folder
    usual = medians({how: _child(how) for how in NAMES}, REPEATS)
    return [Figure(NAMES[how], seconds / ITEMS * 1e6, "µs") for how, seconds in usual.items()]


def _child(how: str) -> Callable[[], float]:
    return lambda: run_child("caching.py", str(ITEMS), how)["seconds"]
