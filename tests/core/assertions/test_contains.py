from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import Not, NotContains, StringContains, StringContainsAll, StringContainsAny
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput


@pytest.mark.parametrize(
    ("assertion", "text", "message"),
    [
        (StringContains("9"), "at ten", '"at ten" does not contain "9"'),
        (
            StringContainsAll(["ten", "nine", "six"]),
            "at ten",
            '"at ten" does not contain "nine", "six"',
        ),
        (StringContainsAny(["nine", "six"]), "at ten", '"at ten" contains none of "nine", "six"'),
        (StringContainsAny([]), "at ten", '"at ten" contains none of '),
        (NotContains("TEN"), "at ten", '"at ten" contains "TEN", and it should not'),
        (NotContains(""), "at ten", '"at ten" contains "", and it should not'),
    ],
)
def test_a_failure_says_what_was_said_and_what_was_looked_for(assertion, text, message):
    result = assertion.evaluate(text)
    assert (result.passed, result.score, result.message) == (False, 0.0, message)


@pytest.mark.parametrize(
    ("keyword", "text", "passed"),
    [("red", "blue", True), ("red", "a RED car", False), ("ß", "STRASSE", False), ("red", "", True)],
)
def test_not_contains_passes_when_the_keyword_is_absent_in_any_letter_case(keyword, text, passed):
    assert NotContains(keyword).evaluate(text).passed is passed
    assert Not(StringContains(keyword)).evaluate(text).passed is passed


@pytest.mark.parametrize(
    ("keyword", "text", "clause"),
    [
        ("com.acme:core", "use com.acme:\u200bcore", "invisible characters: U+200B ZERO WIDTH SPACE"),
        ("com.acme:core", "use com.acme:\u00adCORE", "invisible characters: U+00AD SOFT HYPHEN"),
        ("price", "pr\u2060ice and p\ufeffrice", "U+2060 WORD JOINER, U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        ("pri\u200bce", "price", "invisible characters: U+200B ZERO WIDTH SPACE"),
        ("done", "do\x00ne", "invisible characters: U+0000 CONTROL"),
        ("café", "un cafe\u0301", "Unicode form"),
        ("cafe\u0301", "un CAFÉ", "Unicode form"),
        ("10 km", "10\u00a0km", "compatibility characters"),
        ("42", "４２", "compatibility characters"),  # noqa: RUF001  (full-width digits are the case)
    ],
)
def test_a_difference_that_nobody_sees_is_named(keyword, text, clause):
    result = StringContains(keyword).evaluate(text)
    assert not result.passed
    assert "; they differ only in " in result.message
    assert clause in result.message


def test_a_hidden_character_is_shown_as_an_escape_where_it_stands():
    message = StringContains("com.acme:core").evaluate("use com.acme:\u200bcore").message
    assert message.startswith('"use com.acme:<U+200B>core" does not contain "com.acme:core"')
    assert "\u200b" not in message


@pytest.mark.parametrize("assertion", [StringContainsAll(["use", "a:b"]), StringContainsAny(["x", "a:b"])])
def test_the_keyword_that_nobody_sees_missing_is_named_among_several(assertion):
    message = assertion.evaluate("use a:\u200bb").message
    assert message.endswith('; "a:b" differs only in invisible characters: U+200B ZERO WIDTH SPACE')


@pytest.mark.parametrize(("keyword", "text"), [("\u200b", "plain"), ("nine", "ten\u200b"), ("é", "a\u0308")])
def test_a_real_difference_gets_no_such_clause(keyword, text):
    assert "differ only" not in StringContains(keyword).evaluate(text).message


def test_many_hidden_characters_are_counted():
    message = StringContains("ab").evaluate("a\u200b\u200c\u200d\u2060\u2061\u2062\u2063b").message
    assert message.endswith("U+2061 FUNCTION APPLICATION, and 2 more")


def test_a_long_text_is_shown_in_part_and_says_so():
    message = StringContains("needle").evaluate("hay" * 10_000).message
    assert "… (the first 1,000 of 30,000 characters) does not contain" in message
    assert len(message) < 1_200


def test_line_breaks_are_escaped_so_that_a_reason_is_one_line():
    message = StringContains("x").evaluate("a\nb\tc\r\x1b[31m\u2028").message
    assert message == '"a\\nb\\tc\\r<U+001B>[31m<U+2028>" does not contain "x"'


@pytest.mark.parametrize("cls", [StringContains, NotContains])
@pytest.mark.parametrize("keyword", [None, 9, b"9", ["9"], True])
def test_a_keyword_that_is_no_text_is_refused(cls, keyword):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}: keyword must be text, got {type(keyword).__name__}"):
        cls(keyword)


