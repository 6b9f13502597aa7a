"""What every benchmark needs: child processes that print one number or more, and a figure with its goal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHILDREN = Path(__file__).resolve().parent / "children"


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Attributes:
        name: What was measured.
        value: The figure.
        unit: Its unit; empty for a ratio.
        goal: The largest value that is good enough; `None` for a figure given for information.
        load: How many processes the machine was busy with, by its average of the last minute when the figure was taken.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    load: float = field(default_factory=lambda: os.getloadavg()[0])

    @property
    def met(self) -> bool:
        """Whether the goal is met; a figure without a goal has nothing to meet."""
        return self.goal is None or self.value <= self.goal

    def row(self) -> tuple[str, ...]:
        """Return name, figure, goal, load, and whether the goal is met."""
        figure, load = self._text(self.value), f"{self.load:.1f}"
        if self.goal is None:
            return self.name, figure, "", load, ""
        return self.name, figure, f"at most {self._text(self.goal)}", load, "met" if self.met else "NOT MET"

    def _text(self, value: float) -> str:
        return f"{value:.3g} {self.unit}".rstrip() if value < 100 else f"{value:.0f} {self.unit}".rstrip()


def run_child(name: str, *arguments: str, python: str = sys.executable) -> dict[str, Any]:
    """Run one of the scripts in `children` in a fresh process and return the JSON that it prints."""
    command = [python, str(CHILDREN / name), *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment(), text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which this tree's package is the one that is imported."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def medians(measures: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the median of each measure."""
    return {name: median(values) for name, values in taken(measures, repeats).items()}


def minimums(measures: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the minimum of each measure: what is compared with an ideal suffers from all else the machine does."""
    return {name: min(values) for name, values in taken(measures, repeats).items()}


def taken(measures: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Take each measure in turn, `repeats` times over, so that a busy moment hits all of them."""
    values: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(repeats):
        for name, measure in measures.items():
            values[name].append(measure())
    return values


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as lines of text in columns."""
    rows = [("figure", "measured", "goal", "load", ""), *(figure.row() for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
