"""What the app adds to Django's start, and how long the whole command takes in a fresh project."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Figure, environment, medians, run_child

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = 100
COMMAND_REPEATS = 7
SETUP_REPEATS = 11
EVALUATOR = f"""
from neuron_evals import BaseEvaluator, StringContains


class HundredEvaluator(BaseEvaluator):
    def get_dataset(self):
        return [{{"input": f"question {{number}}"}} for number in range({ITEMS})]

    def run(self, item):
        return "the answer to " + item["input"]

    def evaluate(self, output, item):
        self.check(StringContains(item["input"]), output)
"""


def figures(folder: Path) -> list[Figure]:
    """Measure the command against `manage.py check`, and `django.setup()` with and without the app."""
    project = _project(folder)
    command = medians(
        {
            "evaluations": lambda: _seconds(project, "evaluations", "evaluators"),
            "check": lambda: _seconds(project, "check"),
        },
        COMMAND_REPEATS,
    )
    setup = medians(
        {
            "with": lambda: run_child("django_setup.py", "neuron_evals")["seconds"],
            "without": lambda: run_child("django_setup.py")["seconds"],
        },
        SETUP_REPEATS,
    )
    # One of the two is enough: the second allows for a slow machine.
    goal = max(1.0, 2 * command["check"])
    return [
        Figure(f"`evaluations`, {ITEMS} items, fresh project", command["evaluations"], "s", goal=goal),
        Figure("`check`, the same project", command["check"], "s"),
        Figure("`evaluations` against `check`", command["evaluations"] / command["check"], ""),
        Figure("what the app adds to django.setup()", (setup["with"] - setup["without"]) * 1e3, "ms", goal=60),
        Figure("django.setup() without the app", setup["without"] * 1e3, "ms"),
    ]


def _project(folder: Path) -> Path:
    """Return the folder of a project made by startproject, with the app and one evaluator."""
    project = folder / "project"
    project.mkdir()
    start = [sys.executable, "-m", "django", "startproject", "fresh", str(project)]
    subprocess.run(start, check=True, env=environment())
    with (project / "fresh" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write('\nINSTALLED_APPS += ["neuron_evals"]\n')
    (project / "evaluators").mkdir()
    (project / "evaluators" / "hundred.py").write_text(EVALUATOR, encoding="utf-8")
    return project


def _seconds(project: Path, *command: str) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "manage.py", *command], check=True, cwd=project, env=environment(), stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started
