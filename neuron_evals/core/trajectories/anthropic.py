"""Messages of Anthropic's API.

Calls are `tool_use` blocks in the content of an assistant message, their outcomes `tool_result` blocks in the user
message after it; those of tools that run at the provider stand in the assistant message itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message, Role, ToolCall
from neuron_evals.core.trajectories.folding import Round
from neuron_evals.core.trajectories.parts import id_of, parts_of, said

_ROLES: Final[Mapping[Any, Role]] = {"system": "system", "user": "user", "assistant": "assistant"}
_OWN_PARTS: Final = {"image", "document", "thinking", "redacted_thinking"}

# Other parts, such as the hits of a search, are data and not something attached to it.
_RESULT_PARTS: Final = {"text", "image", "document"}


def recognises(kinds: set[str]) -> bool:
    """Return whether a message can only be in this format; `kinds` are the types of its content's parts."""
    return not _OWN_PARTS.isdisjoint(kinds) or any(kind.endswith(("tool_use", "tool_result")) for kind in kinds)


def read(message: Mapping[str, Any], proposed: Round) -> Iterator[Message]:
    """Yield a message as ours: blocks with outcomes as a tool message of their own, in the order of the blocks.

    Args:
        message: The message.
        proposed: The calls that are open before it.

    Raises:
        InvalidArgument: The role is unknown.
    """
    role = _ROLES.get(message.get("role"))
    if role is None:
        msg = f"role is one of {', '.join(_ROLES)}, got {message.get('role')!r}"
        raise InvalidArgument(msg)
    blocks = parts_of(message.get("content"))
    if not blocks:
        yield Message(role)
    for outcomes, group in groupby(blocks, key=_is_outcome):
        if outcomes:
            yield _tool_message(group, proposed)
            continue
        part = list(group)
        # Texts of one reply are cut where its citations begin and end; several texts of a user are several.
        glue = "" if role == "assistant" else "\n"
        text, attachments = said((block for block in part if not _is_call(block)), glue)
        spoken = Message(role, text, tuple(map(_call, filter(_is_call, part))), attachments=tuple(attachments))
        proposed = Round(spoken.tool_calls)
        yield spoken


def _is_outcome(block: Mapping[str, Any]) -> bool:
    return str(block.get("type")).endswith("tool_result")


def _is_call(block: Mapping[str, Any]) -> bool:
    return str(block.get("type")).endswith("tool_use")


def _call(block: Mapping[str, Any]) -> ToolCall:
    name = block.get("name")
    return ToolCall(name if isinstance(name, str) else "", block.get("input") or {}, id=id_of(block.get("id")))


def _tool_message(blocks: Iterable[Mapping[str, Any]], proposed: Round) -> Message:
    calls = []
    attachments: list[Mapping[str, Any]] = []
    for block in blocks:
        parts = parts_of(block.get("content"))
        text, attached = said(parts)
        result: Any = text
        if any(str(part.get("type")) not in _RESULT_PARTS for part in parts):
            result, attached = parts, []
        failed = block.get("is_error") is True
        outcome = ToolCall(
            "",
            id=id_of(block.get("tool_use_id")),
            result=None if failed else result,
            error=(text or "the tool failed") if failed else None,
        )
        calls.append(proposed.resolve(outcome) or outcome)
        attachments.extend(attached)
    return Message("tool", tool_calls=tuple(calls), attachments=tuple(attachments))
