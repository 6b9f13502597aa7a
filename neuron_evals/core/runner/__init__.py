"""Running evaluators: many items, in order, isolated from each other."""

from __future__ import annotations

from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.preparing import BrokenEvaluator
from neuron_evals.core.runner.run import PreparedRun
from neuron_evals.core.runner.runner import EvaluatorRunner, WorkerKind
from neuron_evals.core.runner.selection import Selection

__all__ = ["BrokenEvaluator", "EvaluatorRunner", "Listener", "PreparedRun", "Selection", "WorkerKind"]
