"""Ollama's own chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.providers.http import HttpProvider
from neuron_evals.core.providers.wire import (
    Answer,
    no_reply,
    outcome_text,
    schema_instructions,
    sendable,
    text_of,
    tokens,
    tool_call,
)

if TYPE_CHECKING:
    from neuron_evals.core.providers.contract import ModelRequest
    from neuron_evals.core.providers.errors import ProviderError

_NOT_FOUND = 404


@dataclass(repr=False, eq=False, kw_only=True)
class OllamaProvider(HttpProvider):
    """Speaks Ollama's `/api/chat`. The options are those of `HttpProvider`."""

    dialect: ClassVar[str] = "ollama"
    default_url: ClassVar[str] = "http://127.0.0.1:11434"

    def _path(self) -> str:
        return "/api/chat"

    def _auth(self, key: str | None) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def _body(self, request: ModelRequest, model: str, *, stream: bool) -> dict[str, Any]:
        prompted = request.schema if self.structured == "prompt" else None
        instructions = schema_instructions(request.instructions, prompted)
        system = [{"role": "system", "content": instructions}] if instructions else []
        messages = [part for message in sendable(request.messages) for part in _message(message)]
        body: dict[str, Any] = {"model": model, "messages": [*system, *messages], "stream": stream}
        settings = request.settings
        sampling = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "num_predict": settings.max_tokens,
            "seed": settings.seed,
        }
        options = {name: value for name, value in sampling.items() if value is not None}
        if options:
            body["options"] = options
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in request.tools
            ]
        if request.schema is not None and self.structured == "schema":
            body["format"] = request.schema
        return body

    def _read(self, data: Mapping[str, Any]) -> Answer:
        message = data.get("message")
        if not isinstance(message, Mapping):
            no_reply('there is no "message"')
        calls, reason, model = message.get("tool_calls"), data.get("done_reason"), data.get("model")
        read = tuple(
            tool_call(function.get("name"), function.get("arguments"), call.get("id"))
            for call in (calls if isinstance(calls, list) else [])
            if isinstance(call, Mapping) and isinstance(function := call.get("function"), Mapping)
        )
        reason = "tool_calls" if read and reason == "stop" else reason
        return Answer(
            content=text_of(message.get("content")),
            tool_calls=read,
            usage=Usage(input=tokens(data, "prompt_eval_count"), output=tokens(data, "eval_count")),
            model=model if isinstance(model, str) else None,
            finish_reason=reason if isinstance(reason, str) else "",
        )

    def _assembler(self) -> LineAssembler:
        return LineAssembler()

    def _explain(self, error: ProviderError, model: str) -> str:
        return f"; is it pulled? `ollama pull {model}`" if error.status == _NOT_FOUND else ""


class LineAssembler:
    """Puts the lines of one streamed reply together."""

    def __init__(self) -> None:
        self._content: list[str] = []
        self._calls: list[object] = []
        self._last: Mapping[str, Any] = {}

    @property
    def complete(self) -> bool:
        """Whether the last line said that it is the last."""
        return self._last.get("done") is True

    def feed(self, event: Mapping[str, Any]) -> bool:
        """Take a line."""
        self._last = event
        message = event.get("message")
        if not isinstance(message, Mapping):
            return False
        text, calls = text_of(message.get("content")), message.get("tool_calls")
        self._content.append(text)
        self._calls += calls if isinstance(calls, list) else []
        return bool(text or calls)

    def result(self) -> Mapping[str, Any]:
        """Return the reply in the form of one that was not streamed."""
        message = {"role": "assistant", "content": "".join(self._content), "tool_calls": self._calls}
        return {**self._last, "message": message}


def _message(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {"role": "tool", "tool_name": call.name, "tool_call_id": call.id, "content": outcome_text(call)}
            for call in message.tool_calls
        ]
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "assistant" and message.tool_calls:
        sent["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": dict(call.arguments)}}
            for call in message.tool_calls
        ]
    return [sent]
