"""Classes for the container: what an evaluator of a project may want to be given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from decimal import Decimal


class Mailer(ABC):
    @abstractmethod
    def send(self, text: str) -> None: ...


class FakeMailer(Mailer):
    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, text: str) -> None:
        self.sent.append(text)


class Clock(Protocol):
    def now(self) -> float: ...


class Ledger:
    class Page:
        pass


class Agent:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger


class AgentWithMailer:
    def __init__(
        self, agent: Agent, mailer: Mailer, /, limit: int = 3, *rest: str, note: str = "", **more: str
    ) -> None:
        self.agent, self.mailer, self.limit, self.rest, self.note, self.more = agent, mailer, limit, rest, note, more


class Unadorned:
    pass


NOBODY = Agent(Ledger())


class KeepsDefaults:
    def __init__(self, ledger: Ledger | None = None, agent: Agent = NOBODY, amount: Decimal | int = 0) -> None:
        self.ledger, self.agent, self.amount = ledger, agent, amount


class Inherits(Agent):
    pass


@dataclass
class Data:
    agent: Agent
    limit: int = 3


class WantsText:
    def __init__(self, threshold: float) -> None: ...


class WantsUnknown:
    def __init__(self, thing) -> None: ...


class WantsEither:
    def __init__(self, thing: Agent | Ledger) -> None: ...


class WantsOptional:
    def __init__(self, agent: Agent | None) -> None: ...


class WantsList:
    def __init__(self, agents: list[Agent]) -> None: ...


class WantsTypeChecking:
    def __init__(self, amount: Decimal) -> None: ...


class WantsClock:
    def __init__(self, clock: Clock) -> None: ...


class WantsMailer:
    def __init__(self, mailer: Mailer) -> None: ...


class WantsWantsText:
    def __init__(self, inner: WantsText) -> None: ...


class Chicken:
    def __init__(self, egg: Egg) -> None: ...


class Egg:
    def __init__(self, chicken: Chicken) -> None: ...


class Breaks:
    def __init__(self, ledger: Ledger) -> None:
        msg = "the shop\nis closed"
        raise RuntimeError(msg)


class WantsBreaks:
    def __init__(self, breaks: Breaks) -> None: ...


def fake_mailer(ledger: Ledger) -> FakeMailer:
    """Make a mailer that knows of a ledger."""
    mailer = FakeMailer()
    mailer.send(type(ledger).__name__)
    return mailer


def own_container(cls: type) -> object:
    """Build an agent, and nothing else."""
    return Agent(Ledger()) if cls is Agent else None


def broken_container(cls: type) -> object:
    msg = "no such thing here"
    raise LookupError(msg)
