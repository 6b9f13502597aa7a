from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import Between, GreaterThan, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput


@pytest.mark.parametrize(
    ("threshold", "actual", "passed"),
    [
        (3, 4, True),
        (3, 3, False),
        (3, 2.999, False),
        (0.1, Decimal("0.1"), False),
        (Decimal("0.1"), 0.1, True),
        (Decimal("0.1"), Fraction(1, 10), False),
        (Fraction(1, 3), Decimal("0.34"), True),
        (0.1, np.float32(0.1), True),
        (3, np.int64(4), True),
        (3, np.float64(4), True),
        (2**60, 2**60 + 1, True),
        (1.0, 10**400, True),
        (10**400, 1e308, False),
        (3, math.inf, True),
        (3, -math.inf, False),
        (3, Decimal("Infinity"), True),
    ],
)
def test_greater_than_compares_exactly(threshold, actual, passed):
    result = GreaterThan(threshold).evaluate(actual)
    assert (result.passed, result.score) == (passed, float(passed))
    assert Not(GreaterThan(threshold)).evaluate(actual).passed is not passed


@pytest.mark.parametrize(
    ("low", "high", "actual", "passed"),
    [
        (0, 10, 0, True),
        (0, 10, 10, True),
        (0, 10, 10.000001, False),
        (0, 10, -1, False),
        (5, 5, 5.0, True),
        (Fraction(1, 3), Decimal(1), 0.5, True),
        (0, 1, np.float16(0.5), True),
        (0, 10, math.inf, False),
    ],
)
def test_between_includes_both_bounds(low, high, actual, passed):
    result = Between(low, high).evaluate(actual)
    assert (result.passed, result.score) == (passed, float(passed))


@pytest.mark.parametrize("assertion", [GreaterThan(3), Between(0, 3)])
@pytest.mark.parametrize(
    "actual",
    [
        True,
        False,
        np.True_,
        "4",
        None,
        math.nan,
        np.float64("nan"),
        Decimal("nan"),
        Decimal("sNaN"),
        4j,
        [4],
        np.array([4]),
    ],
)
def test_what_is_no_number_is_an_error(assertion, actual):
    with pytest.raises(
        InvalidInput, match=f"{assertion.assertion_name} evaluates numbers, got {type(actual).__name__}"
    ):
        assertion.evaluate(actual)


@pytest.mark.parametrize("bound", [math.nan, math.inf, -math.inf, Decimal("nan"), Decimal("Infinity"), True, "3", None])
def test_a_bound_that_is_no_finite_number_is_refused(bound):
    with pytest.raises(InvalidArgument, match="GreaterThan: threshold must be a finite number, got"):
        GreaterThan(bound)
    with pytest.raises(InvalidArgument, match="Between: min must be a finite number, got"):
        Between(bound, 3)
    with pytest.raises(InvalidArgument, match="Between: max must be a finite number, got"):
        Between(3, bound)


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(InvalidArgument, match="Between: min must not be above max, got min=3 and max=2"):
        Between(3, 2)


@pytest.mark.parametrize(
    ("assertion", "actual", "message"),
    [
        (GreaterThan(3), 2, "2 is not greater than 3"),
        (Between(0, 3), 4.5, "4.5 is not between 0 and 3"),
        (Not(GreaterThan(3)), 4, "4 is greater than 3, and it should not be"),
        (Not(Between(0, 3)), 1, "1 is between 0 and 3, and it should not be"),
    ],
)
def test_a_failure_shows_value_and_bounds(assertion, actual, message):
    assert assertion.evaluate(actual).message == message


_NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.fractions()


@given(_NUMBERS, _NUMBERS)
def test_of_two_numbers_one_is_greater_or_both_are_the_same(one, other):
    greater = GreaterThan(one).evaluate(other).passed
    less = GreaterThan(other).evaluate(one).passed
    assert not (greater and less)
    assert Between(one, one).evaluate(other).passed is not (greater or less)
