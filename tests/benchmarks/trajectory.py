"""What a long conversation costs a message: it must not grow with the length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, run_child

if TYPE_CHECKING:
    from pathlib import Path

SHORT, LONG, LONGEST = 1_000, 10_000, 100_000
PARTS = (
    ("fold", "calls joined with their outcomes", (SHORT, LONG, LONGEST)),
    ("transcript", "the transcript", (SHORT, LONG)),
    ("json", "the JSON form", (SHORT, LONG)),
    ("equal", "as many expected calls, equal", (SHORT, LONG)),
)
MOST_GROWTH = 2.0
"""How much more a message of a long conversation may cost: larger objects miss caches, and nothing else may."""

CALLS = LONG * 4


def figures(folder: Path) -> list[Figure]:
    """Measure every part in fresh processes, and a comparison of calls that is too large to align."""
    del folder
    figures = [figure for part in PARTS for figure in _grown(*part)]
    compared = run_child("trajectories.py", str(CALLS), "other")
    name = f"{LONG:,} calls against {LONG:,} others, graded"
    return [
        *figures,
        Figure(name, compared["seconds"], "s", goal=5),
        Figure("the same, peak memory", compared["megabytes"], "MB", goal=100),
    ]


def _grown(what: str, name: str, counts: tuple[int, ...]) -> list[Figure]:
    each = {count: run_child("trajectories.py", str(count), what)["seconds"] / count * 1e6 for count in counts}
    return [
        *(Figure(f"{name}, a message of {count:,}", cost, "µs") for count, cost in each.items()),
        *(
            Figure(f"the same, {count:,} against {SHORT:,}", each[count] / each[SHORT], "", goal=MOST_GROWTH)
            for count in counts
            if count != SHORT
        ),
    ]