@pytest.mark.parametrize("cls", [StringContainsAll, StringContainsAny])
@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ("abc", r"keywords must be a list of texts, got one text; write \['abc'\]"),
        (["a", 5], r"keywords\[1\] must be text, got int"),
        ([None], r"keywords\[0\] must be text, got NoneType"),
        (b"abc", r"keywords\[0\] must be text, got int"),
        ({"a": 1}, "keywords must be a list of texts, got dict"),
        (5, "keywords must be a list of texts, got int"),
        (None, "keywords must be a list of texts, got NoneType"),
    ],
)
def test_keywords_that_are_no_list_of_texts_are_refused(cls, keywords, said):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}: {said}"):
        cls(keywords)


def test_keywords_are_kept_as_a_tuple_so_that_later_changes_do_not_reach_them():
    keywords = ["a"]
    assertion = StringContainsAll(keywords)
    keywords.append("b")
    assert assertion.keywords == ("a",)
    assert assertion == StringContainsAll(["a"])
    assert hash(assertion) == hash(StringContainsAll(("a",)))


def test_a_wrong_input_type_names_the_assertion_and_the_type():
    with pytest.raises(InvalidInput, match=r"neuron_evals\.core\.assertions\.contains\.StringContains .* got dict"):
        StringContains("x").evaluate({})


@pytest.mark.parametrize(
    ("assertion", "vacuous"),
    [
        (StringContains(""), True),
        (StringContains(" "), False),
        (StringContainsAll([]), True),
        (StringContainsAll(["", ""]), True),
        (StringContainsAll(["", "a"]), False),
        (StringContainsAny([]), True),
        (StringContainsAny(["a", ""]), True),
        (StringContainsAny(["a"]), False),
        (NotContains(""), True),
        (NotContains("a"), False),
    ],
)
def test_an_assertion_that_says_nothing_is_vacuous(assertion, vacuous):
    assert assertion.vacuous is vacuous


@pytest.mark.parametrize(
    ("assertion", "text", "message"),
    [
        (StringContains("red"), "a red car", '"a red car" contains "red", and it should not'),
        (StringContainsAll(["a", "red"]), "a red car", '"a red car" contains all of "a", "red", and it should not'),
        (StringContainsAny(["blue", "red"]), "a red car", '"a red car" contains "red", and it should not'),
        (NotContains("blue"), "a red car", '"a red car" does not contain "blue", and it should'),
    ],
)
def test_negated_the_reason_says_what_was_found(assertion, text, message):
    assert Not(assertion).evaluate(text).message == message


@given(st.text(), st.text(), st.text())
def test_a_text_contains_its_parts_in_any_folded_case(before, keyword, after):
    text = before + keyword + after
    assert StringContains(keyword).evaluate(text).passed
    assert StringContains(keyword.casefold()).evaluate(text).passed
    assert StringContains(keyword).evaluate(text.casefold()).passed


@given(st.text(), st.text())
def test_no_text_makes_a_check_raise_and_the_two_opposites_differ(keyword, text):
    result = StringContains(keyword).evaluate(text)
    assert result.passed is not NotContains(keyword).evaluate(text).passed
    assert bool(result.message) is not result.passed
    assert StringContainsAll([keyword]).evaluate(text).passed is result.passed
    assert StringContainsAny([keyword]).evaluate(text).passed is result.passed
