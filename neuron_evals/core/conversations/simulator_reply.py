"""Reading the reply of a simulated user: one decision, given once, or none at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neuron_evals.core.asking.replies import UnusableReply, objects_and_prose

_LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """What a simulated user decided.

    Attributes:
        stop: Whether it ends the conversation.
        message: What it says; empty when it says nothing.
        reason: Why; empty when it gave none.
    """

    stop: bool
    message: str = ""
    reason: str = ""


def read_step(text: str) -> Step:
    """Return the step that a reply tells.

    It is a JSON object with `stop`, alone, fenced or in prose. Closed `<think>` text does not count; other objects
    without the key, and other keys, are ignored.

    Raises:
        UnusableReply: There is no decision or more than one, or neither a stop nor a message.
    """
    decisions = [found for found in objects_and_prose(text)[0] if "stop" in found]
    if len(decisions) != 1:
        raise UnusableReply(_count_problem(text, len(decisions)))
    stop, message, reason = (decisions[0].get(key) for key in ("stop", "message", "reason"))
    if not isinstance(stop, bool):
        msg = '"stop" must be true or false'
        raise UnusableReply(msg)
    if message is not None and not isinstance(message, str):
        msg = '"message" must be text'
        raise UnusableReply(msg)
    said = (message or "").strip()
    if not stop and not said:
        msg = "it gave an empty message and did not stop"
        raise UnusableReply(msg)
    return Step(stop, said, _shortened(reason))


def _shortened(reason: Any) -> str:
    given = reason.strip() if isinstance(reason, str) else ""
    return given if len(given) <= _LONGEST_REASON else f"{given[:_LONGEST_REASON]}\u2026"


def _count_problem(text: str, count: int) -> str:
    if not text.strip():
        return "the reply is empty"
    if count == 0:
        return 'the reply holds no "stop"'
    return f'the reply holds {count} values for "stop"; one is wanted'
