"""Assertions about the tool calls of a conversation."""

from __future__ import annotations

from neuron_evals.core.assertions.trajectory.approval import ToolWasApproved, ToolWasRejected
from neuron_evals.core.assertions.trajectory.calls import ToolWasCalled, ToolWasNotCalled
from neuron_evals.core.assertions.trajectory.count import ToolCallCount
from neuron_evals.core.assertions.trajectory.matching import TrajectoryMatches
from neuron_evals.core.assertions.trajectory.mode import Mode
from neuron_evals.core.assertions.trajectory.usage import ToolUsage

__all__ = [
    "Mode",
    "ToolCallCount",
    "ToolUsage",
    "ToolWasApproved",
    "ToolWasCalled",
    "ToolWasNotCalled",
    "ToolWasRejected",
    "TrajectoryMatches",
]
