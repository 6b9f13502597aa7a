"""What embeds texts: a list of texts in, a list of vectors out; and the vectors of references, kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from neuron_evals.core.agents.bridging import call_plain
from neuron_evals.core.embeddings.references import References
from neuron_evals.core.exceptions import EmbeddingsError

Vector = Sequence[float]


class BaseEmbeddings(ABC):
    """Base of what embeds texts. One object serves any number of threads and event loops at once.

    The vectors of references are kept in the object, so that a reference which many items share is embedded once.
    """

    _references: References

    def __new__(cls, *_args: Any, **_options: Any) -> Self:
        """Give the object its place for references, whatever its own constructor does."""
        made = super().__new__(cls)
        made._references = References()
        return made

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, in their order.

        Raises:
            EmbeddingsError: There are no vectors.
        """

    async def aembed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Do what `embed` does, for async code; in a thread unless it is overridden."""
        return await call_plain(self.embed, texts)

    def compared(self, text: str, reference: str) -> tuple[Vector, Vector]:
        """Return the vectors of a text and of a reference. Both go in one call, unless the reference's is kept.

        Raises:
            EmbeddingsError: There are no vectors, or not as many as texts.
        """
        known = self._references.get(reference)
        if known is None:
            with self._references.turn(reference):
                known = self._references.get(reference)
                if known is None:
                    return self._both(reference, self.embed([text, reference]))
        return _first(self.embed([text])), known

    async def acompared(self, text: str, reference: str) -> tuple[Vector, Vector]:
        """Return the vectors of a text and of a reference; like `compared`, for async code."""
        known = self._references.get(reference)
        if known is None:
            async with self._references.aturn(reference):
                known = self._references.get(reference)
                if known is None:
                    return self._both(reference, await self.aembed([text, reference]))
        return _first(await self.aembed([text])), known

    def problems(self) -> list[str]:
        """Return what would make every call fail, a line each, without calling anything."""
        return []

    def _both(self, reference: str, vectors: Sequence[Vector]) -> tuple[Vector, Vector]:
        _require_count(2, vectors)
        self._references.keep(reference, vectors[1])
        return vectors[0], vectors[1]


def _first(vectors: Sequence[Vector]) -> Vector:
    _require_count(1, vectors)
    return vectors[0]


def _require_count(asked: int, vectors: Sequence[Vector]) -> None:
    if len(vectors) != asked:
        msg = f"{len(vectors)} vectors came for {asked} texts"
        raise EmbeddingsError(msg)
