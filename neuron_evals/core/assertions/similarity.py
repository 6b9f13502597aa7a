"""`StringSimilarity`: how alike a text and a reference are in meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.options import require_text
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.embeddings import BaseEmbeddings
from neuron_evals.core.embeddings.similarity import cosine
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.results import AssertionResult

if TYPE_CHECKING:
    from neuron_evals.core.embeddings.contract import Vector


@dataclass(frozen=True)
class StringSimilarity(StringAssertion):
    """Passes when the text is close enough to `reference` by the cosine of their vectors: the score, -1 to 1.

    A vector of zeros is like nothing: the score is 0. The reference's vector is kept in the embeddings, so that it is
    made once for all items that share it.

    Args:
        reference: The text to compare with.
        embeddings: What makes vectors of texts.
        threshold: Lowest score that passes, 0 to 1.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    reference: str
    embeddings: BaseEmbeddings = field(repr=False)
    threshold: float = 0.6

    def __post_init__(self) -> None:
        require_text(self.assertion_name, "reference", self.reference)
        embeddings: Any = self.embeddings
        if not isinstance(embeddings, BaseEmbeddings):
            msg = f"{self.assertion_name}: embeddings must derive from BaseEmbeddings, got {type(embeddings).__name__}"
            raise InvalidArgument(msg)
        self._threshold(self.threshold)

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return the cosine.

        Raises:
            EmbeddingsError: The texts could not be embedded, or their vectors cannot be compared.
        """
        return self._scored(text, *self.embeddings.compared(text, self.reference))

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does."""
        if not isinstance(actual, str):
            return self.evaluate(actual)
        return self._scored(actual, *await self.embeddings.acompared(actual, self.reference))

    def _scored(self, text: str, vector: Vector, reference: Vector) -> AssertionResult:
        score = cosine(vector, reference)
        if score >= self.threshold:
            return AssertionResult.ok(score)
        message = (
            f"the similarity of {shown(text)} and {shown(self.reference)} is {score:.10g}, "
            f"below the threshold {self.threshold:g}"
        )
        return AssertionResult.fail(score, message)
