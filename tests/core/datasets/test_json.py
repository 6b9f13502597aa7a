from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.datasets import JsonDataset, JsonLinesDataset
from neuron_evals.core.exceptions import DatasetError
from neuron_evals.core.jsonable import clean_json


def read(kind, path, text):
    """Return the items of a file and its problems as text."""
    path.write_text(text, newline="")
    problems: list[Any] = []
    items = [record.item for record in kind(path).records(problems.append)]
    return items, [str(problem) for problem in problems]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "d.json"


ELEMENTS = [
    ('{"a": NaN}', 7, "NaN is not JSON; use null, or a text"),
    ('{"a": [1, -Infinity]}', 11, "-Infinity is not JSON; use null, or a text"),
    ('{"a": "NaN", "b": Infinity}', 19, "Infinity is not JSON; use null, or a text"),
    ('{"a": 1, "b": {"c": 1e999}}', 21, "a number too large for floating point"),
    ('{"a": -1.5E400}', 7, "a number too large for floating point"),
    ('{"a": 1, "b": 2, "a": 3}', 18, 'the key "a" is there twice in one object'),
    ('{"a": {"b": [{"c": 1, "\\u0063" : 2}]}}', 23, 'the key "\\u0063" is there twice in one object'),
    ('{"a": "x\\u0000"}', 7, "a text holds NUL (\\u0000), which databases and files cannot"),
    ('{"\\u0000": 1}', 2, "a text holds NUL (\\u0000), which databases and files cannot"),
    ('{"a": "x\\uD83D"}', 7, "a text holds half of a surrogate pair, which databases and files cannot"),
    ('{"a": "\\ude00\\ud83d"}', 7, "a text holds half of a surrogate pair, which databases and files cannot"),
    ('{"a": ' + "1" * 5000 + "}", 7, "an integer of 5000 digits, more than Python reads"),
    ('{"a": ' + "[" * 30 + "]" * 30 + "}", 36, "nested deeper than 30 levels"),
]


@pytest.mark.parametrize(("element", "column", "message"), ELEMENTS)
def test_what_would_be_lost_on_the_way_is_refused_with_its_place_and_the_rest_is_read(element, column, message, path):
    items, problems = read(JsonLinesDataset, path, f'{{"input": "a"}}\n{element}\n{{"input": "b"}}\n')
    assert items == [{"input": "a"}, {"input": "b"}]
    assert problems == [f"d.json, line 2, column {column}, item 1: {message}"]
    items, problems = read(JsonDataset, path, f'[{{"input": "a"}},\n  {element},\n{{"input": "b"}}]')
    assert items == [{"input": "a"}, {"input": "b"}]
    assert problems == [f"d.json, line 2, column {column + 2}, item 1: {message}"]


@pytest.mark.parametrize(
    "element",
    [
        '{"a": "NaN, Infinity, 1e999, \\\\u0000 \\\\ud83d {{{{[[[["}',
        '{"a": "\\ud83d\\ude00"}',
        '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}',
        '{"a": 1e308, "b": 123456789012345678901234567890, "c": ' + "9" * 400 + "}",
        '{"a": ' + "[" * 29 + "]" * 29 + "}",
        '{"a": [' + ", ".join(["{}"] * 100) + ', true, false, null, 1.5e3, "\\u0041", ""]}',
        "{}",
    ],
)
def test_what_only_looks_like_it_is_read(element, path):
    assert read(JsonLinesDataset, path, element) == ([json.loads(element)], [])
    assert read(JsonDataset, path, f" [{element} , {element}\n] ") == ([json.loads(element)] * 2, [])


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ('{"input": "a\tb"}', 13, "a raw control character (U+0009) in a text; write it as an escape such as \\t"),
        ('{"input": "a"', 14, "Expecting ',' delimiter"),
        ("{'input': 'a'}", 2, "Expecting property name enclosed in double quotes"),
        ('{"input": "a"} {"input": "b"}', 16, "more text follows the value"),
        ("hello", 1, "Expecting value"),
        ('{"a": ' + "[" * 100_000, 36, "nested deeper than 30 levels"),
    ],
)
def test_a_line_that_is_no_json_is_a_problem_with_line_and_column(line, column, message, path):
    items, problems = read(JsonLinesDataset, path, f'{{"input": "a"}}\r\n\r\n{line}\r\n{{"input": "b"}}')
    assert items == [{"input": "a"}, {"input": "b"}]
    message = message if message.startswith("nested") else f"not valid JSON: {message}"
    assert problems == [f"d.json, line 3, column {column}, item 1: {message}"]


def test_a_raw_tab_in_the_first_line_is_an_error_that_names_file_and_line(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"input": "a\tb"}\n')
    with pytest.raises(DatasetError, match=r"^d\.jsonl, line 1, column 13, item 0: not valid JSON"):
        list(JsonLinesDataset(path))


