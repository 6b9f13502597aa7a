"""Answers that match a JSON schema, asked for in words where a model cannot be given the schema itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neuron_evals.core.exceptions import InvalidInput
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.messages import Message


def as_message(message: str | Message) -> Message:
    """Return a user's message for text, and a user's message as it is.

    Raises:
        InvalidInput: It is something else.
    """
    given: Any = message
    if isinstance(given, str):
        return Message(role="user", content=given)
    if isinstance(given, Message) and given.role == "user":
        return given
    kind = f"a message of the {given.role}" if isinstance(given, Message) else type(given).__name__
    msg = f"an agent is told text or a message of the user, got {kind}"
    raise InvalidInput(msg)


def with_schema(message: str | Message, schema: Mapping[str, Any]) -> Message:
    """Return a message that asks for one JSON object that matches `schema`.

    Args:
        message: What is asked.
        schema: JSON schema of the answer, an object.
    """
    asked = as_message(message)
    wish = (
        f"Answer with one JSON object that matches this JSON schema, and with nothing else:\n{canonical_json(schema)}"
    )
    return replace(asked, content=f"{asked.content}\n\n{wish}" if asked.content else wish)
