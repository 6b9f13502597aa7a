"""Runs of stored suites and of evaluators: the one service behind the commands, the admin and the API."""

from __future__ import annotations

from neuron_evals.runs.changing import (
    cancel_own_run,
    cancel_run,
    prune_runs,
    rerun,
    resume_run,
    sweep_runs,
    waiting_runs,
)
from neuron_evals.runs.creating import create_run
from neuron_evals.runs.executing import execute_run, found_run, run_gate
from neuron_evals.runs.launching import launch_run, make_and_launch
from neuron_evals.runs.options import RunOptions
from neuron_evals.runs.problems import RunError

__all__ = [
    "RunError",
    "RunOptions",
    "cancel_own_run",
    "cancel_run",
    "create_run",
    "execute_run",
    "found_run",
    "launch_run",
    "make_and_launch",
    "prune_runs",
    "rerun",
    "resume_run",
    "run_gate",
    "sweep_runs",
    "waiting_runs",
]
