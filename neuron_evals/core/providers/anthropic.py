"""The messages of Anthropic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.providers.http import HttpProvider
from neuron_evals.core.providers.options import check_header_text
from neuron_evals.core.providers.wire import (
    Answer,
    is_failure,
    no_reply,
    outcome_text,
    schema_instructions,
    sendable,
    tokens,
    tool_call,
)

if TYPE_CHECKING:
    from neuron_evals.core.providers.contract import ModelRequest

_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


@dataclass(repr=False, eq=False, kw_only=True)
class AnthropicProvider(HttpProvider):
    """Speaks Anthropic's messages. Its newer models refuse temperature and top_p, which are sent only when set.

    Attributes:
        max_tokens: Most tokens of an answer where a request does not say; the dialect cannot do without.
        version: Value of the `anthropic-version` header.

    Further options are those of `HttpProvider`.
    """

    dialect: ClassVar[str] = "anthropic"
    default_url: ClassVar[str] = "https://api.anthropic.com/v1"

    max_tokens: int = 4096
    version: str = "2026-10-21"

    def problems(self) -> list[str]:
        """Return what would make every call fail; Anthropic itself answers nobody without a key."""
        found = super().problems()
        if not found and self.base_url == self.default_url and not self._key.given and not self._more_headers.secrets:
            found.append(f"{type(self).__name__}: {self.default_url} needs a key: set api_key_env, or base_url")
        return found

    def _check_options(self) -> None:
        super()._check_options()
        limit: Any = self.max_tokens
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            msg = f"AnthropicProvider: max_tokens is a whole number, 1 or more, got {limit!r}"
            raise InvalidArgument(msg)
        check_header_text("AnthropicProvider", "version", self.version)

    def _options(self) -> Mapping[str, Any]:
        return {"max_tokens": self.max_tokens, "version": self.version}

    def _path(self) -> str:
        return "/messages"

    def _auth(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": self.version} | ({"x-api-key": key} if key else {})

    def _body(self, request: ModelRequest, model: str, *, stream: bool) -> dict[str, Any]:
        prompted = request.schema if self.structured == "prompt" else None
        settings, messages = request.settings, sendable(request.messages)
        system = [request.instructions, *(message.content for message in messages if message.role == "system")]
        text = schema_instructions("\n\n".join(part for part in system if part.strip()), prompted)
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": self.max_tokens if settings.max_tokens is None else settings.max_tokens,
            "messages": _turns(messages),
        }
        if text:
            body["system"] = text
        sampling = {"temperature": settings.temperature, "top_p": settings.top_p}
        body |= {name: value for name, value in sampling.items() if value is not None}
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
        if request.schema is not None and self.structured == "schema":
            body["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        if stream:
            body["stream"] = True
        return body

    def _read(self, data: Mapping[str, Any]) -> Answer:
        content = data.get("content")
        if not isinstance(content, list):
            no_reply('"content" is no list')
        blocks = [block for block in content if isinstance(block, Mapping)]
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        reason, model = data.get("stop_reason"), data.get("model")
        return Answer(
            content="".join(text for text in texts if isinstance(text, str)),
            tool_calls=tuple(
                tool_call(block.get("name"), block.get("input"), block.get("id"))
                for block in blocks
                if block.get("type") == "tool_use"
            ),
            usage=_usage(data.get("usage")),
            model=model if isinstance(model, str) else None,
            finish_reason=_REASONS.get(reason, reason) if isinstance(reason, str) else "",
        )

    def _assembler(self) -> MessageAssembler:
        return MessageAssembler()


class MessageAssembler:
    """Puts the events of one streamed message together."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[object, dict[str, Any]] = {}
        self._inputs: dict[object, str] = {}
        self.complete = False

    def feed(self, event: Mapping[str, Any]) -> bool:
        """Take an event."""
        kind = event.get("type")
        if kind == "message_stop":
            self.complete = True
        elif kind == "message_start" and isinstance(message := event.get("message"), Mapping):
            self._message |= message
            self._count(message.get("usage"))
        elif kind == "message_delta":
            delta = event.get("delta")
            self._message |= delta if isinstance(delta, Mapping) else {}
            self._count(event.get("usage"))
        elif kind == "content_block_start" and isinstance(block := event.get("content_block"), Mapping):
            self._blocks[event.get("index")] = dict(block)
            return block.get("type") == "tool_use"
        elif kind == "content_block_delta" and isinstance(delta := event.get("delta"), Mapping):
            return self._take(event.get("index"), delta)
        return False

    def result(self) -> Mapping[str, Any]:
        """Return the message in the form of one that was not streamed."""
        for index, text in self._inputs.items():
            self._blocks[index]["input"] = text
        return {**self._message, "content": list(self._blocks.values()), "usage": self._usage or None}

    def _take(self, index: object, delta: Mapping[str, Any]) -> bool:
        block = self._blocks.setdefault(index, {"type": "text", "text": ""})
        text, part = delta.get("text"), delta.get("partial_json")
        if isinstance(text, str):
            block["text"] = block.get("text", "") + text
            return bool(text)
        if isinstance(part, str):
            self._inputs[index] = self._inputs.get(index, "") + part
        return False

    def _count(self, usage: object) -> None:
        # Later events hold null for what an earlier one told.
        if isinstance(usage, Mapping):
            self._usage |= {name: number for name, number in usage.items() if number is not None}


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the messages as turns of user and assistant, alternating; outcomes of tools come first in theirs."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        turn["content"].sort(key=lambda block: block["type"] != "tool_result")
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    """Return the blocks of a message; none for a system message, which is sent apart, and for an empty one."""
    if message.role == "system":
        return []
    if message.role == "tool":
        return [
            {"type": "tool_result", "tool_use_id": call.id or "", "content": outcome_text(call)}
            | ({"is_error": True} if is_failure(call) else {})
            for call in message.tool_calls
        ]
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _usage(usage: object) -> Usage:
    plain = tokens(usage, "input_tokens")
    read, written = tokens(usage, "cache_read_input_tokens"), tokens(usage, "cache_creation_input_tokens")
    return Usage(
        # What was read from the cache or written to it is not in `input_tokens`.
        input=None if plain is None else plain + (read or 0) + (written or 0),
        output=tokens(usage, "output_tokens"),
        cached_input=read,
        cache_write=written,
    )
