from __future__ import annotations

import re

import pytest
import regex

from neuron_evals.core.assertions import MatchesRegex, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput, PatternTimeout


@pytest.mark.parametrize(
    ("pattern", "passed"), [("BEGIN.*END", False), ("/BEGIN.*END/s", True), ("/begin.*end/is", True)]
)
def test_flags_decide_over_several_lines(pattern, passed):
    assert MatchesRegex(pattern).evaluate("BEGIN\nx\nEND").passed is passed


@pytest.mark.parametrize("flags", ["q", "g", "iq"])
def test_an_unknown_flag_is_refused_with_the_known_ones(flags):
    with pytest.raises(InvalidArgument, match=rf"MatchesRegex: .*unknown flags '{flags[-1]}'.*i, m, s, x, u"):
        MatchesRegex(f"/BEGIN/{flags}")


def test_a_pattern_that_does_not_compile_is_refused_when_the_assertion_is_built():
    with pytest.raises(InvalidArgument, match=r"MatchesRegex: pattern /order-\(\\d\+/ does not compile: missing \)"):
        MatchesRegex("/order-(\\d+/")


@pytest.mark.parametrize("pattern", ["/^ANSWER: [AB]$/m", re.compile("^ANSWER: [AB]$", re.MULTILINE)])
def test_an_answer_that_is_not_there_fails_and_is_no_error(pattern):
    result = MatchesRegex(pattern).evaluate("I am not sure.")
    assert (result.passed, result.score) == (False, 0.0)
    assert result.message.startswith('"I am not sure." does not match ')
    assert "^ANSWER: [AB]$" in result.message


@pytest.mark.parametrize(
    ("pattern", "text"), [("(x|xx)+$", "x" * 40 + "y"), ("^(\\w|\\w\\w|\\s)+$", "word " * 30 + "!")]
)
def test_a_search_that_does_not_end_is_an_error_by_its_time_limit(pattern, text):
    with pytest.raises(PatternTimeout, match=r"time limit of 0\.5 s"):
        MatchesRegex(pattern).evaluate(text)


def test_a_text_above_the_limit_is_an_error():
    with pytest.raises(InvalidInput, match="at most 100,000 characters"):
        MatchesRegex("x").evaluate("x" * 100_001)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "//",
        "//i",
        re.compile(""),
        regex.compile(""),
        "x*",
        ".*",
        "^",
        "^.*",
        "x|",
        "(?:a|b?)*",
        "(?i)x{0,3}",
        "/ # x\n/x",
    ],
)
def test_a_pattern_that_is_found_in_every_text_is_vacuous(pattern):
    assert MatchesRegex(pattern).vacuous
    assert all(MatchesRegex(pattern).evaluate(text).passed for text in ("", "ab", "\n", "7 é"))


@pytest.mark.parametrize(
    "pattern",
    [
        "x",
        "x+",
        "^$",
        "a*$",
        "^(?!.*error)",
        "(?=x)|y*$",
        r"\b|\B",
        r"x*\Z",
        "(?>a*)^",
        "a*+^",
        "(?r)^a*",
        regex.compile("^a*", regex.REVERSE),
        "(?:cat){e<=3}",
        r"\$*",
    ],
)
def test_a_pattern_that_may_look_at_the_text_is_not_vacuous(pattern):
    assert not MatchesRegex(pattern).vacuous


def test_negated_the_reason_says_what_was_found():
    assert Not(MatchesRegex("/R.D/i")).evaluate("a red car").message == '"a red car" matches /R.D/i, and it should not'


def test_two_assertions_with_the_same_pattern_are_equal_and_show_it_alone():
    assert MatchesRegex("/a/i") == MatchesRegex("/a/i")
    assert MatchesRegex("/a/i") != MatchesRegex("/a/")
    assert repr(MatchesRegex("/a/i")) == "MatchesRegex(regex='/a/i')"
