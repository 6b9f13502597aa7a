"""Storing results as they come, against `bulk_create` of the same rows, and against not storing them."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, run_child
from tests.servers import SERVERS, missing

if TYPE_CHECKING:
    from pathlib import Path

FEW, MANY, WAITING = 10_000, 100_000, 2_000
REPEATS = 3


def figures(folder: Path) -> list[Figure]:
    """Measure a SQLite file, and each server that answers."""
    vendors = ["sqlite", *(vendor for vendor in SERVERS if not missing(vendor))]
    return [figure for vendor in vendors for figure in _figures_of(vendor, folder)]


def _figures_of(vendor: str, folder: Path) -> list[Figure]:
    few = _medians(vendor, "immediate", FEW, folder, REPEATS)
    many = _medians(vendor, "immediate", MANY, folder, 1)
    waiting = _medians(vendor, "waiting", WAITING, folder, REPEATS)
    return [
        Figure(f"{vendor}: {FEW:,} items stored, in times of bulk_create", few["stored"] / few["bulk"], "", goal=2),
        Figure(f"{vendor}: {MANY:,} items stored, likewise", many["stored"] / many["bulk"], "", goal=2),
        Figure(f"{vendor}: an item, stored", few["stored"] * 1e6 / FEW, "µs"),
        Figure(
            f"{vendor}: an item of {MANY:,} in times of one of {FEW:,}",
            many["stored"] / MANY / (few["stored"] / FEW),
            "",
            goal=1.25,
        ),
        Figure(
            f"{vendor}: items of 50 ms, 50 in flight, in times of not stored",
            waiting["stored"] / waiting["plain"],
            "",
            goal=1.05,
        ),
        Figure(f"{vendor}: from the end of an item to its row", waiting["delay"], "s", goal=1),
        Figure(f"{vendor}: queries of a page of 50 of {MANY:,}", many["queries"], "", goal=1),
        Figure(f"{vendor}: such a page", many["page"] * 1e3, "ms"),
    ]


def _medians(vendor: str, kind: str, count: int, folder: Path, repeats: int) -> dict[str, float]:
    """Return the median of each thing that the child measures."""
    taken = [run_child("storing.py", vendor, kind, str(count), str(folder)) for _ in range(repeats)]
    return {name: median(one[name] for one in taken) for name in taken[0]}
