"""Agents: the contract, `Agent` with its tool loop, tools, and callables taken as agents."""

from __future__ import annotations

from neuron_evals.core.agents.agent import Agent, agent_of_model
from neuron_evals.core.agents.callables import as_agent
from neuron_evals.core.agents.contract import OVERRIDES, AgentReply, BaseAgent
from neuron_evals.core.agents.errors import AgentError, StepLimitReached, UnstubbedCall
from neuron_evals.core.agents.fake import FakeAgent, FakeScript
from neuron_evals.core.agents.tools import Deps, Tool, as_tool

__all__ = [
    "OVERRIDES",
    "Agent",
    "AgentError",
    "AgentReply",
    "BaseAgent",
    "Deps",
    "FakeAgent",
    "FakeScript",
    "StepLimitReached",
    "Tool",
    "UnstubbedCall",
    "agent_of_model",
    "as_agent",
    "as_tool",
]
