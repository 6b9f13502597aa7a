from __future__ import annotations

import contextlib
import pickle
import re
import subprocess
import sys
import warnings

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument, InvalidInput, PatternTimeout
from neuron_evals.core.patterns import MAX_PATTERN_LENGTH, MAX_TEXT_LENGTH, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("order-\\d+", "your order-42", True),
        ("/order-\\d+/", "your order-42", True),
        ("ORDER", "order", False),
        ("/ORDER/i", "order", True),
        ("/^b$/", "a\nb", False),
        ("/^b$/m", "a\nb", True),
        ("/a.b/", "a\nb", False),
        ("/a.b/s", "a\nb", True),
        ("/a b  # two letters/x", "ab", True),
        ("/^.$/u", "é", True),
        ("/^\\w$/", "é", True),
        ("/A.B/is", "a\nb", True),
        ("/A/ii", "a", True),
        ("/a/b/", "a/b", True),
        ("/a\\/b/", "a/b", True),
        ("a/b/", "a/b/", True),
        ("#a#i", "A", False),
        ("//", "", True),
        ("", "anything", True),
        ("x*", "", True),
        ("^end$", "end\n", True),
        (re.compile("order"), "ORDER", False),
        (re.compile("order", re.IGNORECASE), "ORDER", True),
        (re.compile("^b$", re.MULTILINE), "a\nb", True),
        (re.compile("a.b", re.DOTALL), "a\nb", True),
        (re.compile("a b", re.VERBOSE), "ab", True),
        (re.compile("^\\w$", re.ASCII), "é", False),
        (re.compile("^\\w$"), "é", True),
        (re.compile("/a/"), "a", False),
        (regex.compile("order", regex.IGNORECASE), "ORDER", True),
        (regex.compile("[a-z--b]", regex.VERSION1), "b", False),
    ],
)
def test_a_pattern_is_found_as_its_flags_say(pattern, text, found):
    assert compile_pattern(pattern).found_in(text) is found


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("/", "must end in / and flags from imsxu"),
        ("/abc", "must end in / and flags from imsxu"),
        ("/abc/q", "unknown flags 'q'; known flags are i, m, s, x, u"),
        ("/usr/bin", "unknown flags 'bn'"),
        ("/abc/I", "unknown flags 'I'"),
        ("/abc/ ", "unknown flags ' '"),
        ("order-(\\d+", "order-(\\d+ does not compile: missing )"),
        ("/order-(\\d+/i", "/order-(\\d+/i does not compile: missing )"),
        ("a**", "multiple repeat"),
        ("[z-a]", "bad character range"),
        ("\\p{Nonsense}", "unknown property"),
        ("(?V1)a", "VERSION"),
        ("(" * 400 + ")" * 400, "nested too deeply"),
        ("a" * (MAX_PATTERN_LENGTH + 1), "at most 1,000 characters, got 1,001"),
        (re.compile("a" * (MAX_PATTERN_LENGTH + 1)), "at most 1,000 characters"),
        (regex.compile("a" * (MAX_PATTERN_LENGTH + 1)), "at most 1,000 characters"),
        (b"abc", "got bytes"),
        (re.compile(b"abc"), "got bytes"),
        (regex.compile(b"abc"), "got bytes"),
        (5, "got int"),
        (None, "got NoneType"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_the_reason_on_one_line(pattern, said):
    with pytest.raises(InvalidArgument) as caught:
        compile_pattern(pattern)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_refused_pattern_with_line_breaks_is_shown_on_one_line():
    with pytest.raises(InvalidArgument, match=r"pattern \(a\\nb does not compile") as caught:
        compile_pattern("(a\nb")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "pattern",
    [
        "((a{1000}){1000}){1000}",
        "(?:(?:a|b){500,}){500}",
        "/(?: (?:ab) {1000} ) { 1000 }/x",
        "/(?:(?:ab) # comment\n{1000}){1000}/x",
        "(?x)((ab){10#\n00}){1000}",
        "((ab){1000}(?#comment)){1000}",
        "(?x)(((ab) # c\n{60}) # c\n{60}) # c\n{60}",
        "((((a{20}){20}){20}){20})",
        "a{" + "9" * 900 + "}",
    ],
)
def test_a_short_pattern_that_expands_to_a_huge_one_is_refused(pattern):
    with pytest.raises(InvalidArgument, match="repeats too much"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^.{1,5000}$", "a" * 5000),
        ("^\\w{1000}$", "a" * 1000),
        ("^(\\d{3}){2}-(\\w{4}){8}-([A-Z]{2}){10}$", "123456-" + "abcd" * 8 + "-" + "AB" * 10),
        ("^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$", "2001:db8:0:0:0:0:0:1"),
        ("^(?:(?:ab){0,1000}){0,1000}$", "ab" * 50),
        ("{x}{", "{x}{"),
    ],
)
def test_ordinary_repeats_are_accepted(pattern, text):
    assert compile_pattern(pattern).found_in(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(x|xx)+$", "x" * 40 + "y"),
        ("^(\\w|\\w\\w|\\s)+$", "word " * 30 + "!"),
        ("/^(A|AA)+$/i", "a" * 60 + "!"),
        (re.compile("(a|aa)+$"), "a" * 60 + "!"),
        (regex.compile("(a|aa)+$"), "a" * 60 + "!"),
    ],
)
def test_a_pattern_that_does_not_end_names_its_time_limit(pattern, text):
    with pytest.raises(PatternTimeout, match=r"ran into its time limit of 0\.1 s"):
        compile_pattern(pattern, time_limit=0.1).found_in(text)


