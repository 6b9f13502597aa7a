from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import Not, StringEndsWith, StringLengthBetween, StringStartsWith
from neuron_evals.core.exceptions import InvalidArgument


@pytest.mark.parametrize(
    ("assertion", "text", "message"),
    [
        (StringStartsWith("Dear"), "dear all", 'the text does not start with "Dear"'),
        (StringEndsWith("."), "the end", 'the text does not end with "."'),
        (StringStartsWith("a:b"), "a:\u200bb", "invisible characters: U+200B ZERO WIDTH SPACE"),
        (StringEndsWith("é"), "cafe\u0301", "Unicode form"),
    ],
)
def test_a_failure_says_what_was_looked_for(assertion, text, message):
    result = assertion.evaluate(text)
    assert (result.passed, result.score) == (False, 0.0)
    assert message in result.message


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("café", True),
        ("cafe\u0301", False),
        ("\U0001f44d" * 4, True),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", False),
    ],
)
def test_length_is_counted_in_code_points(text, passed):
    result = StringLengthBetween(0, 4).evaluate(text)
    assert result.passed is passed
    if not passed:
        assert result.message == "the length is 5 code points, which is not between 0 and 4"


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ((5, 4), "min must not be above max, got min=5 and max=4"),
        ((-1, 4), "min must be 0 or more, got -1"),
        ((0, -4), "max must be 0 or more, got -4"),
        ((0.0, 4), "min must be a whole number, got float"),
        ((0, None), "max must be a whole number, got NoneType"),
        ((False, 4), "min must be a whole number, got bool"),
        (("0", 4), "min must be a whole number, got str"),
    ],
)
def test_impossible_bounds_are_refused(bounds, said):
    with pytest.raises(InvalidArgument, match=f"StringLengthBetween: {said}"):
        StringLengthBetween(*bounds)


@pytest.mark.parametrize(("cls", "role"), [(StringStartsWith, "prefix"), (StringEndsWith, "suffix")])
@pytest.mark.parametrize("value", [None, 5, b"x", ["x"]])
def test_an_affix_that_is_no_text_is_refused(cls, role, value):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}: {role} must be text, got {type(value).__name__}"):
        cls(value)


@pytest.mark.parametrize("cls", [StringStartsWith, StringEndsWith])
def test_an_empty_affix_is_vacuous(cls):
    assert cls("").vacuous
    assert not cls("x").vacuous


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        (StringStartsWith("a"), '"abc" starts with "a", and it should not'),
        (StringEndsWith("c"), '"abc" ends with "c", and it should not'),
        (StringLengthBetween(1, 3), "the length is 3 code points, which should not be between 1 and 3"),
    ],
)
def test_negated_the_reason_says_what_was_found(assertion, message):
    assert Not(assertion).evaluate("abc").message == message


@given(st.text(), st.text())
def test_a_text_starts_with_its_beginning_and_ends_with_its_end(first, last):
    assert StringStartsWith(first).evaluate(first + last).passed
    assert StringEndsWith(last).evaluate(first + last).passed
    assert StringStartsWith(first).evaluate(last).passed is last.startswith(first)
    assert StringLengthBetween(len(first), len(first)).evaluate(first).passed
