"""The admin: agents and suites to edit and run, runs and results to read and review."""

from __future__ import annotations

from neuron_evals.admin.agents import AgentDefinitionAdmin
from neuron_evals.admin.cache import CachedOutputAdmin
from neuron_evals.admin.items import EvalRunItemAdmin
from neuron_evals.admin.reviews import EvalReviewAdmin
from neuron_evals.admin.runs import EvalRunAdmin
from neuron_evals.admin.shards import EvalRunShardAdmin
from neuron_evals.admin.suites import EvalSuiteAdmin

__all__ = [
    "AgentDefinitionAdmin",
    "CachedOutputAdmin",
    "EvalReviewAdmin",
    "EvalRunAdmin",
    "EvalRunItemAdmin",
    "EvalRunShardAdmin",
    "EvalSuiteAdmin",
]
