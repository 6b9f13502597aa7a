"""`input` as a list of messages: instructions, what was said before, and what the user says now."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.messages import Message
from neuron_evals.core.suites.shapes import Choice, Either, Fault, Keyed, Listed, Text, described

_MESSAGE = Keyed({"role": Choice(("system", "user", "assistant")), "content": Text(blank=False)}, ("role", "content"))

INPUT = Either((Text(blank=False), Listed(_MESSAGE, least=1)))
"""What `input` may be, but for the order of messages."""


@dataclass(frozen=True)
class Said:
    """What a list of messages says.

    Attributes:
        text: What the user says now.
        opening: What was said before.
        instructions: What the system messages say; `None` when there are none.
    """

    text: str
    opening: tuple[Message, ...]
    instructions: str | None


def message_faults(value: Any) -> Iterator[Fault]:
    """Yield what is wrong with an `input`: it is text, or a list of messages of which the user's comes last."""
    if isinstance(value, str):
        yield from Text(blank=False).faults(value, "input")
        return
    if not isinstance(value, list | tuple) or not value:
        yield "input", f"must be text or a list of messages with role and content, got {described(value)}"
        return
    found = [fault for place, each in enumerate(value) for fault in _MESSAGE.faults(each, f"input[{place}]")]
    yield from found
    if found:
        return
    said = [each["role"] for each in value if each["role"] != "system"]
    if not said or said[-1] != "user":
        yield "input", "must end with what the user says"
    elif any(one == other for one, other in itertools.pairwise(said)) or said[0] != "user":
        yield (
            "input",
            "must begin with the user, and go on with assistant and user in turn; system messages may stand by",
        )


def read_messages(value: Any) -> Said:
    """Return what an `input` says that is free of faults."""
    if isinstance(value, str):
        return Said(value, (), None)
    system = [each["content"] for each in value if each["role"] == "system"]
    said = [Message(role=each["role"], content=each["content"]) for each in value if each["role"] != "system"]
    return Said(said[-1].content, tuple(said[:-1]), "\n\n".join(system) or None)
