"""Evaluators of which every side spends something that is known to the token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import Agent
from neuron_evals.core.assertions.judges import AgentJudge
from neuron_evals.core.conversations import Conversation
from neuron_evals.core.conversations.simulator import UserSimulator
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.providers.prices import PriceTable

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Trajectory

PRICES = PriceTable().with_overrides(
    {model: {"input": 1_000_000, "output": 1_000_000} for model in ("tested", "player", "judge")}
)
"""Each token costs 1."""

OF_THE_RUN = (
    "usage",
    "cost",
    "known_usage",
    "known_cost",
    "run_time",
    "tool_time",
    "simulator_usage",
    "simulator_cost",
    "known_simulator_usage",
    "known_simulator_cost",
    "simulator_time",
    "steps",
    "measurements",
)
"""What a result tells of `run` alone."""


def model(name: str, *replies: Message) -> Agent:
    """Return an agent without tools whose model gives the replies."""
    return Agent(FakeProvider(*replies, model=name), prices=PRICES)


def said(text: str, usage: Usage | None) -> Message:
    """Return a reply of a model."""
    return Message("assistant", text, usage=usage)


def lookup() -> str:
    """Look the order up."""
    return "A2"


class Talks(BaseEvaluator):
    """Holds a conversation with a simulated user, and has it judged.

    Args:
        user: Usage of each of the two model calls of the simulated user.
    """

    def __init__(self, user: Sequence[Usage | None] = (Usage(4, 1), Usage(6, 1))) -> None:
        self.user = user

    def get_dataset(self) -> list[dict[str, Any]]:
        return [{"id": "talk"}]

    def conversation(self) -> Conversation:
        calls = Message("assistant", tool_calls=[ToolCall("lookup")], usage=Usage(10, 2))
        tested = FakeProvider(calls, said("Done.", Usage(20, 3)), model="tested")
        says, stops = '{"stop": false, "message": "Refund A2"}', '{"stop": true, "message": ""}'
        player = model("player", said(says, self.user[0]), said(stops, self.user[1]))
        user = UserSimulator(player, goal="Get a refund")
        return Conversation(Agent(tested, tools=[lookup], prices=PRICES)).with_user(user)

    def run(self, item: Any) -> Any:
        return self.conversation().run()

    def evaluate(self, output: Trajectory, item: Any) -> None:
        self.check(AgentJudge(model("judge", said('{"score": 1}', Usage(7, 1))), "Polite?"), output)


class TalksAsync(Talks):
    """Does so in async code."""

    async def run(self, item: Any) -> Any:
        return await self.conversation().arun()
