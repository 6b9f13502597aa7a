"""Embeddings for tests: each text has the vector that it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neuron_evals.core.embeddings.contract import BaseEmbeddings, Vector
from neuron_evals.core.exceptions import EmbeddingsError


class FakeEmbeddings(BaseEmbeddings):
    """Gives each text its vector.

    Args:
        vectors: Text -> vector.

    Attributes:
        calls: The texts of each call, in order.
    """

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self.vectors = dict(vectors)
        self.calls: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return the vectors.

        Raises:
            EmbeddingsError: A text has none.
        """
        self.calls.append(tuple(texts))
        missing = [text for text in texts if text not in self.vectors]
        if missing:
            msg = f"FakeEmbeddings: no vector was given for {missing[0][:100]!r}"
            raise EmbeddingsError(msg)
        return [self.vectors[text] for text in texts]

    async def aembed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return the vectors; like `embed`, for async code."""
        return self.embed(texts)
