"""Agents, tools and a provider that settings name."""

from __future__ import annotations

from abc import abstractmethod

from neuron_evals.container import get_provider
from neuron_evals.core.agents import Agent, BaseAgent, Tool
from neuron_evals.core.providers import FakeProvider
from tests.testapp.mail import FakeMailer  # noqa: TC001  (the container reads annotations)


class CannedProvider(FakeProvider):
    """Answers what the settings say."""

    def __init__(self, answers: tuple[str, ...] = (), model: str = "fake") -> None:
        if "s" in answers:
            msg = "answers must be a list"
            raise ValueError(msg)
        super().__init__(*answers, model=model)


class SupportAgent(Agent):
    def __init__(self, mailer: FakeMailer) -> None:
        super().__init__(get_provider("canned"), "Help.", tools=[lookup])
        self.mailer = mailer


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
