"""Running evaluators: many items, in order, isolated from each other."""

from __future__ import annotations

from neuron_evals.core.runner.crew import WorkerKind
from neuron_evals.core.runner.in_place import InPlaceRunner
from neuron_evals.core.runner.limits import Limits
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.preparing import BrokenEvaluator
from neuron_evals.core.runner.run import PreparedRun
from neuron_evals.core.runner.runner import EvaluatorRunner
from neuron_evals.core.runner.selection import Selection

__all__ = [
    "BrokenEvaluator",
    "EvaluatorRunner",
    "InPlaceRunner",
    "Limits",
    "Listener",
    "PreparedRun",
    "Selection",
    "WorkerKind",
]
