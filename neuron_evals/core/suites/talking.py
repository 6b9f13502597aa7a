"""How an item talks with the agent: one input, or what `turns`, `user`, `approvals` and `stubs` ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.approvals import ApprovalRequest
from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.results import RunOutput
from neuron_evals.core.trajectories import Trajectory

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.core.agents.contract import AgentReply
    from neuron_evals.core.suites.shapes import Fault

OPENERS = ("turns", "user")
"""Keys of an item that begin a conversation without an `input`."""


def talking_faults(item: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with `turns`, `user`, `approvals` and `stubs` of an item."""
    del item
    yield from ()


def talk(agent: BaseAgent, item: Mapping[str, Any]) -> RunOutput:
    """Return what the agent says to an item, and the conversation.

    Args:
        agent: The agent, with an empty conversation.
        item: The item.

    Raises:
        EvaluationError: The agent waits for a decision, and nothing in the item takes it.
    """
    return _answer(agent, agent.chat(item["input"]))


async def atalk(agent: BaseAgent, item: Mapping[str, Any]) -> RunOutput:
    """Do what `talk` does, for async code."""
    return _answer(agent, await agent.achat(item["input"]))


def _answer(agent: BaseAgent, reply: AgentReply) -> RunOutput:
    if reply.interrupt is None:
        return RunOutput(reply.text, Trajectory(agent.history))
    waits_for = "a decision"
    if isinstance(reply.interrupt, ApprovalRequest):
        waits_for = f"an approval of {', '.join(call.name for call in reply.interrupt.pending)}"
    msg = f'the agent waits for {waits_for}, and the item has no "approvals" that give it'
    raise EvaluationError(msg)
