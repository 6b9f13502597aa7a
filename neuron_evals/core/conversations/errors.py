"""What a conversation can break on beside its agent."""

from __future__ import annotations

from neuron_evals.core.exceptions import EvaluationError


class SimulatorError(EvaluationError):
    """The simulated user broke: the conversation is no verdict about the agent."""

    fault = "simulator"
