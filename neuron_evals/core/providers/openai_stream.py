"""Streamed chat completions, put together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Call:
    index: object
    id: str | None
    name: str
    arguments: str = ""


class ChatAssembler:
    """Puts the chunks of one completion together."""

    def __init__(self) -> None:
        self._content: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_Call] = []
        self._finish: str | None = None
        self._usage: object = None
        self._model: object = None

    @property
    def complete(self) -> bool:
        """Whether a chunk said why the reply ended."""
        return self._finish is not None

    def feed(self, event: Mapping[str, Any]) -> bool:
        """Take a chunk."""
        self._usage = event.get("usage") or self._usage
        self._model = event.get("model") or self._model
        choices = event.get("choices")
        # The last chunk, with the usage, has no choice.
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return False
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            self._finish = finish
        delta = choice.get("delta")
        return isinstance(delta, Mapping) and self._take(delta)

    def result(self) -> Mapping[str, Any]:
        """Return the completion in the form of one that was not streamed."""
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in self._calls
        ]
        message = {
            "role": "assistant",
            "content": "".join(self._content) or None,
            "refusal": "".join(self._refusal) or None,
            "tool_calls": calls or None,
        }
        choice = {"index": 0, "message": message, "finish_reason": self._finish}
        return {"model": self._model, "choices": [choice], "usage": self._usage}

    def _take(self, delta: Mapping[str, Any]) -> bool:
        brought = False
        for key, texts in (("content", self._content), ("refusal", self._refusal)):
            text = delta.get(key)
            if isinstance(text, str) and text:
                texts.append(text)
                brought = True
        calls = delta.get("tool_calls")
        for part in calls if isinstance(calls, list) else []:
            if isinstance(part, Mapping):
                self._take_call(part)
                brought = True
        return brought

    def _take_call(self, part: Mapping[str, Any]) -> None:
        function = part.get("function")
        source = function if isinstance(function, Mapping) else part
        name, arguments, call_id = source.get("name"), source.get("arguments"), part.get("id")
        call = self._continued(part.get("index"), name, call_id)
        if call is None:
            call = _Call(part.get("index"), call_id or None, name if isinstance(name, str) else "")
            self._calls.append(call)
        if isinstance(arguments, Mapping):
            arguments = json.dumps(arguments)
        if isinstance(arguments, str):
            call.arguments += arguments

    def _continued(self, index: object, name: object, call_id: object) -> _Call | None:
        """Return the call that a part continues.

        Some servers give every call the index 0, so another id begins another call, and so does a name where the call
        has its arguments already; some repeat id and name in each part.
        """
        call = next((call for call in reversed(self._calls) if call.index == index), None)
        if call is None or (call_id and call.id and call_id != call.id):
            return None
        if name and not call_id and call.arguments and _is_whole(call.arguments):
            return None
        call.id = call.id or (call_id if isinstance(call_id, str) else None)
        call.name = call.name or (name if isinstance(name, str) else "")
        return call


def _is_whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True
