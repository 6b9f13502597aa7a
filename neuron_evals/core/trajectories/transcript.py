"""Transcripts: a conversation as text that people and judges read, and that no message can forge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import clean_json, clean_text

if TYPE_CHECKING:
    from neuron_evals.core.messages import Message, ToolCall

# What `str.splitlines` knows.
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_PLAIN_NAME = re.compile(r"[\w.:/-]+")
# Nothing that could close what it stands in, or look as if it did.
_PLAIN_REASON = re.compile(r"[\w .,;:!?'%/+-]+")


def transcript(messages: Sequence[Message], calls: Iterable[Sequence[ToolCall]]) -> str:
    """Return the transcript of a conversation.

    Args:
        messages: The messages.
        calls: The calls with their outcomes, as `fold` returns them.
    """
    entries = (entry for message in _with_calls(messages, calls) for entry in _entries(*message))
    return clean_text("\n".join(_LINE_BREAK.sub("\n    ", entry) for entry in entries))


def described_call(call: ToolCall) -> str:
    """Return a call as `name({"argument":1})`; arguments that are no JSON object as the JSON text of what was given."""
    name = call.name if _PLAIN_NAME.fullmatch(call.name) else _json(call.name)
    return f"{name}({_json(call.arguments if call.invalid_arguments is None else call.invalid_arguments)})"


def _with_calls(
    messages: Sequence[Message], calls: Iterable[Sequence[ToolCall]]
) -> Iterator[tuple[Message, Sequence[ToolCall]]]:
    rounds = iter(calls)
    for message in messages:
        yield message, () if message.role == "tool" else next(rounds)


def _entries(message: Message, calls: Sequence[ToolCall]) -> Iterator[str]:
    attached = ", ".join(map(_attachment, message.attachments))
    if message.role == "tool":
        if attached:
            yield f"Tool attachments: {attached}"
    elif message.role != "system" and (message.content or attached or not calls):
        speaker = "User" if message.role == "user" else "Assistant"
        yield f"{speaker}: " + " ".join(filter(None, (message.content, attached and f"[{attached}]")))
    for call in calls:
        # Before the reasons: they are free text, which could hold the mark.
        stubbed = " [stubbed]" if call.stubbed else ""
        yield f"Tool call: {described_call(call)}{stubbed}{_approval(call)}"
        name = call.name if _PLAIN_NAME.fullmatch(call.name) else _json(call.name)
        if call.error is not None:
            yield f"Tool error ({name}): {call.error}"
        if call.result is not None:
            yield f"Tool result ({name}): {call.result if isinstance(call.result, str) else _json(call.result)}"


def _approval(call: ToolCall) -> str:
    asked = f" (approval requested: {_reason(call.approval_reason)})" if call.approval_reason else ""
    if call.approval is None:
        return asked
    state = "pending approval" if call.approval == "pending" else call.approval
    reason = f": {_reason(call.reject_reason)}" if call.approval == "rejected" and call.reject_reason else ""
    return f"{asked} [{state}{reason}]"


def _reason(text: str) -> str:
    return text if _PLAIN_REASON.fullmatch(text) else _json(text)


def _attachment(attachment: Mapping[str, Any]) -> str:
    parts = [str(attachment.get("type") or "attachment")]
    if attachment.get("name"):
        parts.append(_json(str(attachment["name"])))
    if attachment.get("media_type"):
        parts.append(f"({attachment['media_type']})")
    return " ".join(parts)


def _json(value: object) -> str:
    return json.dumps(clean_json(value), ensure_ascii=False, separators=(",", ":"))
