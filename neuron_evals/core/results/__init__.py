"""What evaluating gives: the result of an assertion, a check, an item; and the plan of what will be run.

Everything here is immutable data. Statistics over many results live in `neuron_evals.core.report`.
"""

from __future__ import annotations

from neuron_evals.core.results.assertions import AssertionResult, finite_score
from neuron_evals.core.results.checks import Check, Verdict
from neuron_evals.core.results.items import Attempt, ItemResult, Record, Status
from neuron_evals.core.results.measurements import AgentSteps
from neuron_evals.core.results.names import full_name, short_name
from neuron_evals.core.results.plans import Plan, PlannedEvaluator

__all__ = [
    "AgentSteps",
    "AssertionResult",
    "Attempt",
    "Check",
    "ItemResult",
    "Plan",
    "PlannedEvaluator",
    "Record",
    "Status",
    "Verdict",
    "finite_score",
    "full_name",
    "short_name",
]
