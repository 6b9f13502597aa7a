"""Small makers of results, reports and streams."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from neuron_evals.core.messages import Message
from neuron_evals.core.report import EvaluationReport, EvaluationResults
from neuron_evals.core.results import Check, ItemResult, Plan, PlannedEvaluator, Status, Verdict
from neuron_evals.core.trajectories import Ending, Remark, Trajectory

EVALUATOR = "shop.evals.SupportEvaluator"
STARTED = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)

HOSTILE = {
    "cursor": "a\x1b[2J\x1b[Hb",
    "clipboard": "a\x1b]52;c;ZXZpbA==\x07b",
    "title": "a\x9d0;owned\x9cb",
    "carriage return": "failed\rPASSED",
    "line": "x\r\nOK\nItems: 9, Passed: 9",
    "nul": "a\x00b",
    "backspace": "failed\x08\x08\x08passed",
    "delete": "a\x7fb",
    "right to left": "user\u202ednammoc\u202c",
    "isolate": "a\u2066b\u2069",
    "mark": "a\u200fb\u061cc",
    "zero width": "pass\u200bword\ufeff",
    "joiner": "pass\u200dword",
    "separator": "a\u2028b\u2029c",
    "tags": "hi\U000e0041\U000e007f",
    "surrogate": "a\ud83db\udc00",
    "markup": "[bold red]x[/] [link=https://example.org]y[/link]",
    "unclosed markup": "[/] [/bold] [",
    "emoji code": ":smile: :warning:",
    "format": "{task.fields[text]} %s {0}",
}


def check(verdict: str = "passed", score: float | None = 1.0, **fields: Any) -> Check:
    """Return a check of `StringContains` at line 31 of `SupportEvaluator`."""
    fields = {"name": "StringContains", "evaluator_class": EVALUATOR, "line": 31, **fields}
    fields.setdefault("label", fields["name"])
    fields.setdefault("message", "" if verdict == "passed" else f"it {verdict}")
    return Check(verdict=Verdict(verdict), score=None if verdict in {"error", "skipped"} else score, **fields)


def item(status: str = "passed", index: int = 0, **fields: Any) -> ItemResult:
    """Return a result; its checks are one of the same verdict unless given."""
    fields.setdefault("evaluator_class", EVALUATOR)
    fields.setdefault("item_id", f"item-{index}")
    fields.setdefault("input", {"input": f"question {index}"})
    fields.setdefault("output", f"answer {index}")
    fields.setdefault("execution_time", 0.25)
    if status != "cancelled":
        fields.setdefault("checks", (check(status, 0.0 if status == "failed" else 1.0),))
    return ItemResult(index=index, status=Status(status), **fields)


def evaluator(*results: ItemResult, name: str = EVALUATOR, **fields: Any) -> EvaluationResults:
    """Return the results of one evaluator that took 1.5 seconds."""
    fields = {
        "started_at": STARTED,
        "finished_at": STARTED + timedelta(seconds=1.5),
        "duration": 1.5,
        **fields,
    }
    return EvaluationResults(name, results, **fields)


def report(*evaluators: EvaluationResults, **fields: Any) -> EvaluationReport:
    """Return a report that took 2 seconds."""
    fields = {"started_at": STARTED, "finished_at": STARTED + timedelta(seconds=2), "duration": 2.0, **fields}
    return EvaluationReport(evaluators, **fields)


def report_of(*results: ItemResult, **fields: Any) -> EvaluationReport:
    """Return a report of one evaluator with these results."""
    return report(evaluator(*results), **fields)


def plan_of(report: EvaluationReport, workers: str = "inline", **fields: Any) -> Plan:
    """Return the plan that leads to a report."""
    return Plan(
        tuple(
            PlannedEvaluator(each.evaluator_class, each.total_count, each.error, each.namespace, workers)
            for each in report.evaluators
        ),
        **fields,
    )


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


class ClosedPipe(io.StringIO):
    """A stream whose reader is gone."""

    def write(self, _text: str) -> int:
        """Fail as a pipe does."""
        raise BrokenPipeError(32, "Broken pipe")


def run_without_reader(program: str) -> subprocess.CompletedProcess[str]:
    """Run Python code whose standard output is a pipe that nobody reads."""
    # Unbuffered output would hide that Python flushes once more at exit.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, "-c", program],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
            env=buffered,
        )
    finally:
        os.close(write)


TALK = Trajectory(
    [Message("user", "Refund A1"), Message("assistant", "Which order?")],
    Ending("error", 1, "SimulatorError: no reply", True, (Remark(1, "to begin"),), (Remark(1, "it spoke twice"),)),
)
"""A conversation whose simulated user broke."""
