"""The chat vocabulary: messages, tool calls, token usage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NoReturn

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import canonical_json, register_type

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
        return cls._joined(usages, _sum)

    @classmethod
    def known_sum(cls, usages: Iterable[Usage]) -> Usage:
        """Return what is known of all together, which the whole cannot be below; what none knows is unknown."""
        return cls._joined(usages, _known_sum)

    @classmethod
    def _joined(cls, usages: Iterable[Usage], joined: Callable[[Iterable[int | None]], int | None]) -> Usage:
        parts = list(usages)
        return cls(
            input=joined(part.input for part in parts),
            output=joined(part.output for part in parts),
            cached_input=joined(part.cached_input for part in parts),
            reasoning=joined(part.reasoning for part in parts),
            requests=sum(part.requests for part in parts),
            cache_write=joined(part.cache_write for part in parts),
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool: as the assistant proposes it, or with its outcome in the tool message that follows.

    Attributes:
        id: The provider's id of the call; `None` when it gives none.
        name: Name of the tool.
        arguments: Arguments by name, JSON values. What a model gave instead is read: JSON text of an object as that
            object; nothing (`None`, blank text, `null`) as no arguments.
        result: What the tool returned; `None` before it ran, or when it returned nothing.
        error: What broke in the tool; `None` when nothing did.
        approval: State of the approval, for a gated call; `None` for a call that needs none.
        approval_reason: Why approval was asked for.
        reject_reason: Why it was refused.
        executed: Whether the tool ran; `None` is read from the outcome: it ran when there is a result or an error.
        invalid_arguments: What the model gave as arguments when that was no JSON object, as text; `arguments` is empty
            then. `None` when they could be read.
        duration: Seconds the tool took; `None` when it did not run, or unknown.
        stubbed: Whether a stub answered in place of the tool; models are not told.

    Raises:
        InvalidArgument: The name is no text, or the approval state is unknown.
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
    invalid_arguments: str | None = None
    duration: float | None = None
    stubbed: bool = False

    def __post_init__(self) -> None:
        """Refuse an unknown approval state; read arguments that are no mapping."""
        _require_text("ToolCall", "name", self.name)
        if self.approval is not None and self.approval not in APPROVAL_STATES:
            msg = f"ToolCall: approval is one of {', '.join(APPROVAL_STATES)}, or None, got {self.approval!r}"
            raise InvalidArgument(msg)
        given: Any = self.arguments
        if not isinstance(given, Mapping):
            arguments, invalid = read_arguments(given)
            object.__setattr__(self, "arguments", arguments)
            object.__setattr__(self, "invalid_arguments", invalid)

    @property
    def ran(self) -> bool:
        """Whether the tool ran: as `executed` says, else as the outcome does. A rejected or pending call did not."""
        if self.executed is not None:
            return self.executed
        return self.approval not in ("pending", "rejected") and (self.result is not None or self.error is not None)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: Who speaks.
        content: The text; empty when there is none, also where `None` was given.
        tool_calls: In an assistant message the calls it proposes; in a tool message the same calls with their outcome.
            Any sequence is taken and kept as a tuple, also of `attachments`.
        usage: Tokens of the model call that gave this message; `None` when unknown or when no model did.
        attachments: What else the message carries, such as images: each a mapping with `type`, and `name` and
            `media_type` where known.
        model: Name of the model that gave this message; `None` when unknown.
        duration: Seconds the model call took; `None` when unknown.

    Raises:
        InvalidArgument: The role is unknown, the content is no text, or `tool_calls` holds something else.
    """

    role: Role
    content: str = ""
    tool_calls: Sequence[ToolCall] = ()
    usage: Usage | None = None
    attachments: Sequence[Mapping[str, Any]] = ()
    model: str | None = None
    duration: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no message; take any sequence of calls, and `None` for no text."""
        if self.role not in ROLES:
            msg = f"Message: role is one of {', '.join(ROLES)}, got {self.role!r}"
            raise InvalidArgument(msg)
        content: Any = self.content
        object.__setattr__(self, "content", "" if content is None else content)
        _require_text("Message", "content", self.content)
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        object.__setattr__(self, "attachments", tuple(self.attachments))
        calls: Sequence[Any] = self.tool_calls
        for position, call in enumerate(calls):
            if not isinstance(call, ToolCall):
                msg = f"Message: tool_calls[{position}] must be a ToolCall, got {type(call).__name__}"
                raise InvalidArgument(msg)


def read_arguments(given: Any) -> tuple[Mapping[str, Any], str | None]:
    """Return the arguments that a model gave, and what it gave as text when that was no JSON object.

    Args:
        given: A mapping, JSON text of an object, or nothing: `None`, blank text, `null`. Anything else is broken,
            as is text with a number that JSON has not, which no server would take back: `NaN`, `1e999`.

    Returns:
        The arguments, empty when broken, and the text of broken ones, else `None`.
    """
    if given is None or isinstance(given, Mapping):
        return given or {}, None
    if not isinstance(given, str):
        return {}, canonical_json(given)
    if not given.strip():
        return {}, None
    try:
        value = json.loads(given, parse_constant=_refuse_constant)
        # Written again, since a number such as 1e999 is read as an infinity.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return {}, given
    if value is None:
        return {}, None
    return (value, None) if isinstance(value, dict) else ({}, given)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _require_text(owner: str, role: str, value: Any) -> None:
    if not isinstance(value, str):
        msg = f"{owner}: {role} must be text, got {type(value).__name__}"
        raise InvalidArgument(msg)


def _sum(numbers: Iterable[int | None]) -> int | None:
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _known_sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _held(value: Any) -> dict[str, Any]:
    """Return the fields of a message, call or usage that differ from their defaults, for the round trip."""
    held = {}
    for option in fields(value):
        member = getattr(value, option.name)
        if type(member) is not type(option.default) or member != option.default:
            held[option.name] = member
    return held


register_type("usage", Usage, _held, lambda held: Usage(**held))
register_type("tool_call", ToolCall, _held, lambda held: ToolCall(**held))
register_type("message", Message, _held, lambda held: Message(**held))
