"""Assertions about a value of any type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.equality import equal
from neuron_evals.core.assertions.hidden_text import looks_alike, without_invisible
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion, answer_hint
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
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
class OneOf(Assertion):
    """Passes when the value equals one of `options`, as `Equals` compares: type, letter case and blanks count.

    Args:
        options: The values; no value passes an empty list.

    Raises:
        InvalidArgument: `options` is no list.
    """

    options: Sequence[Any]

    def __post_init__(self) -> None:
        options: Any = self.options
        if isinstance(options, str | bytes | Mapping) or not isinstance(options, Iterable):
            msg = f"{self.assertion_name}: options must be a list of values, got {type(options).__name__}"
            raise InvalidArgument(msg)
        object.__setattr__(self, "options", tuple(options))

    @property
    def vacuous(self) -> bool:
        """Whether there is no option."""
        return not self.options

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the value equals an option, else 0.

        Raises:
            InvalidInput: The value cannot be compared with an option, such as an array whose `==` gives another array.
        """
        try:
            found = any(equal(actual, option) for option in self.options)
        except InvalidInput as exc:
            msg = f"{self.assertion_name}: {exc}"
            raise InvalidInput(msg) from exc
        if found:
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"{shown(actual)} is none of {self._listed()}{self._hint(actual)}")

    def unwanted(self, actual: Any) -> str:
        """Return that the value is an option."""
        return f"{shown(actual)} is one of {self._listed()}, and it should not be"

    def _listed(self) -> str:
        return ", ".join(map(shown, self.options)) or "no options"

    def _hint(self, actual: Any) -> str:
        """Return the clause of `looks_alike` for the first option that has one."""
        if not isinstance(actual, str):
            return ""
        texts = (option for option in self.options if isinstance(option, str))
        hints = (looks_alike(actual, text, str.__eq__, f"it differs from {shown(text)}") for text in texts)
        return next(filter(None, hints), "")


@dataclass(frozen=True)
class NotEmpty(Assertion):
    """Passes when there is something: visible text, a container with a member, or any other value but None.

    Text of nothing but white space and invisible characters (zero-width and control characters) is empty. 0 and False
    are not empty.
    """

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the value is not empty, else 0.

        Raises:
            InvalidInput: `actual` is a trajectory; its text is meant, or its calls, and it never is empty itself.
        """
        if hint := answer_hint(actual):
            msg = f"{self.assertion_name} evaluates no {type(actual).__name__}{hint}"
            raise InvalidInput(msg)
        if isinstance(actual, str):
            empty = not without_invisible(actual).strip()
        else:
            empty = actual is None or (isinstance(actual, Sized) and len(actual) == 0)
        return AssertionResult.fail(0.0, f"{shown(actual)} is empty") if empty else AssertionResult.ok()

    def unwanted(self, actual: Any) -> str:
        """Return what was found."""
        return f"{shown(actual)} is not empty, and it should be"
