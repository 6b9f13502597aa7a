"""Agents, tools and a provider that settings name."""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import Any

from neuron_evals.container import get_provider
from neuron_evals.core.agents import Agent, BaseAgent, Tool
from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.providers.contract import ModelReply, ModelRequest
from tests.testapp.mail import FakeMailer  # noqa: TC001  (the container reads annotations)


class CannedProvider(FakeProvider):
    """Answers what the settings say."""

    def __init__(self, answers: tuple[str, ...] = (), model: str = "fake") -> None:
        if "s" in answers:
            msg = "answers must be a list"
            raise ValueError(msg)
        super().__init__(*answers, model=model)


class AnsweringProvider(FakeProvider):
    """Answers questions as the settings say, calls the tool it is given first, and grades whatever else it is asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__()
        self.answers = answers

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        last = request.messages[-1]
        if request.tools and last.role == "user":
            call = ToolCall(request.tools[0].name, {"amount": 50, "percent": 15}, id="call_1")
            return ModelReply(Message(role="assistant", tool_calls=(call,)))
        answer = self.answers.get(request.messages[0].content, "SCORE: 5\nEXPLANATION: right")
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return ModelReply(Message(role="assistant", content=text, model=request.model))


class SupportAgent(Agent):
    def __init__(self, mailer: FakeMailer) -> None:
        super().__init__(get_provider("canned"), "Help.", tools=[lookup])
        self.mailer = mailer


class OwnModels(Agent):
    """Asks a provider that the settings do not know."""

    def __init__(self) -> None:
        super().__init__(FakeProvider("We open at 9."))


class Unfinished(BaseAgent):
    @abstractmethod
    def shop(self) -> str: ...


class Broken(Agent):
    def __init__(self) -> None:
        super().__init__(get_provider("nowhere"))


def lookup(number: int) -> str:
    """Find an order."""
    return f"order {number}"


LOOKUP = Tool.from_function(lookup, approval=True)


def untyped(number):
    return number


def echo(text: str) -> str:
    return text


def make_agent() -> Agent:
    return Agent(FakeProvider("made"))


def make_nothing() -> None:
    return None


SHARED = Agent(FakeProvider(*["shared"] * 4))
