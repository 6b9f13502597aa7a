"""Turns as they are written down: text, messages, or mappings of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message

MESSAGE_KEYS: Final = ("role", "content", "attachments")
_VALID: Final = "text, a Message of the user, or a mapping with the key content"


def read_turns(given: Any, owner: str) -> tuple[Message, ...]:
    """Return turns as messages of the user.

    Args:
        given: Texts, user's messages, or mappings with `content` and, where wanted, `role` and `attachments`.
        owner: What they are given to, for the error.

    Raises:
        InvalidArgument: Something is no turn. Every problem is named.
    """
    if isinstance(given, str | bytes | Mapping | Message) or not isinstance(given, Iterable):
        msg = f"{owner}: expected a list of turns, got {type(given).__name__}"
        raise InvalidArgument(msg)
    elements = list(given)
    problems = [
        f"turns[{position}]{path and f'.{path}'}: {message}"
        for position, element in enumerate(elements)
        for path, message in turn_problems(element)
    ]
    if problems:
        msg = f"{owner}: {'; '.join(problems)}"
        raise InvalidArgument(msg)
    return tuple(map(_message, elements))


def turn_problems(turn: Any) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with one turn: the path within it, empty for the whole, and the message."""
    match turn:
        case str():
            if not turn.strip():
                yield "", "a turn must say something, got blank text"
        case Message():
            yield from _said_problems(turn.role, turn.content, turn.attachments)
        case Mapping():
            yield from _mapping_problems(turn)
        case _:
            yield "", f"a turn is {_VALID}, got {type(turn).__name__}"


def _mapping_problems(turn: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    wrong = False
    for key in turn:
        if key not in MESSAGE_KEYS:
            wrong = True
            yield str(key), f"unknown key; a turn has {', '.join(MESSAGE_KEYS)}"
    content, attachments = turn.get("content", ""), turn.get("attachments", [])
    if not isinstance(content, str):
        wrong = True
        yield "content", f"must be text, got {type(content).__name__}"
    if not isinstance(attachments, list | tuple) or not all(isinstance(part, Mapping) for part in attachments):
        wrong = True
        yield "attachments", "must be a list of mappings"
    if not wrong:
        yield from _said_problems(turn.get("role", "user"), content, attachments)


def _said_problems(role: Any, content: str, attachments: Any) -> Iterator[tuple[str, str]]:
    if role != "user":
        yield "role", f"must be user: the agent is told what its user says, got {role!r}"
    if not content.strip() and not attachments:
        yield "content", "a turn must say something, got blank text and no attachments"


def _message(turn: Any) -> Message:
    if isinstance(turn, Message):
        return turn
    if isinstance(turn, str):
        return Message(role="user", content=turn)
    return Message(role="user", content=turn.get("content", ""), attachments=turn.get("attachments", ()))
