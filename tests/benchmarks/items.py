"""Time per item that returns at once, against pydantic-evals in an environment of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, medians, run_child
from tests.benchmarks.peer import peer

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = 10_000
REPEATS = 5
MICROSECONDS = 1e6 / ITEMS


def figures(folder: Path) -> list[Figure]:
    """Measure both tools with the same items in the same run."""
    python = peer(folder)
    taken = medians(
        {
            "inline": lambda: run_child("own_items.py", str(ITEMS), "1")["seconds"],
            "threads": lambda: run_child("own_items.py", str(ITEMS), "4")["seconds"],
            "peer": lambda: run_child("pydantic_items.py", str(ITEMS), python=python)["seconds"],
        },
        REPEATS,
    )
    version = run_child("pydantic_items.py", "1", python=python)["version"]
    return [
        Figure(f"an item, inline, {ITEMS:,} items", taken["inline"] * MICROSECONDS, "µs", goal=50),
        Figure(f"an item, 4 threads, {ITEMS:,} items", taken["threads"] * MICROSECONDS, "µs", goal=50),
        Figure(f"an item in pydantic-evals {version}", taken["peer"] * MICROSECONDS, "µs"),
        Figure("inline against pydantic-evals", taken["inline"] / taken["peer"], "", goal=0.2),
        Figure("4 threads against pydantic-evals", taken["threads"] / taken["peer"], "", goal=0.2),
    ]
