"""Measure what the project promises about speed and memory: `python -m tests.benchmarks`."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

import django

from tests.benchmarks import items, memory, startup
from tests.benchmarks.measuring import table


def main() -> None:
    """Print the table of all figures; a goal that is missed changes no exit status, a busy machine misses some."""
    load = f"{os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()}, Django {django.get_version()}, {os.cpu_count()} cores, load {load}")
    with tempfile.TemporaryDirectory() as folder:
        print(table([figure for part in (items, memory, startup) for figure in part.figures(Path(folder))]))


if __name__ == "__main__":
    main()
