"""What every provider offers: a request in, a reply out, whatever HTTP dialect is spoken."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.providers.errors import ProviderError

if TYPE_CHECKING:
    from neuron_evals.core.providers.prices import PriceTable


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it.

    Attributes:
        name: Name by which the model calls it.
        description: What it does; for the model.
        parameters: JSON schema of its arguments, an object.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How the model should answer. What is `None` is not sent, and the provider decides.

    Attributes:
        temperature: Randomness, 0 or more.
        top_p: Share of the probability mass that is sampled from, above 0 up to 1.
        max_tokens: Most tokens of the answer, 1 or more.
        seed: Seed of the sampling.
        timeout: Seconds that the call may take in all, retries and waiting included; above 0. `None` takes the
            provider's.
        stream: Whether the reply is streamed, which tells the time to the first token. `None` takes the provider's.
        extra: Further fields of the request, sent as they are; they win over ours.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    timeout: float | None = None
    stream: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse numbers that no provider can take."""
        _number("temperature", self.temperature, "0 or more", valid=lambda number: number >= 0)
        _number("top_p", self.top_p, "above 0 and at most 1", valid=lambda number: 0 < number <= 1)
        _number(
            "max_tokens", self.max_tokens, "a whole number, 1 or more", valid=lambda number: number >= 1, whole=True
        )
        _number("seed", self.seed, "a whole number", valid=lambda _: True, whole=True)
        _number("timeout", self.timeout, "above 0 seconds", valid=lambda number: number > 0)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model.

    Attributes:
        messages: The conversation so far.
        model: Name of the model; `None` takes the provider's.
        instructions: System prompt; comes before the messages.
        tools: Tools that the model may call.
        schema: JSON schema that the reply should match; `None` for free text. A provider asks for it as well as it can;
            whether the reply matches is for the caller to check.
        settings: How to answer.
    """

    messages: tuple[Message, ...]
    model: str | None = None
    instructions: str = ""
    tools: tuple[ToolSpec, ...] = ()
    schema: Mapping[str, Any] | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)

    def __post_init__(self) -> None:
        """Take any sequence of messages and tools."""
        object.__setattr__(self, "messages", tuple(self.messages))
        object.__setattr__(self, "tools", tuple(self.tools))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered.

    Attributes:
        message: The assistant's message, with usage, model and duration. The duration is that of the attempt that
            succeeded, in seconds, without waiting.
        first_token: Seconds from sending to the first token; `None` when the reply was not streamed.
        finish_reason: `stop`, `length`, `tool_calls`, `content_filter`, or the provider's own word; empty when it gave
            none.
        raw: The reply as it came; for a long one, `{"truncated": its beginning}`.
        attempts: How often the call was made until it succeeded.
    """

    message: Message
    first_token: float | None = None
    finish_reason: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict)
    attempts: int = 1


class BaseProvider(ABC):
    """Base of the providers. One object serves any number of threads and event loops at once.

    Attributes:
        model: Name of the model that a request gets which names none.
        prices: What its models cost, for the agents that ask them; `None` for the table that is shipped.
    """

    model: str | None = None
    prices: PriceTable | None = None

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of all that decides what is asked of which model, for cache keys; keys have no part in it."""

    @abstractmethod
    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply.

        Raises:
            ProviderError: There is no usable reply.
        """

    @abstractmethod
    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply; like `complete`, for async code."""

    def is_transient(self, exc: BaseException) -> bool:
        """Return whether it is worth trying the item again that broke on `exc`."""
        return isinstance(exc, ProviderError) and exc.transient

    def problems(self) -> list[str]:
        """Return what would make every call fail, a line each, without calling anything."""
        return []

    def close(self) -> None:  # noqa: B027  (a provider that holds nothing open has nothing to do)
        """Close what is open. The provider can be used again."""


def _number(name: str, value: object, valid_text: str, *, valid: Any, whole: bool = False) -> None:
    if value is None:
        return
    kind = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kind) or not math.isfinite(value) or not valid(value):
        msg = f"ModelSettings: {name} is {valid_text}, or None, got {value!r}"
        raise InvalidArgument(msg)
