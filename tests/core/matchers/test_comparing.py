from __future__ import annotations

import enum
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.matchers import fits, mismatches, require_constraint
from neuron_evals.core.matchers.comparing import same


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        (10, 10, True),
        (10, 10.0, False),
        (10.0, 10, False),
        (1, True, False),
        (False, 0, False),
        (None, False, False),
        (None, None, True),
        ("123", 123, False),
        ("a", "A", False),
        (float("nan"), float("nan"), False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ((1, 2), [1, 2], True),
        ([1], [1.0], False),
        ([], {}, False),
        ({"a": 1, "b": {"c": [1]}}, {"b": {"c": [1]}, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": None}, {}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, False),
        ({"a": 1}, OrderedDict(a=1), True),
        (Colour.RED, "red", True),
        (Level.HIGH, 3, True),
        (Level.HIGH, 3.0, False),
    ],
)
def test_values_are_the_same_in_type_and_value_at_any_depth(expected, actual, equal):
    assert same(expected, actual) is equal
    assert same({"x": [expected]}, {"x": [actual]}) is equal


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_value_is_the_same_as_itself_and_as_nothing_it_is_put_into(value):
    assert same(value, value)
    assert same(value, value, nested=True)
    assert not same(value, [value])
    assert not same([value], value)


@pytest.mark.parametrize(
    ("expected", "actual", "whole", "subset"),
    [
        ({"city": "Rome"}, {"city": "Rome", "zip": "00100"}, False, True),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1, "d": 2}}}, False, True),
        ([{"a": 1}], [{"a": 1, "b": 2}], False, True),
        ({"a": {}}, {"a": {"b": 1}}, False, True),
        ({"a": 1}, {"b": 1}, False, False),
        ({"a": 1}, {"a": 1.0, "b": 2}, False, False),
    ],
)
def test_objects_are_compared_whole_unless_a_subset_is_asked_for(expected, actual, whole, subset):
    assert same(expected, actual) is whole
    assert same(expected, actual, nested=True) is subset


def test_depth_does_not_matter():
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    assert same(deep, deep)
    require_constraint("T", "arguments", {"a": deep})


@pytest.mark.parametrize(
    ("constraint", "arguments", "fitting"),
    [
        (None, {"a": 1}, True),
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, False),
        ({"a": lambda value: value < 3}, {"a": 2}, True),
        ({"a": lambda value: value < 3}, {"a": 4}, False),
        ({"a": lambda value: True}, {}, False),
        ({"a": [{"b": lambda value: value == 2}]}, {"a": [{"b": 2}]}, True),
        (lambda arguments: arguments["a"] == 1, {"a": 1}, True),
        (lambda arguments: [], {"a": 1}, False),
    ],
)
def test_a_constraint_lists_some_arguments_or_is_a_predicate(constraint, arguments, fitting):
    assert fits(constraint, arguments) is fitting


def test_mismatches_are_named():
    assert list(mismatches({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2.0})) == ["b", "c"]


async def late(value):
    return False


@pytest.mark.parametrize(
    ("constraint", "problem"),
    [
        ("x", "T: arguments must be a mapping or a callable, got str"),
        ([], "T: arguments must be a mapping or a callable, got list"),
        ({"a": [{"b": str}]}, "T: arguments['a'][0]['b'] is the type str; write IsA(...) of neuron_evals.matchers"),
        (dict, "T: arguments is the type dict; write IsA(...) of neuron_evals.matchers"),
        (late, "T: arguments is an asynchronous function; a predicate returns its answer"),
        ({"a": late}, "T: arguments['a'] is an asynchronous function; a predicate returns its answer"),
    ],
)
def test_what_would_be_true_for_every_value_or_none_is_refused(constraint, problem):
    with pytest.raises(InvalidArgument) as caught:
        require_constraint("T", "arguments", constraint)
    assert str(caught.value) == problem


def test_predicate_that_gives_something_to_await__refused_and_not_taken_as_true():
    given = []

    def asked(_value):
        given.append(late(1))
        return given[-1]

    for constraint in (asked, {"a": asked}):
        with pytest.raises(InvalidArgument, match="must return its answer at once"):
            fits(constraint, {"a": 1})
    for waiting in given:
        waiting.close()
