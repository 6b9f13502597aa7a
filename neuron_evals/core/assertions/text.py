"""Assertions about how a text begins, ends, and how long it is; letter case counts, nothing is trimmed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.hidden_text import looks_alike
from neuron_evals.core.assertions.options import require_count, require_text
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class StringStartsWith(StringAssertion):
    """Passes when the text begins with `prefix`.

    Args:
        prefix: The beginning; literal, letter case counts. Every text begins with an empty prefix.

    Raises:
        InvalidArgument: `prefix` is no text.
    """

    prefix: str

    def __post_init__(self) -> None:
        require_text(self.assertion_name, "prefix", self.prefix)

    @property
    def vacuous(self) -> bool:
        """Whether the prefix is empty."""
        return not self.prefix

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the text begins with the prefix, else 0."""
        if text.startswith(self.prefix):
            return AssertionResult.ok()
        hint = looks_alike(text, self.prefix, str.startswith)
        return AssertionResult.fail(0.0, f"the text does not start with {shown(self.prefix)}{hint}")

    def unwanted(self, actual: Any) -> str:
        """Return that the prefix was found."""
        return f"{shown(actual)} starts with {shown(self.prefix)}, and it should not"


@dataclass(frozen=True)
class StringEndsWith(StringAssertion):
    """Passes when the text ends with `suffix`.

    Args:
        suffix: The end; literal, letter case counts. Every text ends with an empty suffix.

    Raises:
        InvalidArgument: `suffix` is no text.
    """

    suffix: str

    def __post_init__(self) -> None:
        require_text(self.assertion_name, "suffix", self.suffix)

    @property
    def vacuous(self) -> bool:
        """Whether the suffix is empty."""
        return not self.suffix

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the text ends with the suffix, else 0."""
        if text.endswith(self.suffix):
            return AssertionResult.ok()
        hint = looks_alike(text, self.suffix, str.endswith)
        return AssertionResult.fail(0.0, f"the text does not end with {shown(self.suffix)}{hint}")

    def unwanted(self, actual: Any) -> str:
        """Return that the suffix was found."""
        return f"{shown(actual)} ends with {shown(self.suffix)}, and it should not"


@dataclass(frozen=True)
class StringLengthBetween(StringAssertion):
    """Passes when the length of the text is from `min` to `max`, both included.

    Code points are counted: an emoji is 1, a letter followed by a combining accent is 2.

    Args:
        min: Shortest length in code points, 0 or more.
        max: Longest length in code points, `min` or more.

    Raises:
        InvalidArgument: A bound is no whole number or negative, or `min` is above `max`.
    """

    min: int
    max: int

    def __post_init__(self) -> None:
        require_count(self.assertion_name, "min", self.min)
        require_count(self.assertion_name, "max", self.max)
        if self.min > self.max:
            msg = f"{self.assertion_name}: min must not be above max, got min={self.min} and max={self.max}"
            raise InvalidArgument(msg)

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the length is within the bounds, else 0."""
        if self.min <= len(text) <= self.max:
            return AssertionResult.ok()
        message = f"the length is {len(text)} code points, which is not between {self.min} and {self.max}"
        return AssertionResult.fail(0.0, message)

    def unwanted(self, actual: Any) -> str:
        """Return the length and the bounds."""
        return f"the length is {len(actual)} code points, which should not be between {self.min} and {self.max}"
