"""The chat vocabulary: messages, tool calls, token usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from neuron_evals.core.exceptions import InvalidArgument

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")

ApprovalState = Literal["pending", "approved", "rejected"]
APPROVAL_STATES: tuple[ApprovalState, ...] = ("pending", "approved", "rejected")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls. `None` is unknown, which is not 0.

    Attributes:
        input: Tokens sent, those read from a cache included.
        output: Tokens received, reasoning included.
        cached_input: Part of `input` that the provider read from its cache.
        reasoning: Part of `output` that the model spent on reasoning.
        requests: How many model calls these are.
        cache_write: Part of `input` that the provider wrote to its cache, where it says so.
    """

    input: int | None = None
    output: int | None = None
    cached_input: int | None = None
    reasoning: int | None = None
    requests: int = 1
    cache_write: int | None = None

    @property
    def total(self) -> int | None:
        """Input and output together; `None` when either is unknown."""
        return None if self.input is None or self.output is None else self.input + self.output

    @classmethod
    def sum(cls, usages: Iterable[Usage]) -> Usage:
        """Return all of them together; a kind of token that one of them does not know is unknown in the sum."""
        parts = list(usages)
        return cls(
            input=_sum(part.input for part in parts),
            output=_sum(part.output for part in parts),
            cached_input=_sum(part.cached_input for part in parts),
            reasoning=_sum(part.reasoning for part in parts),
            requests=sum(part.requests for part in parts),
            cache_write=_sum(part.cache_write for part in parts),
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool: as the assistant proposes it, or with its outcome in the tool message that follows.

    Attributes:
        id: The provider's id of the call; `None` when it gives none.
        name: Name of the tool.
        arguments: Arguments by name, JSON values.
        result: What the tool returned; `None` before it ran, or when it returned nothing.
        error: What broke in the tool; `None` when nothing did.
        approval: State of the approval, for a gated call; `None` for a call that needs none.
        approval_reason: Why approval was asked for.
        reject_reason: Why it was refused.
        executed: Whether the tool ran; `None` is read from the outcome: it ran when there is a result or an error.
        raw_arguments: What the model wrote instead of a JSON object, with `arguments` empty; `None` when it wrote one.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    result: Any = None
    error: str | None = None
    approval: ApprovalState | None = None
    approval_reason: str | None = None
    reject_reason: str | None = None
    executed: bool | None = None
    raw_arguments: str | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown approval state."""
        if self.approval is not None and self.approval not in APPROVAL_STATES:
            msg = f"ToolCall: approval is one of {', '.join(APPROVAL_STATES)}, or None, got {self.approval!r}"
            raise InvalidArgument(msg)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: Who speaks.
        content: The text; empty when there is none.
        tool_calls: In an assistant message the calls it proposes; in a tool message the same calls with their outcome.
        usage: Tokens of the model call that gave this message; `None` when unknown or when no model did.
        attachments: What else the message carries, such as images: each a mapping with `type`, and `name` and
            `media_type` where known.
        model: Name of the model that gave this message; `None` when unknown.
        duration: Seconds the model call took; `None` when unknown.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    attachments: tuple[Mapping[str, Any], ...] = ()
    model: str | None = None
    duration: float | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown role; take any sequence of calls."""
        if self.role not in ROLES:
            msg = f"Message: role is one of {', '.join(ROLES)}, got {self.role!r}"
            raise InvalidArgument(msg)
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        object.__setattr__(self, "attachments", tuple(self.attachments))


def _sum(numbers: Iterable[int | None]) -> int | None:
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total
