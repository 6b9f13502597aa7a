"""What the dialects share: reading what models write, and writing what they read."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.providers.errors import ProviderError

Structured = Literal["schema", "prompt"]
"""How a reply that matches a schema is asked for: by the dialect's own field, or in the instructions."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, read.

    Attributes:
        content: The text.
        tool_calls: The calls that the model proposes.
        usage: Tokens, as far as the provider told them.
        model: Name of the model that answered; `None` when it is not told.
        finish_reason: As in `ModelReply`.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    finish_reason: str = ""


def tool_call(name: object, arguments: Any, call_id: object = None) -> ToolCall:
    """Return a call as the model wrote it.

    Args:
        name: Name of the tool.
        arguments: A JSON object, its text, or what a model wrote instead; read as `ToolCall` does.
        call_id: Id of the call, if it has one.
    """
    # As text, since an object that was read from JSON may hold numbers that JSON has not.
    given: Any = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, Mapping) else arguments
    return ToolCall(name if isinstance(name, str) else "", given, id=call_id if isinstance(call_id, str) else None)


def tokens(source: object, *path: str) -> int | None:
    """Return the number of tokens at `path`; `None` when there is none."""
    for key in path:
        source = source.get(key) if isinstance(source, Mapping) else None
    return source if isinstance(source, int) and not isinstance(source, bool) and source >= 0 else None


def text_of(content: object) -> str:
    """Return the text of a reply's content: text, nothing, or a list of parts of which those with text count."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def outcome_text(call: ToolCall) -> str:
    """Return what the model is told of a call: the result as text or JSON, the error, or the refusal."""
    if call.error is not None:
        return f"Error: {call.error}"
    if call.approval == "rejected":
        return f"Rejected: {call.reject_reason}" if call.reject_reason else "Rejected."
    if isinstance(call.result, str):
        return call.result
    return "" if call.result is None else json.dumps(clean_json(call.result), ensure_ascii=False)


def is_failure(call: ToolCall) -> bool:
    """Return whether a call came to nothing."""
    return call.error is not None or call.approval == "rejected"


def sendable(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with an id for every call, outcomes paired with their calls in order.

    Raises:
        InvalidArgument: A user's message has attachments: what is not sent must not be judged as if it were.
    """
    ready: list[Message] = []
    given: deque[str] = deque()
    for position, message in enumerate(messages):
        if message.role == "user" and message.attachments:
            msg = f"message {position}: attachments cannot be sent; use text"
            raise InvalidArgument(msg)
        calls = message.tool_calls
        if message.role == "assistant":
            calls = tuple(
                call if call.id else replace(call, id=f"call_{position}_{number}") for number, call in enumerate(calls)
            )
            given = deque(
                call.id or "" for call, before in zip(calls, message.tool_calls, strict=True) if not before.id
            )
        elif message.role == "tool":
            calls = tuple(call if call.id or not given else replace(call, id=given.popleft()) for call in calls)
        ready.append(replace(message, tool_calls=calls))
    return ready


def json_text(value: Any) -> str:
    """Return what is sent as JSON; half of a surrogate pair, which servers refuse, becomes U+FFFD.

    Raises:
        InvalidArgument: It holds what JSON has not.
    """
    try:
        return clean_text(json.dumps(value, allow_nan=False, ensure_ascii=False, default=clean_json))
    except (ValueError, RecursionError):
        msg = "the request cannot be sent: it holds NaN, an infinity, or itself"
        raise InvalidArgument(msg) from None


def schema_instructions(instructions: str, schema: Mapping[str, Any] | None) -> str:
    """Return instructions that ask for a reply that matches a schema."""
    if schema is None:
        return instructions
    asked = f"Answer with one JSON value that matches this JSON schema, and with nothing else:\n{json_text(schema)}"
    return f"{instructions}\n\n{asked}" if instructions else asked


def no_reply(what: str) -> NoReturn:
    """Refuse an answer.

    Raises:
        ProviderError: Always.
    """
    msg = f"answered without a reply: {what}"
    raise ProviderError(msg, kind="bad_reply")
