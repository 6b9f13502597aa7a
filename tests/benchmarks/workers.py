"""What workers of every kind add to items that wait, that need a process of their own, and that hang."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, minimums, run_child

if TYPE_CHECKING:
    from pathlib import Path

REPEATS = 5

WAITING, SECONDS = 1000, 0.05
WAITING_CASES = ((50, 0.95), (200, 0.80))
"""Items in flight, and the least share of the time taken that must have been waiting."""

FORKED, MEGABYTES = 300, 1000
CHILDREN = 2

HANGING, LIMIT, HANGING_IN_FLIGHT = 40, 0.5, 4


def figures(folder: Path) -> list[Figure]:
    """Measure all three."""
    del folder
    return [*_waiting(), *_forked(), *_hanging()]


def _waiting() -> list[Figure]:
    figures = []
    for in_flight, share in WAITING_CASES:
        fastest = minimums({kind: _wait(in_flight, kind) for kind in ("threads", "async")}, REPEATS)
        ideal = WAITING * SECONDS / in_flight
        figures += [
            Figure(f"{WAITING:,} waits, {in_flight} in flight, {kind}", seconds / ideal, "ideals", goal=1 / share)
            for kind, seconds in fastest.items()
        ]
    return figures


def _wait(in_flight: int, kind: str) -> Callable[[], float]:
    return lambda: run_child("waiting.py", str(WAITING), str(SECONDS), str(in_flight), kind)["seconds"]


def _forked() -> list[Figure]:
    fastest = minimums(
        {
            "nothing": _fork(0, "dataset"),
            "dataset": _fork(MEGABYTES, "dataset"),
            "before": _fork(MEGABYTES, "before"),
        },
        REPEATS,
    )
    each = {name: seconds / FORKED * 1e3 for name, seconds in fastest.items()}
    return [
        Figure("an item in its own process", each["nothing"], "ms", goal=6),
        Figure("with 1 GB in the dataset", each["dataset"], "ms", goal=6),
        Figure("with 1 GB held since before the run", each["before"], "ms"),
    ]


def _fork(megabytes: int, since: str) -> Callable[[], float]:
    return lambda: run_child("forking.py", str(FORKED), str(CHILDREN), str(megabytes), since)["seconds"]


def _hanging() -> list[Figure]:
    figures = []
    for kind in ("inline", "threads", "async", "processes"):
        in_flight = 1 if kind == "inline" else HANGING_IN_FLIGHT
        seconds = run_child("hanging.py", str(HANGING), str(LIMIT), str(in_flight), kind)["seconds"]
        # All that is not the limits themselves counts, so no hung item can have been given up later than this.
        beyond = seconds - LIMIT * (HANGING // 10 / in_flight)
        figures.append(Figure(f"a hung item beyond its limit, {kind}", beyond, "s", goal=1))
    return figures
