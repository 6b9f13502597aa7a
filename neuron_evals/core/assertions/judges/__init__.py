"""Assertions that ask a model to grade."""

from __future__ import annotations

from neuron_evals.core.assertions.judges.agent import AgentJudge
from neuron_evals.core.assertions.judges.base import Judge
from neuron_evals.core.assertions.judges.ready_made import (
    CorrectnessJudge,
    FaithfulnessJudge,
    HelpfulnessJudge,
    RelevanceJudge,
    TaskCompletionJudge,
)
from neuron_evals.core.assertions.judges.rubric import RubricJudge

__all__ = [
    "AgentJudge",
    "CorrectnessJudge",
    "FaithfulnessJudge",
    "HelpfulnessJudge",
    "Judge",
    "RelevanceJudge",
    "RubricJudge",
    "TaskCompletionJudge",
]
