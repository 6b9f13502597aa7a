"""Measure what the project promises about speed and memory: `python -m tests.benchmarks [PART...]`."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path

import django

from tests.benchmarks import caching, calls, items, memory, startup, storage, trajectory, workers
from tests.benchmarks.measuring import table

PARTS = {
    "items": items,
    "workers": workers,
    "calls": calls,
    "caching": caching,
    "storage": storage,
    "memory": memory,
    "startup": startup,
    "trajectory": trajectory,
}


def main() -> None:
    """Print the tables of all parts, or of those named; a goal that is missed changes no exit status."""
    names = sys.argv[1:] or list(PARTS)
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    print(f"Python {platform.python_version()}, Django {django.get_version()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            print(f"\n{name}\n{table(PARTS[name].figures(Path(folder)))}", flush=True)


if __name__ == "__main__":
    main()
