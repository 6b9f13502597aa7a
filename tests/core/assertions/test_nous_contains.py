from __future__ import annotations

import pytest

from neuron_evals.core.assertions import Contains, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput, PatternTimeout


@pytest.mark.parametrize(
    ("expected", "text", "score", "context"),
    [
        ("b", "abc", 1.0, {"mode": "contains", "matched": ["b"], "missing": []}),
        (["a", "x", "a", "y"], "abc", 0.5, {"mode": "contains", "matched": ["a", "a"], "missing": ["x", "y"]}),
        (("A",), "abc", 1.0, {"mode": "contains", "matched": ["A"], "missing": []}),
        ({"contains_any": ["x", "b"]}, "abc", 1.0, {"mode": "contains_any", "matched": ["b"], "missing": ["x"]}),
        ({"contains_any": ["x", "y"]}, "abc", 0.0, {"mode": "contains_any", "matched": [], "missing": ["x", "y"]}),
        ({"regex": ["^A", "[0-9]"]}, "abc", 0.5, {"mode": "regex", "matched": ["^A"], "missing": ["[0-9]"]}),
        ({"regex": ["/^b$/m"]}, "a\nB", 1.0, {"mode": "regex", "matched": ["/^b$/m"], "missing": []}),
        ({"regex": ["\\u0061"]}, "abc", 1.0, {"mode": "regex", "matched": ["\\u0061"], "missing": []}),
        (["ΔΟΣ"], "ΟΔΟΣΑ", 1.0, {"mode": "contains", "matched": ["ΔΟΣ"], "missing": []}),
        (["strasse"], "STRAßE", 0.0, {"mode": "contains", "matched": [], "missing": ["strasse"]}),
    ],
)
def test_the_score_and_the_details_say_what_was_found(expected, text, score, context):
    result = Contains(expected).evaluate(text)
    assert (result.passed, result.score) == (score == 1.0, score)
    assert result.context == context


@pytest.mark.parametrize(
    ("assertion", "text", "message"),
    [
        (Contains(["a", "x", "y"]), "abc", '"abc" does not contain "x", "y"'),
        (Contains({"contains_any": ["x", "y"]}), "abc", '"abc" contains none of "x", "y"'),
        (Contains({"contains_any": []}), "abc", '"abc" contains none of nothing'),
        (Contains({"regex": ["^b"]}), "abc", '"abc" does not match "^b"'),
        (Not(Contains("b")), "abc", '"abc" contains "b", and it should not'),
        (Not(Contains({"regex": ["^a"]})), "abc", '"abc" matches "^a", and it should not'),
        (Not(Contains(["B"], case_insensitive=False)), "aB", '"aB" contains "B", and it should not'),
    ],
)
def test_a_failure_says_what_was_looked_for(assertion, text, message):
    assert assertion.evaluate(text).message == message


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (None, "expected must be a list of texts, got NoneType"),
        (42, "expected must be a list of texts, got int"),
        ([42], r"expected\[0\] must be text, got int"),
        ({}, "has one of the keys contains, contains_any, regex; got none"),
        ({"contain": ["a"]}, 'got "contain"'),
        ({"contains": ["a"], "contain_any": ["b"]}, 'got "contain_any"'),
        ({"contains": "a"}, r"expected\['contains'\] must be a list of texts, got one text; write \['a'\]"),
        ({"contains_any": [None]}, r"expected\['contains_any'\]\[0\] must be text, got NoneType"),
        ({"regex": ["("]}, r"pattern \( does not compile"),
        ({"regex": ["/a"]}, "begins with / and must end in /"),
    ],
)
def test_an_expectation_that_could_mean_nothing_is_refused(expected, said):
    with pytest.raises(InvalidArgument, match=f"^Contains: .*{said}"):
        Contains(expected)


def test_an_option_of_another_kind_is_refused():
    with pytest.raises(InvalidArgument, match="case_insensitive must be True or False, got int"):
        Contains("a", case_insensitive=1)  # type: ignore[arg-type]  # (that is the point)


@pytest.mark.parametrize(
    ("expected", "vacuous", "passed"),
    [
        ("", True, True),
        ([], True, True),
        ([""], True, True),
        (["", "a"], False, False),
        ({"contains_any": []}, True, False),
        ({"contains_any": ["", "a"]}, True, True),
        ({"regex": []}, True, True),
        ({"regex": [""]}, True, True),
        ({"regex": ["a"]}, False, False),
        ({"regex": [".*", "a|"]}, True, True),
        ({"regex": [".*", "a"]}, False, False),
    ],
)
def test_what_every_text_meets_or_none_can_is_vacuous(expected, vacuous, passed):
    assertion = Contains(expected)
    assert (assertion.vacuous, assertion.evaluate("xyz").passed) == (vacuous, passed)


def test_a_pattern_without_end_is_an_error_and_no_failure():
    assertion = Contains({"regex": ["(a|aa)+$"]})
    with pytest.raises(PatternTimeout):
        assertion.evaluate("a" * 60 + "b")
    with pytest.raises(InvalidInput):
        assertion.evaluate("a" * 100_001)


def test_a_pattern_keeps_its_case_only_when_asked():
    assert Contains({"regex": ["^hello$"]}).evaluate("HELLO").passed
    assert not Contains({"regex": ["^hello$"]}, case_insensitive=False).evaluate("HELLO").passed
    assert Contains({"regex": ["/^hello$/i"]}, case_insensitive=False).evaluate("HELLO").passed
