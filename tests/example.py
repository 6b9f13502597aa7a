"""Copies of the example project, each with rows of its own, and its commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "example_project" / "README.md"
TIMES = {
    "average_execution_time",
    "duration",
    "execution_time",
    "execution_time_percentiles",
    "finished_at",
    "judge_time",
    "latency",
    "run_time",
    "seconds",
    "started_at",
    "time_split",
    "tool_time",
}
"""The keys of a JSON report that no two runs have in common."""


def copied(folder: Path) -> Path:
    """Copy the example into a folder, as a fresh clone has it: without rows."""
    example = folder / "example_project"
    shutil.copytree(README.parent, example, ignore=shutil.ignore_patterns("*.sqlite3", "__pycache__"))
    return example


def load_rows(example: Path) -> None:
    """Make the rows of a copy as the README says."""
    for command in (("migrate", "-v", "0"), ("loaddata", "-v", "0", "shop")):
        done = manage(example, *command)
        assert done.returncode == 0, done.stderr


def manage(example: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a copy from the folder above, where a fresh clone has it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    environment.pop("SHOP_DATABASE", None)
    command = [sys.executable, "example_project/manage.py", *arguments]
    return subprocess.run(command, cwd=example.parent, env=environment, capture_output=True, text=True, check=False)


def without_times(value: Any) -> Any:
    """Return a JSON report, or a part of one, without what differs from run to run."""
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [without_times(each) for each in value]
    return value
