"""The chat completions of OpenAI, and of the many servers that speak them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.providers.http import HttpProvider
from neuron_evals.core.providers.openai_stream import ChatAssembler
from neuron_evals.core.providers.options import check_flag, check_header_text
from neuron_evals.core.providers.wire import (
    Answer,
    json_text,
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

TokenLimit = Literal["max_completion_tokens", "max_tokens"]


@dataclass(repr=False, eq=False, kw_only=True)
class OpenAIProvider(HttpProvider):
    """Speaks chat completions: OpenAI, vLLM, LM Studio, llama.cpp, OpenRouter, Groq, Together and the like.

    Attributes:
        token_limit_param: Name of the field for the most tokens of an answer: OpenAI's newer models refuse
            `max_tokens`, most other servers know nothing else. `None` takes OpenAI's for its own address, else
            `max_tokens`.
        organisation: OpenAI's organisation id, if one is to be sent.
        empty_content: Whether an assistant's message that only calls tools is sent with `""` for its content; by
            default with `null`.

    Further options are those of `HttpProvider`.
    """

    dialect: ClassVar[str] = "openai"
    default_url: ClassVar[str] = "https://api.openai.com/v1"

    token_limit_param: TokenLimit | None = None
    organisation: str | None = None
    empty_content: bool = False

    def problems(self) -> list[str]:
        """Return what would make every call fail; OpenAI itself answers nobody without a key."""
        found = super().problems()
        if not found and self.base_url == self.default_url and not self._key.given and not self._more_headers.secrets:
            found.append(f"{type(self).__name__}: {self.default_url} needs a key: set api_key_env, or base_url")
        return found

    def _check_options(self) -> None:
        super()._check_options()
        if self.token_limit_param is None:
            self.token_limit_param = "max_completion_tokens" if self.base_url == self.default_url else "max_tokens"
        if self.token_limit_param not in get_args(TokenLimit):
            choices = ", ".join(get_args(TokenLimit))
            msg = f"OpenAIProvider: token_limit_param is one of {choices}, got {self.token_limit_param!r}"
            raise InvalidArgument(msg)
        check_flag("OpenAIProvider", "empty_content", self.empty_content)
        if self.organisation is not None:
            check_header_text("OpenAIProvider", "organisation", self.organisation)

    def _options(self) -> Mapping[str, Any]:
        return {"token_limit_param": self.token_limit_param, "empty_content": self.empty_content}

    def _path(self) -> str:
        return "/chat/completions"

    def _auth(self, key: str | None) -> dict[str, str]:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        return headers | ({"openai-organization": self.organisation} if self.organisation else {})

    def _body(self, request: ModelRequest, model: str, *, stream: bool) -> dict[str, Any]:
        prompted = request.schema if self.structured == "prompt" else None
        instructions = schema_instructions(request.instructions, prompted)
        system = [{"role": "system", "content": instructions}] if instructions else []
        messages = [part for message in sendable(request.messages) for part in self._message(message)]
        body: dict[str, Any] = {"model": model, "messages": [*system, *messages]}
        settings = request.settings
        sampling = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            str(self.token_limit_param): settings.max_tokens,
            "seed": settings.seed,
        }
        body |= {name: value for name, value in sampling.items() if value is not None}
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in request.tools
            ]
        if request.schema is not None and self.structured == "schema":
            schema = {"name": "reply", "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def _message(self, message: Message) -> list[dict[str, Any]]:
        if message.role == "tool":
            return [
                {"role": "tool", "tool_call_id": call.id or "", "content": outcome_text(call)}
                for call in message.tool_calls
            ]
        sent: dict[str, Any] = {"role": message.role, "content": message.content}
        if message.role == "assistant" and message.tool_calls:
            if not message.content and not self.empty_content:
                sent["content"] = None
            sent["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json_text(call.arguments)},
                }
                for call in message.tool_calls
            ]
        return [sent]

    def _read(self, data: Mapping[str, Any]) -> Answer:
        choices = data.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, Mapping) else None
        if not isinstance(first, Mapping) or not isinstance(message, Mapping):
            no_reply('"choices" holds no message')
        calls = message.get("tool_calls")
        refusal = message.get("refusal")
        content = text_of(message.get("content"))
        reason, model = first.get("finish_reason"), data.get("model")
        if isinstance(refusal, str) and refusal and not content:
            content, reason = refusal, "refusal"
        return Answer(
            content=content,
            tool_calls=tuple(
                tool_call(function.get("name"), function.get("arguments"), call.get("id"))
                for call in (calls if isinstance(calls, list) else [])
                if isinstance(call, Mapping) and isinstance(function := call.get("function"), Mapping)
            ),
            usage=_usage(data.get("usage")),
            model=model if isinstance(model, str) else None,
            finish_reason=reason if isinstance(reason, str) else "",
        )

    def _assembler(self) -> ChatAssembler:
        return ChatAssembler()


def _usage(usage: object) -> Usage:
    return Usage(
        input=tokens(usage, "prompt_tokens"),
        output=tokens(usage, "completion_tokens"),
        cached_input=tokens(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning=tokens(usage, "completion_tokens_details", "reasoning_tokens"),
    )
