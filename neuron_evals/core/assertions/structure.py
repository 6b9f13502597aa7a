"""Assertions about the structure of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.jsonable.syntax import invalid_json
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class IsValidJson(StringAssertion):
    """Passes when the whole text is one JSON value (RFC 8259), of any kind, size and depth.

    Refused are, among others: `NaN` and `Infinity`, a byte order mark, fenced blocks, comments, trailing commas,
    control characters and lone surrogates in strings.
    """

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the text is JSON, else 0 with the place where it is not."""
        problem = invalid_json(text)
        if problem is None:
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"not valid JSON: {problem}, in {shown(text)}")

    def unwanted(self, actual: Any) -> str:
        """Return that JSON was found."""
        return f"valid JSON was found where none was wanted: {shown(actual)}"
