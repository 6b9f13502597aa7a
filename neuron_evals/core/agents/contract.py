"""`BaseAgent`: what is tested and what grades, whatever it is built with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self

from neuron_evals.core.agents.bridging import call_plain
from neuron_evals.core.agents.errors import AgentError
from neuron_evals.core.agents.structured import with_schema
from neuron_evals.core.approvals import Interrupt
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.nearest import did_you_mean

if TYPE_CHECKING:
    from neuron_evals.core.agents.tools import Tool

OVERRIDES: tuple[str, ...] = (
    "model",
    "instructions",
    "temperature",
    "top_p",
    "max_tokens",
    "seed",
    "tools",
    "output_type",
    "deps",
)
"""What `fresh` may be asked to change; each agent supports some of it."""


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What an agent answered in one turn, or where it stopped to ask.

    Attributes:
        text: The answer; with an interrupt, what the agent said before it stopped.
        message: The last assistant message of the turn.
        interrupt: What the agent waits for; `None` when the turn is complete.
        usage: Tokens of all model calls so far in the turn; `None` when nothing is known of them.
        cost: What these calls cost, in the currency of the price table; `None` when unknown.
        duration: Seconds of the turn, tools included, without the time it waited for a decision; `None` when unknown.
        model: Name of the model that answered; `None` when unknown.
        first_token: Seconds to the first token of the answer; `None` when it was not streamed.
        finish_reason: Why the model stopped, such as `stop` or `length`; empty when unknown.
    """

    text: str
    message: Message
    interrupt: Interrupt | None = None
    usage: Usage | None = None
    cost: Decimal | None = None
    duration: float | None = None
    model: str | None = None
    first_token: float | None = None
    finish_reason: str = ""


class BaseAgent(ABC):
    """An agent with one conversation of its own. It is not shared between threads or tasks: each takes `fresh()`.

    A subclass implements `chat`, `history` and `fresh`. The async methods run the plain ones in a thread unless they
    are overridden.
    """

    SUPPORTED: ClassVar[frozenset[str]] = frozenset()
    """Which of `OVERRIDES` the agent's `fresh` can change."""

    name: str = ""
    """Name for reports; empty when it has none."""

    @property
    def asynchronous(self) -> bool:
        """Whether the agent is at home on an event loop, so that a suite awaits it instead of calling it in threads."""
        return False

    @abstractmethod
    def chat(self, message: str | Message) -> AgentReply:
        """Say something to the agent and return its answer.

        Args:
            message: Text, or a user message with more than text.

        Raises:
            AgentError: The agent waits for decisions, so that `resume` is next.
        """

    @property
    @abstractmethod
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, without the instructions."""

    @abstractmethod
    def fresh(self, **overrides: Any) -> Self:
        """Return the same agent with an empty conversation; nothing of this one is changed.

        Args:
            **overrides: What to change, of `OVERRIDES`; implementations begin with `refuse_unsupported(overrides)`.

        Raises:
            ConfigurationError: The agent cannot change one of them.
        """

    def opened_with(self, messages: Iterable[Message]) -> Self:
        """Return the same agent, whose conversations begin with these messages, as if they had been said.

        Args:
            messages: Messages of user and assistant, the last one of the assistant.

        Raises:
            ConfigurationError: The agent cannot be told of an earlier conversation.
        """
        del messages
        msg = f"{type(self).__name__} cannot begin with messages that were said before; give the user's last one alone"
        raise ConfigurationError(msg)

    @property
    def tools(self) -> tuple[Tool, ...] | None:
        """What the agent may call; `None` when it does not tell. An agent that tells can have its tools stubbed."""
        return None

    def resume(self, payload: Any) -> AgentReply:
        """Go on after an interrupt.

        Args:
            payload: What the interrupt asks for. For an `ApprovalRequest`: a mapping from the id of each pending call
                to `"approve"`, `"reject"`, `("reject", reason)` or `("edit", arguments)`.

        Raises:
            AgentError: The agent does not wait for anything.
        """
        del payload
        msg = f"{type(self).__name__}: there is nothing to resume; call chat()"
        raise AgentError(msg)

    def structured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        """Ask once for an answer that matches a JSON schema: reading the text, and asking again, is the caller's.

        Args:
            message: As for `chat`.
            schema: JSON schema of the answer, an object. An agent that cannot hand it to its model asks in words.

        Returns:
            The reply; its `text` is as the model wrote it.
        """
        return self.chat(with_schema(message, schema))

    async def achat(self, message: str | Message) -> AgentReply:
        """Do what `chat` does, for async code."""
        return await call_plain(self.chat, message)

    async def aresume(self, payload: Any) -> AgentReply:
        """Do what `resume` does, for async code."""
        return await call_plain(self.resume, payload)

    async def astructured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        """Do what `structured` does, for async code."""
        return await call_plain(self.structured, message, schema)

    @property
    def fingerprint(self) -> str:
        """A hash of all that shapes the agent's answers, for cache keys; empty when that cannot be told."""
        return ""

    def problems(self) -> list[str]:
        """Return what would make every call fail, a line each, without calling anything."""
        return []

    def is_transient(self, exc: BaseException) -> bool:
        """Return whether it is worth trying the item again that broke on `exc`."""
        del exc
        return False

    @classmethod
    def refuse_unsupported(cls, overrides: Mapping[str, Any]) -> None:
        """Refuse what this kind of agent cannot change.

        Raises:
            ConfigurationError: One of `overrides` is not in `SUPPORTED`.
        """
        for name in overrides:
            if name in cls.SUPPORTED:
                continue
            hint = did_you_mean(name, cls.SUPPORTED)
            valid = [known for known in OVERRIDES if known in cls.SUPPORTED]
            what = f"it can change {', '.join(valid)}" if valid else "it can change nothing"
            msg = f'{cls.__name__}.fresh: "{name}" cannot be changed; {hint}{what}'
            raise ConfigurationError(msg)
