"""Peak memory of a long JSON Lines dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, run_child

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = 100_000


def figures(folder: Path) -> list[Figure]:
    """Measure results that are streamed, and results that are kept."""
    path = folder / "items.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(ITEMS):
            item = {"id": f"item-{number}", "input": f"question {number}", "reference": str(number)}
            file.write(json.dumps(item) + "\n")
    nothing = run_child("peak_memory.py", "import", str(path))["megabytes"]
    streamed = run_child("peak_memory.py", "stream", str(path))["megabytes"]
    kept = run_child("peak_memory.py", "run", str(path))["megabytes"]
    return [
        Figure(f"peak memory, {ITEMS:,} items streamed", streamed, "MB", goal=120),
        Figure(f"peak memory, {ITEMS:,} items, results kept", kept, "MB"),
        Figure("peak memory, imports alone", nothing, "MB"),
    ]