def test_the_time_limit_is_half_a_second_unless_told_otherwise():
    with pytest.raises(PatternTimeout, match=r"\(x\|xx\)\+\$ ran into its time limit of 0\.5 s"):
        compile_pattern("(x|xx)+$").found_in("x" * 40 + "y")


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^(a+)+$", "a" * 40 + "!", False),
        ("^(a+)+$", "a" * MAX_TEXT_LENGTH, True),
        ("(x+x+)+y", "x" * 40, False),
        ("(x+x+)+y", "x" * (MAX_TEXT_LENGTH - 1) + "y", True),
        ("^(\\w+\\s?)*$", "word " * 30 + "!", False),
        ("(.*)(.*)(.*)(.*)x$", "a" * MAX_TEXT_LENGTH, False),
        ("(a|b|ab)*c", "ab" * (MAX_TEXT_LENGTH // 2), False),
        ("(?=(a+))*b", "a" * 3000, False),
        ("(?:abc){e<=50}z", "a" * 5000, False),
    ],
)
def test_known_evil_patterns_end_with_the_right_verdict_or_the_time_limit(pattern, text, found):
    with contextlib.suppress(PatternTimeout):
        assert compile_pattern(pattern, time_limit=0.1).found_in(text) is found


def test_a_text_of_the_largest_length_is_searched_and_a_longer_one_refused():
    pattern = compile_pattern("b$")
    assert pattern.found_in("a" * (MAX_TEXT_LENGTH - 1) + "b")
    with pytest.raises(InvalidInput, match=r"at most 100,000 characters, the text has 100,001"):
        pattern.found_in("a" * MAX_TEXT_LENGTH + "b")


def test_a_pattern_that_python_warns_about_compiles_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compile_pattern("[[a]+").found_in("[a")
        assert not compile_pattern("[a||b]").found_in("c")


def test_a_compiled_pattern_can_be_sent_to_another_process():
    copy = pickle.loads(pickle.dumps(compile_pattern("/ORDER/i")))  # noqa: S301  (what this test wrote)
    assert copy.found_in("order")


def test_the_engine_is_imported_only_when_a_pattern_is_compiled():
    code = (
        "import sys, neuron_evals.core.assertions.registry; "
        "print(*{'regex', 'rapidfuzz', 'numpy', 'django'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


@given(st.text(max_size=60))
@example("\\L<words>")
@example("(?<a>x)(?<a>y)(?&a)")
@example("(?(1)a|b)")
@example("(?:a){e<=5}")
def test_any_text_is_a_pattern_or_refused(pattern):
    with contextlib.suppress(InvalidArgument):
        assert compile_pattern(pattern, time_limit=0.1).found_in("some text\n") in {True, False}


_ORDINARY = st.text(alphabet="ab.*?|()[]^${}0129,\\dws- \n", max_size=20)


@given(_ORDINARY, st.text(alphabet="ab01 -\n", max_size=12))
def test_a_pattern_that_both_engines_accept_gives_the_same_verdict(pattern, text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = re.search(pattern, text) is not None
        compiled = compile_pattern(pattern)
    except (re.error, InvalidArgument, FutureWarning):
        return
    assert compiled.found_in(text) is expected
