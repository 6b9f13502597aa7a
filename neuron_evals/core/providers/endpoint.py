"""One address that takes a JSON object and answers with one: for services that are no chat models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from neuron_evals.core.providers.errors import ProviderError
from neuron_evals.core.providers.keys import ApiKey
from neuron_evals.core.providers.options import check_limits, checked_url
from neuron_evals.core.providers.transport import Outgoing, RetryPolicy, Transport, Watch
from neuron_evals.core.providers.wire import json_text


class JsonEndpoint:
    """Sends JSON with the retries, limits and deadlines of providers; for any number of threads and loops at once.

    Args:
        owner: Who asks, for errors.
        url: The address; http or https.
        api_key: The key, sent as a bearer token, or a callable that returns it; it shows in no text.
        api_key_env: Name of the environment variable that holds the key; used when `api_key` is not given.
        timeout: Seconds that a call may take in all, retries and waiting included.
        max_retries: How often a failed call is repeated: after 408, 409, 425, 429, 5xx and connection errors.
        max_in_flight: Most calls at once; `None` for no limit but what the service enforces by 429.
        max_reply_bytes: Largest reply.

    Raises:
        InvalidArgument: An option cannot mean anything.
    """

    def __init__(  # noqa: PLR0913  (what decides a call)
        self,
        owner: str,
        url: str,
        *,
        api_key: str | Callable[[], str] | None = None,
        api_key_env: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 4,
        max_in_flight: int | None = None,
        max_reply_bytes: int = 64_000_000,
    ) -> None:
        check_limits(owner, timeout, max_retries, max_in_flight, max_reply_bytes)
        self.owner = owner
        self.url = checked_url(url, owner)
        self._key = ApiKey(api_key, api_key_env)
        self._timeout = timeout
        self._transport = Transport(RetryPolicy(max_retries), max_in_flight, max_reply_bytes)

    def __repr__(self) -> str:
        return f"JsonEndpoint({self.owner!r}, {self.url!r})"

    def post(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a JSON object and return the one that comes back.

        Raises:
            ProviderError: There is no usable reply.
        """
        watch = Watch.over(self._timeout)
        try:
            return self._transport.send(self._outgoing(body), watch).data
        except ProviderError as error:
            self._name(error, watch)
            raise

    async def apost(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a JSON object; like `post`, for async code."""
        watch = Watch.over(self._timeout)
        try:
            return (await self._transport.asend(self._outgoing(body), watch)).data
        except ProviderError as error:
            self._name(error, watch)
            raise

    def problems(self) -> list[str]:
        """Return what would make every call fail, such as a key that is not set, a line each."""
        problem = self._key.problem()
        return [f"{self.owner}: {problem}"] if problem else []

    def close(self) -> None:
        """Close the connections that no call uses. The endpoint can be used again."""
        self._transport.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop that no call uses."""
        await self._transport.aclose()

    def _outgoing(self, body: Mapping[str, Any]) -> Outgoing:
        # The key lives in this frame alone, which is gone when anything is sent.
        key = self._key.read()
        headers = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "django-neuron-evals",
        }
        if key:
            headers["authorization"] = f"Bearer {key}"
        return Outgoing(self.url, headers, json_text(body).encode(), secrets=(key,) if key else ())

    def _name(self, error: ProviderError, watch: Watch) -> None:
        """Have the error say who it came from."""
        error.message = f"{self.owner}: {error.message}"
        error.attempts = max(1, watch.attempts)
