from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import Equals, Not, NotEmpty, OneOf
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput


@dataclass
class Order:
    number: int


class Unequal:
    def __eq__(self, other: object) -> bool:
        msg = "no order"
        raise RuntimeError(msg)

    __hash__ = None  # type: ignore[assignment]  # (as Python sets it for such a class)


class Unprintable:
    def __repr__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)


class Anything:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # (as Python sets it for such a class)


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        ("red", "red", True),
        ("red", "blue", False),
        ("red", "Red", False),
        ("A", "I am not sure.", False),
        (10, 10.0, True),
        (10, Decimal(10), True),
        (Fraction(1, 2), 0.5, True),
        (10, "10", False),
        (1, True, False),
        (True, 1, False),
        (0.0, False, False),
        (Decimal(1), True, False),
        (True, True, True),
        (None, None, True),
        (None, False, False),
        (None, "", False),
        (math.nan, math.nan, False),
        ([math.nan], [math.nan], False),
        ({"a": math.nan}, {"a": math.nan}, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1, 2], [1, 2, 3], False),
        ([1, 2], (1, 2), False),
        ([1], [True], False),
        ([[{"a": [1]}]], [[{"a": [True]}]], False),
        ([[{"a": [1]}]], [[{"a": [1.0]}]], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, OrderedDict(a=1), True),
        ({"a": 1}, MappingProxyType({"a": 1}), True),
        ({True: "x"}, {1: "x"}, False),
        ({1, 2}, {2, 1}, True),
        ({1}, {True}, False),
        ({1}, frozenset({1}), True),
        ({"k": "v"}, "plain text", False),
        ({"k": "v"}, ["k"], False),
        ([], {}, False),
        ([], None, False),
        (Order(1), Order(1), True),
        (Order(1), Order(2), False),
        (5, np.int64(5), True),
        (0.5, np.float32(0.5), True),
        (True, np.True_, True),
        ([1, 2], np.array([1, 2]).tolist(), True),
        ([1, 2], Anything(), True),
        (Anything(), {"a": 1}, True),
    ],
)
def test_equality(expected, actual, equal):
    result = Equals(expected).evaluate(actual)
    assert (result.passed, result.score) == (equal, float(equal))
    assert bool(result.message) is not equal
    assert Not(Equals(expected)).evaluate(actual).passed is not equal


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        ("red", "blue", '"blue" does not equal "red"'),
        (10, "10", '"10" does not equal 10; the types are str and int'),
        (1, True, "True does not equal 1; the types are bool and int"),
        ({"a": [1]}, {"a": [2]}, "{'a': [2]} does not equal {'a': [1]}"),
        ("café", "cafe\u0301", "they differ only in Unicode form (composed or decomposed characters)"),
        ("a b", "a\u200b b", "they differ only in invisible characters: U+200B ZERO WIDTH SPACE"),
        ("", "\u200b", "they differ only in invisible characters: U+200B ZERO WIDTH SPACE"),
        ("1 km", "1\u00a0km", "they differ only in compatibility characters"),
        ("x", [object(), len], "[<object object>, <built-in function len>] does not equal"),
        ("x", [Unprintable().__eq__], "[<method-wrapper '__eq__' of Unprintable object>] does not equal"),
        ("x", (letter for letter in "x"), "<generator object <genexpr>> does not equal"),
        ("x", Unprintable(), "<Unprintable that cannot be shown: RuntimeError> does not equal"),
    ],
)
def test_a_difference_is_shown(expected, actual, message):
    assert message in Equals(expected).evaluate(actual).message


def test_an_unwanted_value_is_shown():
    assert Not(Equals("red")).evaluate("red").message == '"red" equals "red", and it should not'


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        ([1, 2], np.array([1, 2]), "comparing ndarray with list gave ndarray, not true or false"),
        (np.array([1, 2]), [1, 2], "comparing list with ndarray gave ndarray"),
        (1, np.array([1]), "gave ndarray"),
        ({"a": [1, 2]}, {"a": np.array([1, 2])}, "gave ndarray"),
        ("x", Unequal(), "comparing Unequal with str raised RuntimeError: no order"),
        ([1], [Unequal()], "comparing Unequal with int raised RuntimeError: no order"),
        (Decimal("sNaN"), Decimal(1), "raised InvalidOperation"),
    ],
)
def test_values_that_cannot_be_compared_are_an_error(expected, actual, said):
    with pytest.raises(InvalidInput, match=f"Equals: .*{said}"):
        Equals(expected).evaluate(actual)


