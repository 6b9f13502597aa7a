"""Assertions about a value of any type."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.equality import equal
from neuron_evals.core.assertions.hidden_text import looks_alike, without_invisible
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import InvalidInput
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class Equals(Assertion):
    """Passes when the value equals `expected`.

    As Python's `==` says, members of lists, tuples, mappings and sets included, but for this: True and False equal no
    number, and NaN equals nothing. So `10` equals `10.0`, and `"10"` does not. Texts are compared code point by code
    point.

    Args:
        expected: The value to compare with; of any type.
    """

    expected: Any

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the values are equal, else 0.

        Raises:
            InvalidInput: The values cannot be compared, such as an array whose `==` gives another array.
        """
        try:
            same = equal(actual, self.expected)
        except InvalidInput as exc:
            msg = f"{self.assertion_name}: {exc}"
            raise InvalidInput(msg) from exc
        return AssertionResult.ok() if same else AssertionResult.fail(0.0, self._difference(actual))

    def unwanted(self, actual: Any) -> str:
        """Return that the values are equal."""
        return f"{shown(actual)} equals {shown(self.expected)}, and it should not"

    def _difference(self, actual: Any) -> str:
        hint = ""
        if isinstance(actual, str) and isinstance(self.expected, str):
            hint = looks_alike(actual, self.expected, str.__eq__)
        elif type(actual) is not type(self.expected):
            hint = f"; the types are {type(actual).__name__} and {type(self.expected).__name__}"
        return f"{shown(actual)} does not equal {shown(self.expected)}{hint}"


@dataclass(frozen=True)
class NotEmpty(Assertion):
    """Passes when there is something: visible text, a container with a member, or any other value but None.

    Text of nothing but white space and invisible characters (zero-width and control characters) is empty. 0 and False
    are not empty.
    """

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the value is not empty, else 0."""
        if isinstance(actual, str):
            empty = not without_invisible(actual).strip()
        else:
            empty = actual is None or (isinstance(actual, Sized) and len(actual) == 0)
        return AssertionResult.fail(0.0, f"{shown(actual)} is empty") if empty else AssertionResult.ok()

    def unwanted(self, actual: Any) -> str:
        """Return what was found."""
        return f"{shown(actual)} is not empty, and it should be"
