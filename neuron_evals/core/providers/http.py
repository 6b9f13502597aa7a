"""What the providers have in common that speak HTTP: options, keys, and the way of a call."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Any, ClassVar, get_args

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.messages import Message
from neuron_evals.core.providers.contract import BaseProvider, ModelReply, ModelRequest
from neuron_evals.core.providers.errors import ProviderError
from neuron_evals.core.providers.keys import ApiKey
from neuron_evals.core.providers.options import MoreHeaders, check_flag, check_limits, check_mapping, checked_url
from neuron_evals.core.providers.transport import Assembler, Outgoing, Received, RetryPolicy, Transport, Watch
from neuron_evals.core.providers.wire import Answer, Structured, json_text


@dataclass(repr=False, eq=False)
class HttpProvider(BaseProvider):
    """Base of the providers that speak HTTP.

    Attributes:
        model: Name of the model that a request gets which names none.
        base_url: Address that the dialect's paths are appended to; http or https, without user, query or fragment.
        api_key: The key, or a callable that returns it; not kept as an attribute.
        api_key_env: Name of the environment variable that holds the key; used when `api_key` is not given. It is
            not kept as an attribute either: it may be the key itself, given in the wrong place.
        headers: Further headers; not kept as an attribute, as they may hold secrets.
        timeout: Seconds that a call may take in all, retries and waiting included.
        max_retries: How often a failed call is repeated: after 408, 409, 425, 429, 5xx and connection errors.
        max_in_flight: Most calls at once; `None` for no limit but what the provider enforces by 429.
        max_reply_bytes: Largest reply.
        stream: Whether replies are streamed, which tells the time to the first token.
        structured: How a reply that matches a schema is asked for: `schema`, by the dialect's own field, or `prompt`,
            in the instructions, for servers that have no such field.
        extra_body: Further fields of every request, sent as they are; they win over ours.

    Raises:
        InvalidArgument: An option cannot mean anything.
    """

    dialect: ClassVar[str]
    default_url: ClassVar[str]

    model: str | None = None
    _: KW_ONLY
    base_url: str = ""
    api_key: InitVar[str | Callable[[], str] | None] = None
    api_key_env: InitVar[str | None] = None
    headers: InitVar[Mapping[str, str] | None] = None
    timeout: float = 300.0
    max_retries: int = 4
    max_in_flight: int | None = None
    max_reply_bytes: int = 16_000_000
    stream: bool = False
    structured: Structured = "schema"
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(
        self,
        api_key: str | Callable[[], str] | None,
        api_key_env: str | None,
        headers: Mapping[str, str] | None,
    ) -> None:
        """Check the options and make the transport; nothing is connected."""
        self.base_url = checked_url(self.base_url or self.default_url, type(self).__name__)
        self._check_options()
        self._key = ApiKey(api_key, api_key_env)
        check_mapping(type(self).__name__, "headers", headers or {})
        self._more_headers = MoreHeaders(headers or {})
        self._transport = Transport(RetryPolicy(self.max_retries), self.max_in_flight, self.max_reply_bytes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self.base_url!r})"

    @property
    def fingerprint(self) -> str:
        """A hash of dialect, address, model and options; keys and the values of headers have no part in it."""
        names = sorted(name.lower() for name in self._more_headers.values)
        facts = [self.dialect, self.base_url, self.model, names, self.structured, self.extra_body, self._options()]
        return hashlib.sha256(canonical_json(facts).encode()).hexdigest()

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply.

        Raises:
            ProviderError: There is no usable reply.
            InvalidArgument: The request names no model and the provider has none, or it cannot be sent.
        """
        watch = self._watch(request)
        model = self._model(request)
        try:
            return self._reply(self._transport.send(self._outgoing(request), watch), model, watch)
        except ProviderError as error:
            self._name(error, model, watch)
            raise

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply; like `complete`, for async code."""
        watch = self._watch(request)
        model = self._model(request)
        try:
            return self._reply(await self._transport.asend(self._outgoing(request), watch), model, watch)
        except ProviderError as error:
            self._name(error, model, watch)
            raise

    def is_transient(self, exc: BaseException) -> bool:
        """Return whether it is worth trying the item again: only what this provider did not repeat itself."""
        return isinstance(exc, ProviderError) and exc.transient and exc.attempts == 1

    def problems(self) -> list[str]:
        """Return what would make every call fail, such as a key that is not set, a line each."""
        problem = self._key.problem()
        return [f"{type(self).__name__}: {problem}"] if problem else []

    def close(self) -> None:
        """Close the connections that no call uses. The provider can be used again."""
        self._transport.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop that no call uses."""
        await self._transport.aclose()

    @abstractmethod
    def _path(self) -> str:
        """Return the path of the call, from `base_url`."""

    @abstractmethod
    def _auth(self, key: str | None) -> dict[str, str]:
        """Return the headers that are the dialect's own."""

    @abstractmethod
    def _body(self, request: ModelRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """Return the body of the call."""

    @abstractmethod
    def _read(self, data: Mapping[str, Any]) -> Answer:
        """Read a reply.

        Raises:
            ProviderError: It is none.
        """

    @abstractmethod
    def _assembler(self) -> Assembler:
        """Return what puts a streamed reply together."""

    def _options(self) -> Mapping[str, Any]:
        """Return the dialect's own options that decide what is asked."""
        return {}

    def _explain(self, error: ProviderError, model: str) -> str:
        """Return what to add to an error's message; empty for nothing."""
        return ""

    def _check_options(self) -> None:
        name = type(self).__name__
        model: Any = self.model
        if model is not None and not isinstance(model, str):
            msg = f"{name}: model is the name of a model, got {model!r}"
            raise InvalidArgument(msg)
        check_limits(name, self.timeout, self.max_retries, self.max_in_flight, self.max_reply_bytes)
        check_mapping(name, "extra_body", self.extra_body)
        check_flag(name, "stream", self.stream)
        if self.structured not in get_args(Structured):
            msg = f"{name}: structured is one of {', '.join(get_args(Structured))}, got {self.structured!r}"
            raise InvalidArgument(msg)

    def _watch(self, request: ModelRequest) -> Watch:
        seconds = request.settings.timeout
        return Watch.over(self.timeout if seconds is None else seconds)

    def _model(self, request: ModelRequest) -> str:
        model = self.model if request.model is None else request.model
        if not model:
            msg = f"{type(self).__name__}: no model is named, neither by the request nor by the provider"
            raise InvalidArgument(msg)
        return model

    def _outgoing(self, request: ModelRequest) -> Outgoing:
        # The key lives in this frame alone, which is gone when anything is sent.
        stream = self.stream if request.settings.stream is None else request.settings.stream
        body = self._body(request, self._model(request), stream=stream)
        content = json_text({**body, **self.extra_body, **request.settings.extra}).encode()
        key = self._key.read()
        fixed = {
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "django-neuron-evals",
        }
        return Outgoing(
            url=f"{self.base_url}{self._path()}",
            headers=fixed | self._auth(key) | dict(self._more_headers.values),
            content=content,
            assembler=self._assembler if stream else None,
            secrets=(*([key] if key else []), *self._more_headers.secrets),
        )

    def _reply(self, received: Received, model: str, watch: Watch) -> ModelReply:
        answer = self._read(received.data)
        message = Message(
            role="assistant",
            content=answer.content,
            tool_calls=answer.tool_calls,
            usage=answer.usage,
            model=answer.model or model,
            duration=received.duration,
        )
        return ModelReply(message, received.first_token, answer.finish_reason, received.raw, watch.attempts)

    def _name(self, error: ProviderError, model: str, watch: Watch) -> None:
        """Have the error say who it came from."""
        error.message = f"{self.dialect} {model}: {error.message}{self._explain(error, model)}"
        error.attempts = max(1, watch.attempts)
