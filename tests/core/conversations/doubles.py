"""Agents and users that the tests of conversations vary."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Self

from neuron_evals.core.agents import Agent, AgentReply, BaseAgent, Tool
from neuron_evals.core.approvals import Interrupt
from neuron_evals.core.conversations import Conversation, SimulatedTurn, User
from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.trajectories import Trajectory

Hold = Callable[[Conversation], Trajectory]

SMALL = ToolCall("refund", {"order": "A1", "amount": 5}, "small")
LARGE = ToolCall("refund", {"order": "A2", "amount": 500}, "large")
SEARCH = ToolCall("search", {}, "search")


def hold_plain(conversation: Conversation) -> Trajectory:
    return conversation.run()


def hold_async(conversation: Conversation) -> Trajectory:
    return asyncio.run(conversation.arun())


class Shop:
    """A shop's tools, with a record of what was really done."""

    def __init__(self) -> None:
        self.refunds: list[tuple[str, int]] = []
        self.searches = 0

    def refund(self, order: str, amount: int) -> str:
        self.refunds.append((order, amount))
        return f"refunded {amount}"

    def search(self) -> list[str]:
        self.searches += 1
        return ["A1"]

    def agent(self, *replies: Any) -> Agent:
        """Return an agent whose refunds need an approval."""
        return Agent(FakeProvider(*replies), tools=[Tool.from_function(self.refund, approval=True), self.search])


class Asking(BaseAgent):
    """Answers each message with `reply`, and each resumption with the next of `replies`."""

    def __init__(self, *interrupts: Any) -> None:
        self.interrupts = interrupts
        self.resumed: list[Any] = []
        self.chats = 0
        self._history: list[Message] = []

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(self._history)

    def fresh(self, **overrides: Any) -> Self:
        self.refuse_unsupported(overrides)
        return self

    def chat(self, message: str | Message) -> AgentReply:
        assert isinstance(message, Message)
        self.chats += 1
        self._history.append(message)
        return self._reply()

    def resume(self, payload: Any) -> AgentReply:
        self.resumed.append(payload)
        return self._reply()

    def _reply(self) -> AgentReply:
        said = Message("assistant", "ok")
        self._history.append(said)
        waiting = self.interrupts[len(self.resumed)] if len(self.resumed) < len(self.interrupts) else None
        return AgentReply("ok", said, waiting)


class Steps(User):
    """A user who takes the given steps; an exception is raised, anything else returned."""

    def __init__(self, *steps: Any) -> None:
        self.steps = list(steps)
        self.heard: list[Trajectory] = []

    def next_turn(self, trajectory: Trajectory) -> SimulatedTurn:
        self.heard.append(trajectory)
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        turn: SimulatedTurn = step
        return turn


def says(text: str, reason: str = "", *notes: str) -> SimulatedTurn:
    """Return a step in which a user says something."""
    return SimulatedTurn(Message("user", text), reason, notes)


def interrupt(payload: Any = None) -> Interrupt:
    """Return an interrupt that is no approval."""
    return Interrupt(payload)
