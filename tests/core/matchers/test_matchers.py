from __future__ import annotations

import re

import pytest

from neuron_evals import matchers
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.matchers import AnyValue, IsA, Number, OneOf, Subset, TextContains, TextMatches


@pytest.mark.parametrize(
    ("matcher", "fitting", "others"),
    [
        (AnyValue(), [None, 0, "", {}], []),
        (IsA("text"), ["", "x"], [1, None, True, ["x"]]),
        (IsA("integer"), [0, -3], [1.0, True, "1", None]),
        (IsA("number"), [0, 1.5], [True, "1", None]),
        (IsA("boolean"), [True, False], [0, 1, "true", None]),
        (IsA("array"), [[], [1]], [{}, "x", None]),
        (IsA("object"), [{}, {"a": 1}], [[], "x", None]),
        (IsA("null"), [None], [0, "", False]),
        (Number(10), [10, 10.0], [10.1, "10", None, True]),
        (Number(1), [1, 1.0], [True, "1"]),
        (Number(0.5, tolerance=0.25), [0.25, 0.5, 0.75], [0.2, 0.8, float("nan"), float("inf"), 10**400]),
        (Number(2**60), [2**60, 2.0**60], [2**60 + 1, 10**400]),
        (OneOf(1, "a", None), [1, "a", None], [1.0, True, "A", 0]),
        (OneOf(Number(1), {"a": IsA("text")}), [1, 1.0, {"a": "x"}], [True, {"a": 1}, {"a": "x", "b": 1}]),
        (Subset({"a": {"b": 1}}), [{"a": {"b": 1, "c": 2}, "d": 3}], [{"a": {"c": 2}}, {}, None, [("a", 1)]]),
        (TextContains("straße"), ["Hauptstrasse 1", "STRASSE"], ["Weg", 1, None]),
        (TextMatches(r"^#\d+$"), ["#12"], ["12", "x #12", 12, None]),
        (TextMatches("/^ABC/i"), ["abcd"], ["xabc"]),
        (TextMatches(re.compile("b$")), ["ab"], ["ba"]),
    ],
)
def test_a_matcher_takes_what_it_says_and_nothing_else(matcher, fitting, others):
    assert [value for value in fitting if not matcher(value)] == []
    assert [value for value in others if matcher(value)] == []


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (
            lambda: IsA("string"),
            "IsA: type is one of text, integer, number, boolean, array, object, null, got 'string'",
        ),
        (lambda: Number(float("nan")), "Number: value must be a finite number, got nan"),
        (lambda: Number(True), "Number: value must be a finite number, got True"),
        (lambda: Number("1"), "Number: value must be a finite number, got '1'"),  # type: ignore[arg-type]
        (lambda: Number(1, -1), "Number: tolerance must be a finite number of 0 or more, got -1"),
        (lambda: Number(10**400), f"Number: value must be a finite number, got 1{'0' * 400}"),
        (OneOf, "OneOf: at least one option is needed"),
        (lambda: OneOf(str), "OneOf: options['0'] is the type str; write IsA(...) of neuron_evals.matchers"),
        (lambda: Subset([1]), "Subset: keys must be a mapping, got list"),  # type: ignore[arg-type]
        (lambda: TextContains(""), "TextContains: text must be text that is not empty, got ''"),
        (lambda: TextContains(1), "TextContains: text must be text that is not empty, got 1"),  # type: ignore[arg-type]
    ],
)
def test_an_option_that_cannot_mean_anything_is_refused(build, problem):
    with pytest.raises(InvalidArgument) as caught:
        build()
    assert str(caught.value) == problem


def test_a_pattern_is_compiled_when_the_matcher_is_built_and_searches_within_its_limits():
    with pytest.raises(InvalidArgument, match="does not compile"):
        TextMatches("(")
    with pytest.raises(InvalidInput, match="at most 100,000 characters"):
        TextMatches("a")("a" * 100_001)


def test_matchers_say_what_they_are():
    assert repr(OneOf(1, IsA("text"))) == "OneOf(options=(1, IsA(type='text')))"
    assert Number(1) == Number(1)
    assert hash(TextMatches("a")) == hash(TextMatches("a"))


def test_the_public_module_has_the_matchers():
    assert matchers.__all__ == sorted(matchers.__all__)
    assert all(getattr(matchers, name).__module__.startswith("neuron_evals.core.matchers") for name in matchers.__all__)