def test_deep_and_cyclic_values_are_compared_to_their_end():
    one: list[object] = []
    other: list[object] = []
    for _ in range(100_000):
        one, other = [one], [other]
    assert Equals(one).evaluate(other).passed
    assert "cannot be shown: RecursionError" in Equals([one]).evaluate(other).message
    cyclic: list[object] = [1]
    cyclic.append(cyclic)
    twin: list[object] = [1]
    twin.append(twin)
    assert Equals(cyclic).evaluate(twin).passed


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(_JSON, _JSON)
def test_equality_is_symmetric_and_every_value_equals_itself(one, other):
    assert Equals(one).evaluate(one).passed
    assert Equals(one).evaluate(other).passed is Equals(other).evaluate(one).passed
    assert not (Equals(one).evaluate(other).passed and one != other)


@pytest.mark.parametrize(
    ("actual", "passed"),
    [
        ("", False),
        (" ", False),
        ("\n\t", False),
        ("\u00a0\u3000\u2028", False),
        ("\u200b", False),
        (" \u200b\u2060\ufeff ", False),
        ("\x00\x07", False),
        ("\u3164", False),
        ("0", True),
        (".", True),
        ("\u200bx", True),
        ("\u0301", True),
        ("\u0601", True),
        ("\ud800", True),
        (None, False),
        ([], False),
        ({}, False),
        (set(), False),
        (b"", False),
        ([""], True),
        ({"a": None}, True),
        (0, True),
        (0.0, True),
        (False, True),
        (math.nan, True),
        (object(), True),
    ],
)
def test_not_empty(actual, passed):
    result = NotEmpty().evaluate(actual)
    assert (result.passed, result.score) == (passed, float(passed))
    assert Not(NotEmpty()).evaluate(actual).passed is not passed


def test_an_empty_text_is_shown_with_what_hides_in_it():
    assert NotEmpty().evaluate("\u200b\n").message == '"<U+200B>\\n" is empty'
    assert Not(NotEmpty()).evaluate([1]).message == "[1] is not empty, and it should be"


@pytest.mark.parametrize(
    ("options", "actual", "passed"),
    [
        (["yes", "no"], "yes", True),
        (["yes", "no"], "Yes", False),
        (["yes", "no"], "yes ", False),
        (("a", 10), 10.0, True),
        ([10], "10", False),
        ([1, 0], True, False),
        ([True], 1, False),
        ([None], None, True),
        ([{"a": [1]}], {"a": [1]}, True),
        ([math.nan], math.nan, False),
        (iter(["a", "b"]), "b", True),
        ([], "", False),
    ],
)
def test_one_of_passes_what_equals_an_option(options, actual, passed):
    result = OneOf(options).evaluate(actual)
    assert (result.passed, result.score) == (passed, float(passed))


@pytest.mark.parametrize(
    ("assertion", "actual", "message"),
    [
        (OneOf(["yes", 1]), "no", '"no" is none of "yes", 1'),
        (OneOf([]), "no", '"no" is none of no options'),
        (
            OneOf(["no", "yes"]),
            "yes\u200b",
            '"yes<U+200B>" is none of "no", "yes"; it differs from "yes" only in invisible characters: '
            "U+200B ZERO WIDTH SPACE",
        ),
        (Not(OneOf([1, 2])), 2, "2 is one of 1, 2, and it should not be"),
    ],
)
def test_one_of_says_the_options(assertion, actual, message):
    assert assertion.evaluate(actual).message == message


@pytest.mark.parametrize("options", ["yes", b"yes", {"yes": 1}, None, 5])
def test_options_that_are_no_list_are_refused(options):
    with pytest.raises(InvalidArgument, match="OneOf: options must be a list of values, got "):
        OneOf(options)


def test_an_option_that_cannot_be_compared_breaks_the_check():
    with pytest.raises(InvalidInput, match=r"OneOf: comparing .* raised RuntimeError: no order"):
        OneOf([Unequal()]).evaluate("a")


def test_no_option_is_vacuous():
    assert OneOf([]).vacuous
    assert not OneOf([None]).vacuous
