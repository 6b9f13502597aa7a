from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import StringDistance
from neuron_evals.core.exceptions import InvalidArgument


@pytest.mark.parametrize(
    ("reference", "text", "max_distance", "score"),
    [
        ("café", "cafe", 10, 0.9),
        ("日本語", "日本誤", 10, 0.9),
        ("\U0001f44d", "\U0001f44e", 2, 0.5),
        ("e\u0301", "e", 10, 0.9),
        ("ABC", "abc", 10, 0.7),
        ("", "", 0, 1.0),
        ("", "", 50, 1.0),
    ],
)
def test_distance_is_counted_in_code_points_and_in_letter_case(reference, text, max_distance, score):
    result = StringDistance(reference, 0.0, max_distance).evaluate(text)
    assert result.passed
    assert result.score == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(("edits", "max_distance"), [(9, 10), (7, 10), (2, 3), (49, 50)])
def test_a_score_equal_to_the_threshold_passes(edits, max_distance):
    threshold = (max_distance - edits) / max_distance
    assert StringDistance("", threshold, max_distance).evaluate("x" * edits).passed


@pytest.mark.parametrize(
    ("assertion", "text", "score", "message"),
    [
        (
            StringDistance("hello world", 0.8, 10),
            "goodbye world",
            0.3,
            'the distance of "goodbye world" and "hello world" is 7 (max_distance 10), which scores 0.3, '
            "below the threshold 0.8",
        ),
        (StringDistance("abc", 0.0, 2), "xyz", 0.0, 'the distance of "xyz" and "abc" is above max_distance 2'),
        (StringDistance("a", 0.0, 0), "b", 0.0, 'the distance of "b" and "a" is above max_distance 0'),
        (
            StringDistance("abcd", 0.8, normalized=True),
            "abxx",
            0.5,
            'the distance of "abxx" and "abcd" is 2 (length 4), which scores 0.5, below the threshold 0.8',
        ),
    ],
)
def test_a_failure_keeps_its_score_and_says_the_distance(assertion, text, score, message):
    result = assertion.evaluate(text)
    assert not result.passed
    assert result.score == pytest.approx(score, abs=1e-9)
    assert result.message == message


@pytest.mark.parametrize(
    ("reference", "text", "score"),
    [
        ("", "", 1.0),
        ("abcd", "", 0.0),
        ("", "abcd", 0.0),
        ("abcd", "abcx", 0.75),
        ("report", "", 0.0),
        ("", "abc", 0.0),
        ("a" * 200, "a" * 100, 0.5),
    ],
)
def test_normalized_the_score_depends_on_the_longer_text_and_not_on_max_distance(reference, text, score):
    result = StringDistance(reference, 0.0, max_distance=0, normalized=True).evaluate(text)
    assert result.passed
    assert result.score == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"reference": None}, "reference must be text, got NoneType"),
        ({"reference": "r", "threshold": float("nan")}, "threshold must be a number from 0 to 1"),
        ({"reference": "r", "threshold": 1.5}, "threshold must be a number from 0 to 1"),
        ({"reference": "r", "threshold": "0.5"}, "threshold must be a number from 0 to 1"),
        ({"reference": "r", "threshold": True}, "threshold must be a number from 0 to 1"),
        ({"reference": "r", "max_distance": -1}, "max_distance must be 0 or more, got -1"),
        ({"reference": "r", "max_distance": 1.5}, "max_distance must be a whole number, got float"),
        ({"reference": "r", "normalized": 1}, "normalized must be True or False, got int"),
    ],
)
def test_options_out_of_range_are_refused(options, said):
    with pytest.raises(InvalidArgument, match=f"StringDistance: {said}"):
        StringDistance(**options)


@pytest.mark.parametrize(
    ("assertion", "vacuous"),
    [
        (StringDistance("r", 0.0, normalized=True), True),
        (StringDistance("r", 0.1, normalized=True), False),
        (StringDistance("r", 0.0), False),
        (StringDistance(""), False),
    ],
)
def test_only_a_normalized_distance_without_threshold_passes_everything(assertion, vacuous):
    assert assertion.vacuous is vacuous


def test_long_texts_that_differ_are_compared_up_to_max_distance():
    assert not StringDistance("a" * 200_000).evaluate("b" * 200_000).passed
    assert StringDistance("a" * 200_000).evaluate("a" * 199_990 + "b" * 10).score == pytest.approx(0.8)


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, 40), st.booleans())
def test_the_score_is_from_0_to_1_the_same_both_ways_and_1_for_equal_texts(one, other, max_distance, normalized):
    def score(reference, text):
        return StringDistance(reference, 0.0, max_distance, normalized).evaluate(text).score

    assert 0.0 <= score(one, other) <= 1.0
    assert score(one, other) == score(other, one)
    assert score(one, one) == 1.0
