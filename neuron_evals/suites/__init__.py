"""Suites as rows, turned into what the engine runs."""

from __future__ import annotations

from neuron_evals.suites.evaluators import suite_evaluator
from neuron_evals.suites.judging import suite_judge
from neuron_evals.suites.snapshots import agent_snapshot, judge_snapshot, kept_defaults, suite_snapshot
from neuron_evals.suites.specs import suite_spec

__all__ = [
    "agent_snapshot",
    "judge_snapshot",
    "kept_defaults",
    "suite_evaluator",
    "suite_judge",
    "suite_snapshot",
    "suite_spec",
]