def test_a_malformed_line_is_an_error_with_its_number_and_blank_lines_are_none(path):
    path.write_text('{"input": "a"}\n\n  \n{"input": "b"}\n\n')
    assert list(JsonLinesDataset(path)) == [{"input": "a"}, {"input": "b"}]
    path.write_text('{"input": "a"}\n\n  \n{"input": \n\n')
    with pytest.raises(DatasetError, match="line 4"):
        list(JsonLinesDataset(path))


NO_COMMA = "not valid JSON: expected a comma or the end of the array"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "line 1, column 1", "a JSON dataset is an array of objects: it begins with ["),
        (' {"input": "a"}', "line 1, column 2", "a JSON dataset is an array of objects: it begins with ["),
        ('[\n{"input": "a"},\n]', "line 3, column 1, item 1", "not valid JSON: Expecting value"),
        ('[\n{"input": "a"}\n{"input": "b"}]', "line 3, column 1", NO_COMMA),
        ('[{"input": "a"}', "line 1, column 16", NO_COMMA),
        ('[{"input": "a"},', "line 1, column 17, item 1", "not valid JSON: Expecting value"),
        ('[{"input": "a"}]\n[]', "line 2, column 1", "not valid JSON: more text follows the array"),
        ("[", "line 1, column 2, item 0", "not valid JSON: Expecting value"),
        ('[\n  {"input": "a\nb"}]', "line 2, column 15, item 0",
         "not valid JSON: a raw control character (U+000A) in a text; write it as an escape such as \\t"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_json_array_is_one_problem_with_its_place(text, place, message, path):
    _, problems = read(JsonDataset, path, text)
    assert problems == [f"d.json, {place}: {message}"]


@pytest.mark.parametrize("text", ["[]", " [ \n ] "])
def test_an_empty_array_has_no_items(text, path):
    assert read(JsonDataset, path, text) == ([], [])


@pytest.mark.parametrize(("value", "got"), [("1", "int"), ("null", "null"), ('"a"', "str"), ('["a"]', "list")])
def test_an_element_that_is_no_object_is_a_problem_with_its_line(value, got, path):
    message = f'an item is a mapping such as {{"input": "..."}} (in JSON an object), got {got}'
    items, problems = read(JsonDataset, path, f'[\n{value},\n{{"input": "b"}}]')
    assert (items, problems) == ([{"input": "b"}], [f"d.json, line 2, item 0: {message}"])
    items, problems = read(JsonLinesDataset, path, f'\n{value}\n{{"input": "b"}}')
    assert (items, problems) == ([{"input": "b"}], [f"d.json, line 2, item 0: {message}"])


def test_every_problem_of_a_file_is_told(path):
    text = '[{"a": NaN},\n {"a": 1, "a": 2},\n 5,\n {"a": "ok"},\n {"a": 1e999}]'
    items, problems = read(JsonDataset, path, text)
    assert items == [{"a": "ok"}]
    assert [problem.partition(":")[0] for problem in problems] == [
        "d.json, line 1, column 8, item 0",
        "d.json, line 2, column 11, item 1",
        "d.json, line 3, item 2",
        "d.json, line 5, column 8, item 4",
    ]


def test_json_lines_are_read_as_they_are_needed(path):
    path.write_text('{"input": "a"}\nbroken\n')
    records = JsonLinesDataset(path).records()
    assert next(records).item == {"input": "a"}
    with pytest.raises(DatasetError):
        next(records)


storable_text = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | storable_text,
    lambda inner: st.lists(inner) | st.dictionaries(storable_text, inner),
    max_leaves=10,
)  # fmt: skip


@given(
    st.lists(st.dictionaries(st.sampled_from(["input", "b", "\u4f60"]), json_values)),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_what_was_written_is_read_again(tmp_path_factory, items, ascii_only, indent):
    path = tmp_path_factory.mktemp("data") / "d.json"
    assert read(JsonDataset, path, json.dumps(items, ensure_ascii=ascii_only, indent=indent)) == (items, [])
    lines = "\n".join(json.dumps(item, ensure_ascii=ascii_only) for item in items)
    assert read(JsonLinesDataset, path, lines) == (items, [])
    assert all(clean_json(item).keys() == item.keys() for item in items)


@given(st.text(alphabet='{}[]:,"\\u0dD\n NaNe1.-+tru\t'))
def test_any_text_gives_items_or_problems(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("data") / "d.json"
    for kind in (JsonDataset, JsonLinesDataset):
        items, problems = read(kind, path, text)
        assert items or problems or not text.strip() or text.split() == ["[", "]"] or text.strip() == "[]"
