"""The rows: agents, suites, runs with their shards and results, reviews, cached outputs."""

from __future__ import annotations

from neuron_evals.models.agents import AgentDefinition
from neuron_evals.models.cache import CachedOutput
from neuron_evals.models.items import EvalRunItem, ItemStatus
from neuron_evals.models.reviews import EvalReview, ReviewVerdict
from neuron_evals.models.run_status import RunStatus, Trigger
from neuron_evals.models.runs import EvalRun
from neuron_evals.models.shards import EvalRunShard, ShardStatus
from neuron_evals.models.suites import EvalSuite

__all__ = [
    "AgentDefinition",
    "CachedOutput",
    "EvalReview",
    "EvalRun",
    "EvalRunItem",
    "EvalRunShard",
    "EvalSuite",
    "ItemStatus",
    "ReviewVerdict",
    "RunStatus",
    "ShardStatus",
    "Trigger",
]
