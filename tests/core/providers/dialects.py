"""The three dialects, as the tests that are the same for all need them: providers, and replies of their servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from neuron_evals import AnthropicProvider, OllamaProvider, OpenAIProvider
from neuron_evals.core.providers import HttpProvider
from neuron_evals.core.providers.transport import RetryPolicy
from tests.core.providers.server import EVENTS, LINES, Answer, events, lines


class HasUrl(Protocol):
    """A server, whatever it answers."""

    url: str


@dataclass(frozen=True)
class Dialect:
    """One dialect.

    Attributes:
        provider: Its class.
        path: Where its calls go.
        text: A reply "Hello!" of model "m-1" with 12 tokens sent and 3 received.
        tool: A reply that calls `lookup` with `{"id": 1}`.
        stream: The reply "Hello!", streamed.
        error: How an error looks.
        key_header: Name and form of the header with the key.
    """

    provider: type[HttpProvider]
    path: str
    text: Mapping[str, Any]
    tool: Mapping[str, Any]
    stream: Answer
    error: Mapping[str, Any]
    key_header: tuple[str, str]

    def make(self, server: HasUrl, **options: Any) -> HttpProvider:
        """Return a provider for the server that waits hardly at all between attempts."""
        base = server.url + ("" if self.provider is OllamaProvider else "/v1")
        provider = self.provider("m", base_url=base, **options)
        provider._transport._retries = RetryPolicy(provider.max_retries, first_wait=0.002)
        return provider


OPENAI = Dialect(
    OpenAIProvider,
    "/v1/chat/completions",
    {
        "id": "c",
        "model": "m-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    },
    {
        "model": "m-1",
        "choices": [
            {
                "message": {
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{"id": 1}'}}
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
    },
    Answer(
        events(
            {"model": "m-1", "choices": [{"delta": {"role": "assistant", "content": ""}}]},
            {"model": "m-1", "choices": [{"delta": {"content": "Hel"}}]},
            {"model": "m-1", "choices": [{"delta": {"content": "lo!"}, "finish_reason": None}]},
            {"model": "m-1", "choices": [{"delta": {}, "finish_reason": "stop"}]},
            {"model": "m-1", "choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}},
            "[DONE]",
        ),
        kind=EVENTS,
    ),
    {"error": {"message": "Unsupported parameter: 'top_k'", "type": "invalid_request_error", "code": None}},
    ("authorization", "Bearer {}"),
)

ANTHROPIC = Dialect(
    AnthropicProvider,
    "/v1/messages",
    {
        "type": "message",
        "model": "m-1",
        "content": [{"type": "text", "text": "Hello!"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 12, "output_tokens": 3},
    },
    {
        "type": "message",
        "model": "m-1",
        "content": [{"type": "tool_use", "id": "c1", "name": "lookup", "input": {"id": 1}}],
        "stop_reason": "tool_use",
    },
    Answer(
        events(
            {"type": "message_start", "message": {"model": "m-1", "content": [], "usage": {"input_tokens": 12}}},
            {"type": "ping"},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo!"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
            {"type": "message_stop"},
            names=True,
        ),
        kind=EVENTS,
    ),
    {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "Unsupported parameter: 'top_k'"},
    },
    ("x-api-key", "{}"),
)

OLLAMA = Dialect(
    OllamaProvider,
    "/api/chat",
    {
        "model": "m-1",
        "message": {"role": "assistant", "content": "Hello!"},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 12,
        "eval_count": 3,
    },
    {
        "model": "m-1",
        "message": {"content": "", "tool_calls": [{"function": {"name": "lookup", "arguments": {"id": 1}}}]},
        "done": True,
        "done_reason": "stop",
    },
    Answer(
        lines(
            {"model": "m-1", "message": {"content": "Hel"}, "done": False},
            {"model": "m-1", "message": {"content": "lo!"}, "done": False},
            {
                "model": "m-1",
                "message": {"content": ""},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": 12,
                "eval_count": 3,
            },
        ),
        kind=LINES,
    ),
    {"error": "Unsupported parameter: 'top_k'"},
    ("authorization", "Bearer {}"),
)

DIALECTS = {"openai": OPENAI, "anthropic": ANTHROPIC, "ollama": OLLAMA}
