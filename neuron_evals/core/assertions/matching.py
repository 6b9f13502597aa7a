"""Assertions about a text as a whole, with what should not matter taken away first: `ExactMatch`, `FuzzyMatch`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.assertions.hidden_text import looks_alike
from neuron_evals.core.assertions.normalizing import collapsed, expected_text, lowered
from neuron_evals.core.assertions.options import require_bool
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult

MAX_FUZZY_LENGTH = 20_000
"""Longest text that `FuzzyMatch` compares, in characters: its time grows with the product of the lengths."""


@dataclass(frozen=True)
class ExactMatch(StringAssertion):
    """Passes when the text is `expected`.

    Source: `exact_match` of Nous.Eval. No Unicode form is changed; lower case is not case folding, so "STRASSE" and
    "straße" stay different.

    Args:
        expected: The text; a number, True or False stands for its text in JSON (`42`, `42.5`, `true`).
        trim: Leave out white space at both ends of both texts.
        case_insensitive: Compare in lower case.
        normalize: Make each run of white space one space, and leave it out at both ends.

    Raises:
        InvalidArgument: `expected` is something else, or an option is neither True nor False.
    """

    expected: str | float
    trim: bool = True
    case_insensitive: bool = False
    normalize: bool = False
    _text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_text", expected_text(self.assertion_name, self.expected))
        for role in ("trim", "case_insensitive", "normalize"):
            require_bool(self.assertion_name, role, getattr(self, role))

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the texts are the same, else 0."""
        if self._same(text, self._text):
            return AssertionResult.ok()
        hint = looks_alike(text, self._text, self._same)
        return AssertionResult.fail(0.0, f"{shown(text)} is not {shown(self._text)}{hint}")

    def unwanted(self, actual: Any) -> str:
        """Return that the texts are the same."""
        return f"{shown(actual)} is {shown(self._text)}, and it should not be"

    def _same(self, one: str, other: str) -> bool:
        return self._compared(one) == self._compared(other)

    def _compared(self, text: str) -> str:
        if self.trim:
            text = text.strip()
        if self.case_insensitive:
            text = lowered(text)
        return collapsed(text) if self.normalize else text


@dataclass(frozen=True)
class FuzzyMatch(StringAssertion):
    """Passes when the text is similar enough to `expected` by Jaro-Winkler; the score is the similarity.

    Jaro's similarity is the mean of three shares: of the characters of either text that have an equal one in the other,
    no further away than half the longer length less one, and of these the share in the same order. Above 0.7, each of
    up to four equal first characters adds a tenth of what is missing to 1. Two empty texts are similar by 1, an empty
    and another by 0. White space at both ends never counts.

    Not for numbers: `15` and `150` are similar by 0.91.

    Source: `fuzzy_match` of Nous.Eval, which promises this metric and computes another: there `a` and `a` give 0.

    Args:
        expected: The text, of at most 20,000 characters; a number, True or False stands for its text in JSON.
        threshold: Lowest similarity that passes, 0 to 1.
        normalize: Make each run of white space one space.
        case_insensitive: Compare in lower case.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    expected: str | float
    threshold: float = 0.8
    normalize: bool = True
    case_insensitive: bool = True
    _text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_text", expected_text(self.assertion_name, self.expected))
        self._threshold(self.threshold)
        require_bool(self.assertion_name, "normalize", self.normalize)
        require_bool(self.assertion_name, "case_insensitive", self.case_insensitive)
        if len(self._compared(self._text)) > MAX_FUZZY_LENGTH:
            got = f"at most {MAX_FUZZY_LENGTH:,} characters, got {len(self._text):,}"
            msg = f"{self.assertion_name}: expected must have {got}"
            raise InvalidArgument(msg)

    @property
    def vacuous(self) -> bool:
        """Whether every text passes: with threshold 0."""
        return self.threshold == 0

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return the similarity.

        Raises:
            InvalidInput: The text is longer than 20,000 characters.
        """
        from rapidfuzz.distance import JaroWinkler  # noqa: PLC0415  (costs start-up time that most runs need not spend)

        compared = self._compared(text)
        if len(compared) > MAX_FUZZY_LENGTH:
            got = f"at most {MAX_FUZZY_LENGTH:,} characters, got {len(compared):,}"
            msg = f"{self.assertion_name} compares texts of {got}"
            raise InvalidInput(msg)
        score = JaroWinkler.similarity(compared, self._compared(self._text), prefix_weight=0.1)
        if score >= self.threshold:
            return AssertionResult.ok(score)
        message = (
            f"{shown(text)} is similar to {shown(self._text)} by {score:.4f}, below the threshold {self.threshold:g}"
        )
        return AssertionResult.fail(score, message)

    def unwanted(self, actual: Any) -> str:
        """Return that the texts are similar."""
        return f"{shown(actual)} is similar to {shown(self._text)}, and it should not be"

    def _compared(self, text: str) -> str:
        text = collapsed(text) if self.normalize else text.strip()
        return lowered(text) if self.case_insensitive else text
