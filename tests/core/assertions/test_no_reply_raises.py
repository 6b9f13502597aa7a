"""Whatever a model answers, a check finds a verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from neuron_evals.core.assertions import (
    CloseTo,
    Contains,
    ContainsJson,
    Equals,
    ExactMatch,
    FuzzyMatch,
    IsValidJson,
    JsonEquals,
    JsonPath,
    MatchesRegex,
    MatchesSchema,
    Not,
    NotContains,
    NotEmpty,
    NumberEquals,
    OneOf,
    StringContains,
    StringContainsAll,
    StringContainsAny,
    StringDistance,
    StringEndsWith,
    StringLengthBetween,
    StringStartsWith,
)
from neuron_evals.core.assertions.json_compare import difference, missing_part
from neuron_evals.core.jsonable.syntax import invalid_json, json_spans


@dataclass
class Answer:
    answer: str
    count: int = 0


class Model(BaseModel):
    answer: str
    count: int = 0


SCHEMA = {
    "type": ["object", "array", "number"],
    "properties": {"answer": {"type": "string", "pattern": "^a"}, "count": {"multipleOf": 0.1}},
    "patternProperties": {"^.": {"not": {"type": "null"}}},
    "additionalProperties": {"uniqueItems": True},
    "items": {"$ref": "#"},
    "uniqueItems": True,
    "multipleOf": 0.5,
}
ON_TEXT = [
    ExactMatch("a", case_insensitive=True, normalize=True),
    FuzzyMatch("answer"),
    Contains(["a", "b"]),
    Contains({"contains_any": ["a"]}),
    Contains({"regex": ["a+", "^b"]}),
    NumberEquals(5),
    OneOf(["a", 5, None, ["a"]]),
    Equals("a"),
    IsValidJson(),
    MatchesRegex(r"a+(?:b|\d)"),
    NotContains("a"),
    NotEmpty(),
    StringContains("a"),
    StringContainsAll(["a", "1"]),
    StringContainsAny(["a", "1"]),
    StringDistance("answer", normalized=True),
    StringEndsWith("a"),
    StringLengthBetween(1, 20),
    StringStartsWith("a"),
]
ON_JSON = [
    OneOf(["a", 5, None, ["a"], {"a": 1}]),
    JsonEquals({"a": [1, "a", None, True, 1.5]}),
    JsonEquals("a", fenced=True),
    JsonPath("a[0]"),
    JsonPath('["answer"]', "a", fenced=True),
    ContainsJson(),
    ContainsJson({"a": [1, {"b": 2}]}),
    ContainsJson([1, [2], {}]),
    ContainsJson(schema=SCHEMA),
    MatchesSchema(SCHEMA, fenced=True),
    MatchesSchema(Answer),
    MatchesSchema(Model),
]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**400, 10**401)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "answer", "count"]) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=10,
)
# NUL cannot be stored, and is not read.
readable = json_values.filter(lambda value: "\\u0000" not in json.dumps(value))
any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
json_like = st.text(alphabet='[]{},:"\\u0a1eE+-.$%`\n nulltruefs', max_size=40)
number_like = st.text(alphabet="0123456789.,eE+-−$€%/:^_*() \u00a0\u202f½５万", max_size=25)  # noqa: RUF001  (on purpose)


@pytest.mark.parametrize("assertion", [*ON_TEXT, *ON_JSON], ids=repr)
@given(text=any_text | json_like | number_like)
def test_any_text(assertion, text):
    found = assertion.evaluate(text)
    assert found.passed or found.message
    assert 0 <= found.score <= 1
    assert Not(assertion).evaluate(text).passed is not found.passed


@pytest.mark.parametrize("assertion", ON_JSON, ids=repr)
@given(value=json_values)
def test_any_json(assertion, value):
    found = assertion.evaluate(value)
    assert found.passed or found.message
    written = json.dumps(value)
    for text in (written, f"Here:\n```json\n{written}\n```"):
        assertion.evaluate(text)
    if not isinstance(value, str) and not isinstance(assertion, OneOf):
        read = assertion.evaluate(written)
        assert (read.passed, read.score) == (found.passed, found.score)


@pytest.mark.parametrize("assertion", [CloseTo(5, 1, 0.1), NumberEquals(5, 1)], ids=repr)
@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-(10**50), 10**50))
def test_any_number(assertion, number):
    if number == number:  # noqa: PLR0124  (a decimal may be NaN)
        assert assertion.evaluate(number).passed is (4 <= number <= 6)


@given(st.integers() | st.decimals(-(10**30), 10**30, allow_nan=False).map(lambda number: abs(number).normalize()))
def test_a_written_number_is_read_as_it_is(number):
    assert NumberEquals(number).evaluate(f"17 is wrong, it is {number}.").passed


@given(readable)
def test_every_value_equals_and_contains_itself(value):
    assert difference(value, value) is None
    assert missing_part(value, value) is None
    assert JsonEquals(value).evaluate(json.dumps(value)).passed
    assert ContainsJson(value).evaluate(json.dumps(value)).passed


def _part(actual: Any, expected: Any) -> bool:
    """Say by trying everything whether one value is a part of another."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        return all(key in actual and _part(actual[key], value) for key, value in expected.items())
    if isinstance(actual, list) and isinstance(expected, list):
        if not expected:
            return True
        rest = expected[1:]
        return any(
            _part(one, expected[0]) and _part(actual[:index] + actual[index + 1 :], rest)
            for index, one in enumerate(actual)
        )
    return type(actual) is type(expected) and actual == expected


small = st.recursive(
    st.sampled_from([0, 1, True]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=7,
)


@given(small, small)
def test_a_part_is_found_exactly_where_trying_everything_finds_one(actual, expected):
    assert (missing_part(actual, expected) is None) is _part(actual, expected)


@given(json_like, json_values.filter(lambda value: isinstance(value, list | dict)), json_like)
def test_json_that_is_found_in_text_is_json_and_each_begins_after_the_one_before(before, value, after):
    text = before + json.dumps(value) + after
    last = 0
    for start, end in json_spans(text):
        assert start >= last
        assert text[start] in "[{"
        assert invalid_json(text[start:end]) is None
        last = end
    assert last > 0
