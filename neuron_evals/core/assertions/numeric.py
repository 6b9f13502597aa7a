"""Assertions about numbers, compared exactly whatever their types: int, float, Decimal, Fraction, numpy scalars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion, answer_hint
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class GreaterThan(Assertion):
    """Passes when the value is a number above `threshold`.

    Args:
        threshold: A finite number; a value equal to it does not pass.

    Raises:
        InvalidArgument: `threshold` is no finite number.
    """

    threshold: float | Decimal | Fraction

    def __post_init__(self) -> None:
        _bound(self.assertion_name, "threshold", self.threshold)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the value is above the threshold, else 0.

        Raises:
            InvalidInput: `actual` is no number; a bool and NaN are none.
        """
        if _measured(self.assertion_name, actual) > _bound(self.assertion_name, "threshold", self.threshold):
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"{shown(actual)} is not greater than {self.threshold}")

    def unwanted(self, actual: Any) -> str:
        """Return value and threshold."""
        return f"{shown(actual)} is greater than {self.threshold}, and it should not be"


@dataclass(frozen=True)
class Between(Assertion):
    """Passes when the value is a number from `min` to `max`, both included.

    Args:
        min: Lowest number; finite.
        max: Highest number; finite, `min` or more.

    Raises:
        InvalidArgument: A bound is no finite number, or `min` is above `max`.
    """

    min: float | Decimal | Fraction
    max: float | Decimal | Fraction

    def __post_init__(self) -> None:
        if _bound(self.assertion_name, "min", self.min) > _bound(self.assertion_name, "max", self.max):
            msg = f"{self.assertion_name}: min must not be above max, got min={self.min} and max={self.max}"
            raise InvalidArgument(msg)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the value is within the bounds, else 0.

        Raises:
            InvalidInput: `actual` is no number; a bool and NaN are none.
        """
        number = _measured(self.assertion_name, actual)
        if _bound(self.assertion_name, "min", self.min) <= number <= _bound(self.assertion_name, "max", self.max):
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"{shown(actual)} is not between {self.min} and {self.max}")

    def unwanted(self, actual: Any) -> str:
        """Return value and bounds."""
        return f"{shown(actual)} is between {self.min} and {self.max}, and it should not be"


def _exact(value: Any) -> int | float | Fraction | None:
    """Return a number as one of three types that compare exactly; `None` for a bool, NaN and what is no number."""
    exact: int | float | Fraction | None = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, Integral):
        exact = int(value)
    elif isinstance(value, Rational) or (isinstance(value, Decimal) and value.is_finite()):
        exact = Fraction(value)
    elif isinstance(value, Real) or (isinstance(value, Decimal) and value.is_infinite()):
        exact = float(value)
    return None if isinstance(exact, float) and math.isnan(exact) else exact


def _bound(owner: str, role: str, value: Any) -> int | float | Fraction:
    exact = _exact(value)
    if exact is None or (isinstance(exact, float) and math.isinf(exact)):
        msg = f"{owner}: {role} must be a finite number, got {shown(value)}"
        raise InvalidArgument(msg)
    return exact


def _measured(owner: str, value: Any) -> int | float | Fraction:
    exact = _exact(value)
    if exact is None:
        msg = f"{owner} evaluates numbers, got {type(value).__name__} {shown(value)}{answer_hint(value)}"
        raise InvalidInput(msg)
    return exact
