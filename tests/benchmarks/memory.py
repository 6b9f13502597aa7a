"""Peak memory of long JSON Lines datasets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, run_child

if TYPE_CHECKING:
    from pathlib import Path

FEW, ITEMS, MANY = 10_000, 100_000, 1_000_000


def figures(folder: Path) -> list[Figure]:
    """Measure results that are streamed, results that are counted alone, and results that are kept."""
    few, some, many = (_dataset(folder, items) for items in (FEW, ITEMS, MANY))
    figures = [
        Figure(f"peak memory, {ITEMS:,} items streamed", _megabytes("stream", some), "MB", goal=120),
        Figure(f"peak memory, {ITEMS:,} items, results kept", _megabytes("run", some), "MB"),
        Figure("peak memory, imports alone", _megabytes("import", some), "MB"),
    ]
    for how, name in (("stream", "streamed"), ("count", "counted")):
        before = _megabytes(how, few)
        figures += [
            Figure(f"peak memory, {FEW:,} items {name}", before, "MB"),
            Figure(f"more for {MANY:,} items {name}", _megabytes(how, many) - before, "MB", goal=20),
        ]
    return figures


def _dataset(folder: Path, items: int) -> Path:
    path = folder / f"{items}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(items):
            item = {"id": f"item-{number}", "input": f"question {number}", "reference": str(number)}
            file.write(json.dumps(item) + "\n")
    return path


def _megabytes(how: str, path: Path) -> float:
    megabytes: float = run_child("peak_memory.py", how, str(path))["megabytes"]
    return megabytes
