"""Agents that are written as data: a provider's model with instructions and tools, all by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neuron_evals.core.agents import Agent, Tool
from neuron_evals.registries.providers import get_provider
from neuron_evals.registries.tools import get_tool


def defined_agent(definition: Mapping[str, Any], name: str = "") -> Agent:
    """Return the agent that a definition describes, with an empty conversation.

    Args:
        definition: What `AgentDefinition.definition` gives, or a run kept of it: `provider`, `model`, `instructions`,
            `options`, `tools`, `max_steps` and `approval_tools`. The instructions are sent as they are: nothing in them
            is a placeholder.
        name: Name for reports.

    Raises:
        ConfigurationError: It names a provider or a tool that the settings do not have or that cannot be built.
        InvalidArgument: An option is out of its range.
    """
    limit = {} if definition.get("max_steps") is None else {"max_steps": definition["max_steps"]}
    asking = set(definition.get("approval_tools") or ())
    return Agent(
        get_provider(definition["provider"]),
        definition.get("instructions") or "",
        [_tool(tool, asks=tool in asking) for tool in definition.get("tools") or ()],
        name=name,
        model=definition.get("model") or None,
        **(definition.get("options") or {}),
        **limit,
    )


def _tool(name: str, *, asks: bool) -> Tool:
    tool = get_tool(name)
    return replace(tool, approval=True) if asks else tool
