"""Stops that come with a message: the message is said first, and its answer ends the conversation.

A user who agrees to something must not be gone before the agent has done it. The trajectory does not tell that a user
wanted to stop, so this is remembered: by what was said, not by the conversation, since one simulated user may take part
in many at once.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from neuron_evals.core.jsonable import canonical_json

if TYPE_CHECKING:
    from neuron_evals.core.messages import Message

_MOST = 1_000
"""How many are remembered. A user whose stop was forgotten is asked again, which costs one call."""


class PendingStops:
    """What was decided last after each course of a conversation. It can be shared by threads."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._lock = threading.Lock()

    def decide(self, messages: Iterable[Message], said: str, reason: str | None) -> None:
        """Remember whether the user stops after a message.

        Args:
            messages: The conversation before the message.
            said: The message.
            reason: Why the user stops; `None` when it does not.
        """
        if reason is None and not self._reasons:
            return
        key = _key([*_course(messages), ("user", said)])
        with self._lock:
            self._reasons.pop(key, None)
            if reason is not None:
                self._reasons[key] = reason
                if len(self._reasons) > _MOST:
                    del self._reasons[next(iter(self._reasons))]

    def reason_after(self, messages: Iterable[Message]) -> str | None:
        """Return why the user stops after its last message; `None` when it did not decide to."""
        if not self._reasons:
            return None
        course = _course(messages)
        while course and course[-1][0] != "user":
            course.pop()
        with self._lock:
            return self._reasons.get(_key(course))


def _course(messages: Iterable[Message]) -> list[tuple[str, str]]:
    return [
        (message.role, message.content)
        for message in messages
        if message.role in ("user", "assistant") and message.content
    ]


def _key(course: list[tuple[str, str]]) -> str:
    return hashlib.sha256(canonical_json(course).encode()).hexdigest()
