from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import IsValidJson, Not


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0.0e-0",
        "1E+5",
        "1e999",
        "1" * 5_000,
        "-" + "9" * 5_000 + "." + "9" * 5_000,
        '"\\ud83d\\ude00"',
        '"\\uD83D\\uDE00 \\u0000 \\b\\f\\n\\r\\t\\"\\\\\\/"',
        '"\x7f\u2028\U0001f44d"',
        '{"a": 1, "a": 2}',
        '{"": {}}',
        "\t\r\n [ ] ",
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000 + "null" + "}" * 100_000,
        '"' + "a" * 1_000_000 + '"',
    ],
    ids=lambda text: text[:20],
)
def test_json_of_any_size_and_depth_passes(text):
    result = IsValidJson().evaluate(text)
    assert (result.passed, result.score, result.message) == (True, 1.0, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1, column 1: expected a value, found the end of the text"),
        (" \n", "line 2, column 1: expected a value, found the end of the text"),
        ("\ufeff[]", "line 1, column 1: expected a value, found U+FEFF"),
        ("[]\ufeff", "expected nothing more, found U+FEFF"),
        ("NaN", "expected a value, found N"),
        ("[Infinity]", "line 1, column 2: expected a value or ], found I"),
        ("-Infinity", "expected a value, found -"),
        ("-", "expected a value, found -"),
        ("01", "line 1, column 2: expected nothing more, found 1"),
        ("1.e5", "expected nothing more, found ."),
        (".5", "expected a value, found ."),
        ("1e", "expected nothing more, found e"),
        ("0x10", "expected nothing more, found x"),
        ("truefalse", "line 1, column 5: expected nothing more"),
        ("None", "expected a value, found N"),
        ("١", "expected a value"),  # noqa: RUF001  (a digit that is none of JSON's)
        ('"\\ud800"', "\\ud800 is half of a surrogate pair"),
        ('"\\udc00\\ud800"', "\\udc00 is half of a surrogate pair"),
        ('"\\ud800\\u0041"', "\\ud800 is half of a surrogate pair"),
        ('"\ud800"', "U+D800 must be escaped in a string"),
        ('"a\nb"', "line 1, column 3: U+000A must be escaped in a string"),
        ('"\x00"', "U+0000 must be escaped in a string"),
        ('"\\x41"', "invalid escape \\x"),
        ('"\\u12"', "invalid escape \\u"),
        ('"\\', "invalid escape \\the end of the text"),
        ('"abc', "line 1, column 5: the string is not closed"),
        ("[1,]", "line 1, column 4: expected a value, found ]"),
        ("[,1]", "expected a value or ], found ,"),
        ("[1 2]", "expected a comma or the end of the list or object, found 2"),
        ("[1", "expected a comma or the end of the list or object, found the end of the text"),
        ("[}", "expected a value or ], found }"),
        ("[1}", "expected a comma or the end of the list or object, found }"),
        ("]", "expected a value, found ]"),
        ("[]]", "expected nothing more, found ]"),
        ("1,2", "expected nothing more, found ,"),
        ('{"a":1,}', "line 1, column 8: expected a key in double quotes, found }"),
        ('{"a"}', "expected a colon, found }"),
        ('{"a":}', "expected a value, found }"),
        ("{1:2}", "expected a key in double quotes or }, found 1"),
        ("{]", "expected a key in double quotes or }, found ]"),
        ('{\n  "a": tru\n}', "line 2, column 8: expected a value, found t"),
        ("```json\n{}\n```", "line 1, column 1: expected a value, found `"),
        ("[" * 100_000, "line 1, column 100001: expected a value or ]"),
    ],
    ids=lambda text: text[:20],
)
def test_anything_else_fails_with_the_place_and_the_reason(text, problem):
    result = IsValidJson().evaluate(text)
    assert (result.passed, result.score) == (False, 0.0)
    assert result.message.startswith("not valid JSON: line ")
    assert problem in result.message
    assert "\n" not in result.message


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", "3", '"text"'])
def test_json_where_none_was_wanted_fails_and_says_so(text):
    result = Not(IsValidJson()).evaluate(text)
    assert not result.passed
    assert result.message == f'valid JSON was found where none was wanted: "{text}"'


@pytest.mark.parametrize("text", ["plain words", '{"a": 1', ""])
def test_text_that_is_no_json_passes_where_none_was_wanted(text):
    assert Not(IsValidJson()).evaluate(text).passed


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(_VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_what_python_writes_is_valid(value, ascii_only, indent):
    assert IsValidJson().evaluate(json.dumps(value, ensure_ascii=ascii_only, indent=indent)).passed


def _refuse(name: str) -> None:
    raise ValueError(name)


@given(st.text(alphabet='[]{},:"\\u019aeE+-.truefalsn \n', max_size=15))
def test_the_verdict_is_that_of_the_strict_reader_of_python(text):
    try:
        json.loads(text, parse_constant=_refuse)
        expected = True
    except ValueError:
        expected = False
    assert IsValidJson().evaluate(text).passed is expected


@given(st.text())
def test_no_text_makes_it_raise(text):
    result = IsValidJson().evaluate(text)
    assert bool(result.message) is not result.passed
