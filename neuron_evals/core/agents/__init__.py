"""Agents: the contract, `Agent` with its tool loop, tools, and callables taken as agents."""

from __future__ import annotations

from neuron_evals.core.agents.contract import OVERRIDES, AgentReply, BaseAgent
from neuron_evals.core.agents.errors import AgentError, StepLimitReached

__all__ = ["OVERRIDES", "AgentError", "AgentReply", "BaseAgent", "StepLimitReached"]
