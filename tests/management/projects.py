"""Projects in which the tests run the command as a user does, and evaluators for them."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]

SUPPORT = """
from neuron_evals import BaseEvaluator, StringContains

class Support(BaseEvaluator):
    tags = ("support",)

    def get_dataset(self):
        return [
            {"id": "hours", "input": "We open at 9", "word": "9", "tags": ["smoke"]},
            {"id": "refund", "input": "No refunds", "word": "refund"},
            {"id": "greeting", "input": "Hi!", "word": "hello", "tags": ["known-gap"]},
        ]

    def run(self, item):
        return item["input"]

    def evaluate(self, output, item):
        self.check(StringContains(item["word"]), output, label="answer")
"""


def environment(folder, settings=None):
    module = "tests.settings"
    if settings is not None:
        (folder / "own_settings.py").write_text(f"from tests.settings import *\nNEURON_EVALS = {settings!r}\n")
        module = "own_settings"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": module,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]),
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }


def write(folder, name, text):
    (folder / "evaluators" / name).write_text(text)


def evaluator(name, body):
    """The source of an evaluator that differs from `Support` in its body."""
    return SUPPORT.replace("class Support", f"class {name}") + body


def timeless(value):
    """The report without what depends on the clock."""
    times = {
        "execution_time",
        "average_execution_time",
        "execution_time_percentiles",
        "duration",
        "started_at",
        "latency",
    }
    times |= {"finished_at", "run_time", "time_split"}
    if isinstance(value, dict):
        return {key: timeless(part) for key, part in value.items() if key not in times}
    return [timeless(part) for part in value] if isinstance(value, list) else value
