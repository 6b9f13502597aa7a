"""Embeddings over HTTP: the dialect of OpenAI, which most servers speak, and that of Ollama."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from neuron_evals.core.embeddings.contract import BaseEmbeddings, Vector
from neuron_evals.core.exceptions import EmbeddingsError, InvalidArgument
from neuron_evals.core.providers.endpoint import JsonEndpoint
from neuron_evals.core.providers.options import check_mapping, checked_url


class _HttpEmbeddings(BaseEmbeddings):
    """Embeddings over HTTP, several texts in one call."""

    dialect: str
    default_url: str
    path: str

    def __init__(  # noqa: PLR0913  (what decides a call)
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str | Callable[[], str] | None = None,
        api_key_env: str | None = None,
        batch_size: int = 100,
        timeout: float = 60.0,
        max_retries: int = 4,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        _check_options(type(self).__name__, model, batch_size)
        self.model = model
        self.batch_size = batch_size
        check_mapping(type(self).__name__, "extra_body", extra_body or {})
        self.extra_body = dict(extra_body or {})
        self._endpoint = JsonEndpoint(
            f"{self.dialect} {model}",
            f"{checked_url(base_url or self.default_url, type(self).__name__)}{self.path}",
            api_key=api_key,
            api_key_env=api_key_env,
            timeout=timeout,
            max_retries=max_retries,
        )

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, in their order.

        Raises:
            ProviderError: There is no reply.
            EmbeddingsError: The reply does not hold a vector for each text.
        """
        vectors: list[Vector] = []
        for part in self._parts(texts):
            vectors += self._vectors(self._endpoint.post(self._body(part)), len(part))
        return vectors

    async def aembed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text; like `embed`, for async code."""
        vectors: list[Vector] = []
        for part in self._parts(texts):
            vectors += self._vectors(await self._endpoint.apost(self._body(part)), len(part))
        return vectors

    def problems(self) -> list[str]:
        """Return what would make every call fail, such as a key that is not set, a line each."""
        return self._endpoint.problems()

    def close(self) -> None:
        """Close the connections that no call uses. The embeddings can be used again."""
        self._endpoint.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop that no call uses."""
        await self._endpoint.aclose()

    @abstractmethod
    def _read(self, data: Mapping[str, Any]) -> Any:
        """Return the list of vectors of a reply, in the order of the texts; anything when there is none."""

    def _parts(self, texts: Sequence[str]) -> list[list[str]]:
        return [list(texts[start : start + self.batch_size]) for start in range(0, len(texts), self.batch_size)]

    def _body(self, texts: list[str]) -> dict[str, Any]:
        return {"model": self.model, "input": texts, **self.extra_body}

    def _vectors(self, data: Mapping[str, Any], count: int) -> list[Vector]:
        vectors = self._read(data)
        if not isinstance(vectors, list) or len(vectors) != count or not all(map(_is_vector, vectors)):
            msg = f"{self.dialect} {self.model}: the reply does not hold {count} vectors, one for each text"
            raise EmbeddingsError(msg)
        return vectors


class OpenAIEmbeddings(_HttpEmbeddings):
    """Embeddings of OpenAI, and of the servers that speak its dialect: vLLM, LM Studio, llama.cpp and the like.

    Args:
        model: Name of the model; not blank.
        base_url: Address that the dialect's path is appended to; http or https.
        api_key: The key, or a callable that returns it; it shows in no text.
        api_key_env: Name of the environment variable that holds the key; used when `api_key` is not given.
        batch_size: Most texts in one call, 1 or more.
        timeout: Seconds that a call may take in all, retries and waiting included.
        max_retries: How often a failed call is repeated: after 408, 409, 425, 429, 5xx and connection errors.
        extra_body: Further fields of every request, sent as they are, such as `dimensions`.

    Raises:
        InvalidArgument: An option cannot mean anything.
    """

    dialect = "openai"
    default_url = "https://api.openai.com/v1"
    path = "/embeddings"

    def _read(self, data: Mapping[str, Any]) -> Any:
        found = data.get("data")
        if not isinstance(found, list) or not all(isinstance(part, Mapping) for part in found):
            return None
        by_index = {part.get("index"): part.get("embedding") for part in found}
        if set(by_index) == set(range(len(found))):
            return [by_index[index] for index in range(len(found))]
        return [part.get("embedding") for part in found]


class OllamaEmbeddings(_HttpEmbeddings):
    """Embeddings of Ollama; the options are those of `OpenAIEmbeddings`."""

    dialect = "ollama"
    default_url = "http://127.0.0.1:11434"
    path = "/api/embed"

    def _read(self, data: Mapping[str, Any]) -> Any:
        return data.get("embeddings")


def _check_options(owner: str, model: Any, batch_size: Any) -> None:
    if not isinstance(model, str) or not model.strip():
        msg = f"{owner}: model is the name of a model, got {model!r}"
        raise InvalidArgument(msg)
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        msg = f"{owner}: batch_size is a whole number, 1 or more, got {batch_size!r}"
        raise InvalidArgument(msg)


def _is_vector(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(number, int | float) and not isinstance(number, bool) for number in value)
    )
