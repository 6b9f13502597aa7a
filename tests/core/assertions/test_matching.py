from __future__ import annotations

import pytest

from neuron_evals.core.assertions import ExactMatch, FuzzyMatch, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput


@pytest.mark.parametrize(
    ("assertion", "text", "passed"),
    [
        (ExactMatch("4"), "\u00a04\u2003", True),
        (ExactMatch("a b"), "a  b", False),
        (ExactMatch("a b", normalize=True), "a\u00a0\n b", True),
        (ExactMatch("a", trim=False, normalize=True), " a ", True),
        (ExactMatch("", trim=False), "", True),
        (ExactMatch(""), " \n", True),
        (ExactMatch("straße", case_insensitive=True), "STRASSE", False),
        (ExactMatch("ΟΔΟΣ", case_insensitive=True), "οδοσ", True),
        (ExactMatch("café"), "cafe\u0301", False),
        (ExactMatch(42.0), "42.0", True),
        (ExactMatch(True), "true", True),
        (ExactMatch(False), "false", True),
        (ExactMatch(-0.5), "-0.5", True),
    ],
)
def test_exact_match_takes_away_only_what_its_options_say(assertion, text, passed):
    result = assertion.evaluate(text)
    assert (result.passed, result.score) == (passed, float(passed))


@pytest.mark.parametrize(
    ("assertion", "text", "message"),
    [
        (ExactMatch(" Paris"), "Rome\n", '"Rome\\n" is not " Paris"'),
        (
            ExactMatch("yes"),
            "yes\u200b",
            '"yes<U+200B>" is not "yes"; they differ only in invisible characters: U+200B ZERO WIDTH SPACE',
        ),
        (Not(ExactMatch("yes")), " yes", '" yes" is "yes", and it should not be'),
        (
            FuzzyMatch("abcdefgh", 0.9),
            "abxxxxxx",
            '"abxxxxxx" is similar to "abcdefgh" by 0.5000, below the threshold 0.9',
        ),
        (Not(FuzzyMatch("paris")), "parys", '"parys" is similar to "paris", and it should not be'),
    ],
)
def test_a_failure_says_both_texts(assertion, text, message):
    assert assertion.evaluate(text).message == message


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("a", "a", 1.0),
        ("42", "42", 1.0),
        ("a", "b", 0.0),
        ("abc", "xyz", 0.0),
        ("", "", 1.0),
        (" \n", "", 1.0),
        ("", "a", 0.0),
        ("color", "colour", 0.966667),
        ("DIXON", "DICKSONX", 0.813333),
        ("DWAYNE", "DUANE", 0.84),
        ("CRATE", "TRACE", 0.733333),
        ("abcdwxyz", "abcdmnop", 0.666667),
        ("42", "24", 0.0),
        ("150", "15", 0.911111),
    ],
)
def test_fuzzy_match_scores_by_jaro_winkler_the_same_both_ways(one, other, score):
    for text, expected in ((one, other), (other, one)):
        result = FuzzyMatch(expected, 0).evaluate(text)
        assert result.passed
        assert result.score == pytest.approx(score, abs=1e-6)


def test_a_similarity_equal_to_the_threshold_passes():
    score = FuzzyMatch("DWAYNE", 0).evaluate("DUANE").score or 0.0
    assert score > 0
    assert FuzzyMatch("DWAYNE", score).evaluate("DUANE").passed


@pytest.mark.parametrize("expected", [None, [], ["a"], {}, {"a": 1}, b"a", float("nan"), float("inf")])
@pytest.mark.parametrize("cls", [ExactMatch, FuzzyMatch])
def test_what_has_no_one_text_is_refused(cls, expected):
    with pytest.raises(InvalidArgument, match=f"^{cls.__name__}: expected must be text, a finite number"):
        cls(expected)


def test_an_integer_that_python_cannot_write_is_refused():
    with pytest.raises(InvalidArgument, match="expected must be text, a finite number"):
        ExactMatch(10**5_000)


@pytest.mark.parametrize(
    ("cls", "options", "said"),
    [
        (ExactMatch, {"trim": 1}, "trim must be True or False, got int"),
        (ExactMatch, {"case_insensitive": None}, "case_insensitive must be True or False, got NoneType"),
        (ExactMatch, {"normalize": "yes"}, "normalize must be True or False, got str"),
        (FuzzyMatch, {"threshold": 80}, "threshold must be a number from 0 to 1"),
        (FuzzyMatch, {"threshold": True}, "threshold must be a number from 0 to 1"),
        (FuzzyMatch, {"normalize": 0}, "normalize must be True or False, got int"),
        (FuzzyMatch, {"case_insensitive": 0}, "case_insensitive must be True or False, got int"),
    ],
)
def test_options_of_another_kind_are_refused(cls, options, said):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}: {said}"):
        cls("a", **options)


def test_fuzzy_match_compares_texts_up_to_its_limit_and_says_when_one_is_longer():
    longest = "a" * 20_000
    assert FuzzyMatch(longest).evaluate(longest).passed
    with pytest.raises(InvalidArgument, match=r"expected must have at most 20,000 characters, got 20,001"):
        FuzzyMatch(longest + "a")
    with pytest.raises(InvalidInput, match=r"compares texts of at most 20,000 characters, got 20,001"):
        FuzzyMatch(longest).evaluate(longest + "a")


@pytest.mark.parametrize(
    ("assertion", "vacuous"), [(FuzzyMatch("a", 0), True), (FuzzyMatch("a", 0.1), False), (ExactMatch(""), False)]
)
def test_only_a_threshold_of_0_passes_everything(assertion, vacuous):
    assert assertion.vacuous is vacuous
