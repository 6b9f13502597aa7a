"""Assertions about how near a number is to another: `CloseTo` for a number, `NumberEquals` for the last one of a text.

Numbers are compared exactly and as they are written: 0.1 is one tenth.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from neuron_evals.core.assertions.number_text import NoNumber, as_written, last_number, only_number
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion, answer_hint
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult

_LONG = 10**40

Number = int | float | Decimal | Fraction


@dataclass(frozen=True)
class CloseTo(Assertion):
    """Passes when the value is a number near `expected`: no further than the larger of the two tolerances.

    Args:
        expected: A finite number.
        abs_tol: Largest difference, 0 or more.
        rel_tol: Largest difference as a part of `expected`, 0 or more; it is nothing when `expected` is 0.

    Raises:
        InvalidArgument: An option is no finite number, or a tolerance is negative.
    """

    expected: Number
    abs_tol: Number = 0.0
    rel_tol: Number = 1e-9

    def __post_init__(self) -> None:
        _exact(self.assertion_name, "expected", self.expected)
        _tolerance(self.assertion_name, "abs_tol", self.abs_tol)
        _tolerance(self.assertion_name, "rel_tol", self.rel_tol)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the number is near, else 0.

        Raises:
            InvalidInput: `actual` is no finite number; a bool is none.
        """
        number = _measured(self.assertion_name, actual, "numbers")
        expected = _exact(self.assertion_name, "expected", self.expected)
        share = _tolerance(self.assertion_name, "rel_tol", self.rel_tol) * abs(expected)
        allowed = max(_tolerance(self.assertion_name, "abs_tol", self.abs_tol), share)
        if abs(number - expected) <= allowed:
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"{shown(actual)} is not within {_short(allowed)} of {self.expected}")

    def unwanted(self, actual: Any) -> str:
        """Return both numbers."""
        return f"{shown(actual)} is close to {self.expected}, and it should not be"


@dataclass(frozen=True)
class NumberEquals(Assertion):
    """Passes when the last number of the text is `expected`. A number instead of text is taken as it is.

    Read are digits with a sign, a decimal point, an exponent of up to four digits, and commas between groups of three
    digits: `-1,234.5`, `1e3`. A currency sign and a percent sign are left out, so `45%` is 45. Words that begin with a
    letter, such as `v2`, are no numbers. When the last number is glued to something that could change what it says
    (`42abc`, `5kg`, `1,5`, `1/2`, `10-20`, `10:30`), the check fails and says so.

    Args:
        expected: A finite number, or text that is one number, such as "0.1".
        tolerance: Largest difference, 0 or more.

    Raises:
        InvalidArgument: An option is no finite number, or the tolerance is negative.
    """

    expected: Number | str
    tolerance: Number = 0

    def __post_init__(self) -> None:
        self._exact_expected()
        _tolerance(self.assertion_name, "tolerance", self.tolerance)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the last number is `expected`, else 0 with the number that was read.

        Raises:
            InvalidInput: `actual` is neither text nor a finite number.
        """
        try:
            number = (
                last_number(actual)
                if isinstance(actual, str)
                else _measured(self.assertion_name, actual, "text or numbers")
            )
        except NoNumber as exc:
            return AssertionResult.fail(0.0, str(exc))
        if abs(number - self._exact_expected()) <= _tolerance(self.assertion_name, "tolerance", self.tolerance):
            return AssertionResult.ok()
        within = f" (tolerance {self.tolerance})" if self.tolerance else ""
        message = f"the last number of {shown(actual)} is {_short(number)}, not {self.expected}{within}"
        return AssertionResult.fail(0.0, message)

    def unwanted(self, actual: Any) -> str:
        """Return that the number was found."""
        return f"the last number of {shown(actual)} is {self.expected}, and it should not be"

    def _exact_expected(self) -> Fraction:
        if not isinstance(self.expected, str):
            return _exact(self.assertion_name, "expected", self.expected)
        try:
            return only_number(self.expected)
        except NoNumber:
            msg = f"{self.assertion_name}: expected must be a number, got {shown(self.expected)}"
            raise InvalidArgument(msg) from None


def _exact(owner: str, role: str, value: Any) -> Fraction:
    exact = as_written(value)
    if exact is None:
        msg = f"{owner}: {role} must be a finite number, got {shown(value)}"
        raise InvalidArgument(msg)
    return exact


def _tolerance(owner: str, role: str, value: Any) -> Fraction:
    exact = _exact(owner, role, value)
    if exact < 0:
        msg = f"{owner}: {role} must be 0 or more, got {shown(value)}"
        raise InvalidArgument(msg)
    return exact


def _measured(owner: str, value: Any, what: str) -> Fraction:
    exact = as_written(value)
    if exact is None:
        msg = f"{owner} evaluates {what}, got {type(value).__name__} {shown(value)}{answer_hint(value)}"
        raise InvalidInput(msg)
    return exact


def _short(number: Fraction) -> str:
    """Return a number for a reason, to 28 digits where it is long."""
    if number.denominator == 1 and abs(number) < _LONG:
        return str(number.numerator)
    return str((Decimal(number.numerator) / Decimal(number.denominator)).normalize())
