from __future__ import annotations

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from neuron_evals.core.assertions import CloseTo, Not, NumberEquals
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput


@pytest.mark.parametrize(
    ("assertion", "actual", "passed"),
    [
        (CloseTo(0.3, 0.1), 0.4, True),
        (CloseTo(0.3, 0.1), 0.400001, False),
        (CloseTo(1), 1 + 1e-10, True),
        (CloseTo(1), 1 + 1e-8, False),
        (CloseTo(1, rel_tol=0), 1.0, True),
        (CloseTo(100, rel_tol=0.05), 105, True),
        (CloseTo(100, rel_tol=0.05), 105.1, False),
        (CloseTo(-100, rel_tol=0.05), -95, True),
        (CloseTo(0, rel_tol=1.0), 1e-300, False),
        (CloseTo(100, 1, 0.05), 105, True),
        (CloseTo(Decimal("0.1"), 0, 0), 0.1, True),
        (CloseTo(0.5, 0, 0), Fraction(1, 2), True),
        (CloseTo(2, 0, 0), np.float64(2.0), True),
        (CloseTo(10**400), 10**400 + 1, True),
    ],
)
def test_close_to_compares_numbers_as_they_are_written(assertion, actual, passed):
    result = assertion.evaluate(actual)
    assert (result.passed, result.score) == (passed, float(passed))


@pytest.mark.parametrize("actual", ["1", None, True, [1], math.nan, math.inf, Decimal("NaN")])
def test_close_to_evaluates_nothing_but_finite_numbers(actual):
    with pytest.raises(InvalidInput, match="CloseTo evaluates numbers"):
        CloseTo(1).evaluate(actual)


@pytest.mark.parametrize(
    ("cls", "options", "said"),
    [
        (CloseTo, ("1",), 'expected must be a finite number, got "1"'),
        (CloseTo, (True,), "expected must be a finite number, got True"),
        (CloseTo, (1, -1), "abs_tol must be 0 or more, got -1"),
        (CloseTo, (1, 0, math.inf), "rel_tol must be a finite number, got inf"),
        (NumberEquals, (None,), "expected must be a finite number, got None"),
        (NumberEquals, ("about 5",), 'expected must be a number, got "about 5"'),
        (NumberEquals, ("1,5",), 'expected must be a number, got "1,5"'),
        (NumberEquals, (math.nan,), "expected must be a finite number, got nan"),
        (NumberEquals, (1, -0.1), "tolerance must be 0 or more, got -0.1"),
        (NumberEquals, (1, "0.1"), 'tolerance must be a finite number, got "0.1"'),
    ],
)
def test_options_that_are_no_finite_numbers_are_refused(cls, options, said):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}: {said}"):
        cls(*options)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (-5, "it is -5 exactly"),
        (1000, "1e3"),
        ("1e3", "1000"),
        (42, "It is 42!"),
        (42, "It is (42)."),
        (42, "[42]"),
        (42, "**42**"),
        (42, "$42$"),
        (42, "\\boxed{42}"),
        (42, "<b>42</b>"),
        (42, "First 17, then 42,"),
        (42, "x = 17; y = 42"),
        (42, "answer:42"),
        (42, "42 (as HAL9000 says, see v2)"),
        (460, "\\$400 + \\$60 = \\$460"),
        (-5, "-$5"),
        (-5, "$-5"),
        (5, "US$5"),
        (5, "5 €"),
        (5, "5€."),
        (45, "45%"),
        (0.5, "½"),
        (0.1, "0.1"),
        ("0.1", "0.10"),
        (0.5, ".5"),
        (-5, "\u22125"),
        (5, "+5"),
        (5, "- 5"),
        (1234.5, "1,234.5"),
        (1_234_567, "1,234,567"),
        (1000, "1\u202f000"),
        (42, "答案是42。"),
        (12, "\uff11\uff12"),
        (0, "-0.0"),
        ("1e-300", "1e-300"),
        (10**30 + 1, "1000000000000000000000000000001"),
    ],
)
def test_number_equals_reads_the_last_number_of_a_text(expected, text):
    result = NumberEquals(expected).evaluate(text)
    assert result.passed, result.message


