"""`StringDistance`: how many edits separate a text from a reference."""

from __future__ import annotations

from dataclasses import dataclass

from neuron_evals.core.assertions.options import require_bool, require_count, require_text
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class StringDistance(StringAssertion):
    """Passes when the text is close enough to `reference` by edit distance.

    The distance is Levenshtein's: insertions, deletions and substitutions of one code point each; letter case counts.
    A distance above `max_distance` fails with score 0; else the score is `1 - distance / max_distance`. It does not
    depend on the length of the texts: with the defaults any two texts of up to 25 characters pass. With `normalized`
    the score is `1 - distance / length of the longer text` (1 for two empty texts), and `max_distance` does not apply.

    Args:
        reference: The text to compare with.
        threshold: Lowest score that passes, 0 to 1.
        max_distance: Largest distance that is scored, 0 or more; 0 admits equal texts only.
        normalized: Score by the length of the texts.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    reference: str
    threshold: float = 0.5
    max_distance: int = 50
    normalized: bool = False

    def __post_init__(self) -> None:
        require_text(self.assertion_name, "reference", self.reference)
        self._threshold(self.threshold)
        require_count(self.assertion_name, "max_distance", self.max_distance)
        require_bool(self.assertion_name, "normalized", self.normalized)

    @property
    def vacuous(self) -> bool:
        """Whether every text passes: normalized, with threshold 0."""
        return self.normalized and self.threshold == 0

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return the score; below the threshold it is kept."""
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  (costs start-up time that most runs need not spend)

        compared = f"{shown(text)} and {shown(self.reference)}"
        longer = max(len(text), len(self.reference))
        if self.normalized:
            return self._scored(compared, Levenshtein.distance(text, self.reference), longer)
        # With the cutoff, the time grows with the allowed distance instead of the product of the lengths.
        distance = Levenshtein.distance(text, self.reference, score_cutoff=self.max_distance)
        if distance > self.max_distance:
            message = f"the distance of {compared} is above max_distance {self.max_distance}"
            return AssertionResult.fail(0.0, message)
        return self._scored(compared, distance, self.max_distance)

    def _scored(self, compared: str, distance: int, limit: int) -> AssertionResult:
        # One division, so that 9 of 10 scores exactly the 0.1 that a threshold says.
        score = (limit - distance) / limit if limit else 1.0
        if score >= self.threshold:
            return AssertionResult.ok(score)
        measure = f"length {limit}" if self.normalized else f"max_distance {limit}"
        message = (
            f"the distance of {compared} is {distance} ({measure}), which scores {score:.4g}, "
            f"below the threshold {self.threshold:g}"
        )
        return AssertionResult.fail(score, message)
