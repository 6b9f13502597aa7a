"""Messages of OpenAI's chat completions, which most servers and frameworks speak.

Calls stand in `tool_calls` of an assistant message, or in `function_call` of older ones. Their outcomes are messages
with the role `tool`, one for each call, named by `tool_call_id`; servers that give no ids name the tool, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message, Role, ToolCall
from neuron_evals.core.trajectories.parts import as_mapping, id_of, parts_of, said

if TYPE_CHECKING:
    from neuron_evals.core.trajectories.folding import Round

_ROLES: Final[Mapping[Any, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_OWN_ROLES: Final = {"developer", "tool", "function"}
_OWN_KEYS: Final = ("tool_calls", "function_call", "tool_call_id", "refusal")
_OWN_PARTS: Final = {"image_url", "input_audio", "file", "refusal"}


def recognises(message: Mapping[str, Any], kinds: set[str]) -> bool:
    """Return whether a message can only be in this format; `kinds` are the types of its content's parts."""
    if message.get("role") in _OWN_ROLES or not _OWN_PARTS.isdisjoint(kinds):
        return True
    return any(message.get(key) for key in _OWN_KEYS)


def read(message: Mapping[str, Any], proposed: Round) -> Iterator[Message]:
    """Yield a message as ours.

    Args:
        message: The message.
        proposed: The calls that are open before it.

    Raises:
        InvalidArgument: The role is unknown, or a call is no mapping.
    """
    role = _ROLES.get(message.get("role"))
    if role is None:
        msg = f"role is one of {', '.join(_ROLES)}, got {message.get('role')!r}"
        raise InvalidArgument(msg)
    # One reply in several parts is one text; several texts of a user are several.
    text, attachments = said(parts_of(message.get("content")), glue="" if role == "assistant" else "\n")
    if role == "tool":
        outcome = ToolCall(_text(message.get("name")), id=id_of(message.get("tool_call_id")), result=text)
        yield Message("tool", tool_calls=(proposed.resolve(outcome) or outcome,), attachments=tuple(attachments))
        return
    yield Message(
        role,
        text or _text(message.get("refusal")),
        tool_calls=tuple(_calls(message)) if role == "assistant" else (),
        attachments=tuple(attachments),
    )


def _calls(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    given = message.get("tool_calls") or ()
    if not isinstance(given, list | tuple):
        msg = f"tool_calls must be a list, got {type(given).__name__}"
        raise InvalidArgument(msg)
    calls = list(given)
    if message.get("function_call"):
        calls.append({"function": message["function_call"]})
    for position, proposed in enumerate(calls):
        call = as_mapping(proposed)
        if call is None:
            msg = f"tool_calls[{position}] must be a mapping, got {type(proposed).__name__}"
            raise InvalidArgument(msg)
        function = as_mapping(call.get("function")) or as_mapping(call.get("custom")) or call
        arguments: Any = next((function[key] for key in ("arguments", "args", "input") if key in function), None)
        yield ToolCall(_text(function.get("name")), arguments, id=id_of(call.get("id")))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
