"""The steps by which an agent came to its output, from what was recorded and from the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuron_evals.core.results import AgentSteps

if TYPE_CHECKING:
    from neuron_evals.core.metrics import Collected
    from neuron_evals.core.trajectories import Trajectory

_NONE = AgentSteps()


def agent_steps(collected: Collected, trajectory: Trajectory | None) -> AgentSteps:
    """Return the steps of one item's agent.

    Args:
        collected: What was recorded in the item.
        trajectory: The conversation, where there was one. Where no model call of the agent was recorded, as of one
            that was only read, it tells the model calls too.
    """
    if trajectory is None and not collected.model_calls:
        return _NONE
    iterations, tool_calls = collected.iterations("agent"), collected.tool_calls("agent")
    tool_errors = None if tool_calls is None else collected.tool_errors.count("agent")
    if trajectory is not None:
        if not collected.asked("agent"):
            iterations = sum(message.role == "assistant" for message in trajectory.messages())
        if tool_calls is None:
            calls = trajectory.tool_calls()
            tool_calls, tool_errors = len(calls), sum(call.error is not None for call in calls)
    return AgentSteps(collected.first_token("agent"), iterations, collected.retries("agent"), tool_calls, tool_errors)
