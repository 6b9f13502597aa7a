"""A provider for tests: it answers what it was told to, in order, and remembers what it was asked."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.providers.contract import BaseProvider, ModelReply, ModelRequest

FakeReply = str | Sequence[ToolCall] | Mapping[str, Any] | Message | BaseException


class FakeProvider(BaseProvider):
    """Answers with the given replies, one for each call.

    Args:
        *replies: Each is text; a list of tool calls; a mapping, sent as JSON text; an assistant's message, sent as it
            is; or an exception, raised.
        model: Name of the model, in requests that name none and in the replies.

    Attributes:
        requests: What was asked, in order.

    Raises:
        InvalidArgument: A reply is none of these.
    """

    def __init__(self, *replies: FakeReply, model: str = "fake") -> None:
        self.model = model
        self.requests: list[ModelRequest] = []
        self._lock = threading.Lock()
        self._replies: deque[Message | BaseException] = deque()
        self._given = 0
        self.add(*replies)

    @property
    def call_count(self) -> int:
        """How often it was asked."""
        return len(self.requests)

    @property
    def fingerprint(self) -> str:
        """A hash of the model's name; the replies have no part in it."""
        return hashlib.sha256(f"fake {self.model}".encode()).hexdigest()

    def add(self, *replies: FakeReply) -> None:
        """Add replies after those that are left."""
        with self._lock:
            messages = [_message(reply, self._given + number) for number, reply in enumerate(replies, start=1)]
            self._given += len(messages)
            self._replies.extend(messages)

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the next reply, or raise it when it is an exception.

        Raises:
            EvaluationError: There is no reply left.
        """
        with self._lock:
            self.requests.append(request)
            reply = self._replies.popleft() if self._replies else None
            asked, given = len(self.requests), self._given
        if reply is None:
            msg = f"FakeProvider: call {asked} has no reply, {given} were given; add(...) gives more"
            raise EvaluationError(msg)
        if isinstance(reply, BaseException):
            raise reply
        message = replace(reply, model=reply.model or request.model or self.model)
        return ModelReply(message, finish_reason="tool_calls" if message.tool_calls else "stop")

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Return the next reply; like `complete`, for async code."""
        return self.complete(request)


def _message(reply: object, number: int) -> Message | BaseException:
    if isinstance(reply, BaseException):
        return reply
    if isinstance(reply, Message) and reply.role == "assistant":
        return reply
    if isinstance(reply, str):
        return Message(role="assistant", content=reply)
    if isinstance(reply, Mapping):
        return Message(role="assistant", content=json.dumps(clean_json(reply), ensure_ascii=False))
    if isinstance(reply, Sequence) and reply and all(isinstance(call, ToolCall) for call in reply):
        calls = (call if call.id else replace(call, id=f"call_{number}_{place}") for place, call in enumerate(reply, 1))
        return Message(role="assistant", tool_calls=tuple(calls))
    msg = (
        f"FakeProvider: reply {number} is text, a list of tool calls, a mapping, an assistant's message or an "
        f"exception, got {type(reply).__name__}"
    )
    raise InvalidArgument(msg)