@pytest.mark.parametrize(
    ("expected", "text", "message"),
    [
        (-5, "5", 'the last number of "5" is 5, not -5'),
        (42, "42 or 17", 'the last number of "42 or 17" is 17, not 42'),
        (
            10**30,
            "1000000000000000000000000000001",
            "is 1000000000000000000000000000001, not 1000000000000000000000000000000",
        ),
        (0.1, "0.10000000000000001", "is 0.10000000000000001, not 0.1"),
        (1, "none", 'there is no number in "none"'),
        (1, "", 'there is no number in ""'),
        (19, "COVID-19", "there is no number"),
        (42, "42abc", 'the last number, "42abc", does not stand alone'),
        (2, "1/2", 'the last number, "1/2", does not stand alone or can be read in more than one way'),
    ],
)
def test_number_equals_fails_with_what_it_read(expected, text, message):
    result = NumberEquals(expected).evaluate(text)
    assert (result.passed, result.score) == (False, 0.0)
    assert message in result.message


@pytest.mark.parametrize(
    "text",
    [
        "1,5",
        "1.234.567",
        "0,123",
        "1,2,3,5",
        "5kg",
        "10:35",
        "10-5",
        "2024-05-05",
        "3/5",
        "9**5",
        "2^5",
        "2^{5}",
        "\\frac{1}{5}",
        "5\u00b2",
        "4\u00bd5",
        "0x5",
        "1_5",
        "\u7ea65\u4e07",
        "\u20135",
        "5e",
        "1e10005",
    ],
)
def test_a_last_number_that_could_say_something_else_is_not_read_and_no_earlier_one_is(text):
    for expected in (5, 7):
        result = NumberEquals(expected).evaluate(f"7 5 {text}")
        assert not result.passed
        assert "does not stand alone or can be read in more than one way" in result.message


def test_the_tolerance_is_exact():
    assert NumberEquals(0.3, 0.1).evaluate("0.4").passed
    assert NumberEquals(0.3, Decimal("0.1")).evaluate("0.2").passed
    result = NumberEquals(0.3, 0.1).evaluate("0.41")
    assert result.message == 'the last number of "0.41" is 0.41, not 0.3 (tolerance 0.1)'


@pytest.mark.parametrize(("actual", "passed"), [(0.1, True), (Decimal("0.1"), True), (1, False), (np.int64(3), False)])
def test_number_equals_takes_a_number_as_it_is(actual, passed):
    assert NumberEquals(0.1).evaluate(actual).passed is passed


@pytest.mark.parametrize("actual", [None, True, [5], {"a": 5}, math.nan, math.inf])
def test_number_equals_evaluates_nothing_but_text_and_finite_numbers(actual):
    with pytest.raises(InvalidInput, match="NumberEquals evaluates text or numbers"):
        NumberEquals(5).evaluate(actual)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "9**9**9",
        "1e999999999",
        "-1e-999999999",
        "9" * 5_000,
        "1" * 2_000_000,
        "1,000" * 100_000,
        "$" * 500_000 + "1",
        "1 " * 500_000,
        "1\u00a0" * 500_000,
        "{" * 500_000 + "1",
    ],
    ids=lambda text: text[:20],
)
def test_hostile_numbers_are_answered_at_once(text):
    started = time.process_time()
    NumberEquals(5).evaluate(text)
    assert time.process_time() - started < 60


def test_a_number_where_none_was_wanted_says_so():
    assert Not(NumberEquals(5)).evaluate("5").message == 'the last number of "5" is 5, and it should not be'
    assert Not(CloseTo(5)).evaluate(5.0).message == "5.0 is close to 5, and it should not be"
    assert CloseTo(5, 0.5).evaluate(6).message == "6 is not within 0.5 of 5"
