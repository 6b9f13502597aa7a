"""YAML is read as JSON values, by version 1.2, and written so that every reader agrees."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import DatasetError
from neuron_evals.core.suites.yaml_text import DEEPEST, read_yaml, write_yaml


def problem_of(text: str):
    with pytest.raises(DatasetError) as caught:
        read_yaml(text, "suite.yaml")
    (problem,) = caught.value.problems
    assert problem.source == "suite.yaml"
    return problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("Yes", "Yes"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("Null", None),
        ("", None),
        ("12", 12),
        ("-12", -12),
        ("012", 12),
        ("0o12", 10),
        ("0x1f", 31),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("2024-01-01", "2024-01-01"),
        ("'12'", "12"),
        ('"true"', "true"),
    ],
)
def test_scalar__is_read_by_the_core_schema_of_1_2(text, value):
    read = read_yaml(f"key: {text}", "suite.yaml").value["key"]
    assert (read, type(read)) == (value, type(value))


def test_json__means_the_same_as_yaml():
    value = {"items": [{"input": "a: b # c", "n": 1.5, "flag": False, "none": None, "list": [[], {}]}]}
    assert read_yaml(json.dumps(value), "suite.yaml").value == value


def test_byte_order_mark_and_returns__are_read():
    assert read_yaml("\ufeffa: 1\r\nb: 2\r\n", "suite.yaml").value == {"a": 1, "b": 2}


def test_key__is_text_as_it_is_written():
    assert read_yaml("1: one\ntrue: yes\n'no': x", "suite.yaml").value == {"1": "one", "true": "yes", "no": "x"}


def test_alias__repeats_a_value_that_can_be_changed_apart():
    value = read_yaml("a: &same [1, {b: 2}]\nc: *same", "suite.yaml").value
    value["a"][1]["b"] = 3
    assert value["c"] == [1, {"b": 2}]


def test_place__of_a_value_and_of_what_is_missing():
    document = read_yaml("name: n\ncases:\n  - input: a\n  - input: b\n", "suite.yaml")
    assert document.place(("cases", 1, "input")) == (4, 12)
    assert document.place(("cases", 1, "expected")) == (4, 5)
    assert document.place(("nothing",)) == (1, 1)


@pytest.mark.parametrize(
    ("text", "said", "line", "column"),
    [
        ("a: 1\nb: 2\na: 3", "the key 'a' stands twice", 3, 1),
        ("a: !!str 1", "tags are not read", 1, 4),
        ("a:\n  - !!python/object/apply:os.system ['true']", "tags are not read", 2, 5),
        ("%TAG ! tag:x,2000:\n---\na: 1", "tags are not read", 2, 1),
        ("a: 1\n---\nb: 2", "another begins", 2, 1),
        ("base: &b {x: 1}\nuse:\n  <<: *b", "merge keys", 3, 3),
        ("? [1]\n: 2", "a key must be text", 1, 3),
        ("a: &b c\n*b : 2", "a key must be text", 2, 1),
        ("a: .inf", "no finite number", 1, 4),
        ("a: 1e999", "too large a number", 1, 4),
        (f"a: {'9' * 5000}", "a number of 5,000 characters", 1, 4),
        ("a: [1, 2", "no YAML", 1, 9),
        ("a: 1\n\tb: 2", "no YAML", 2, 1),
        ("ok: 1\nb: \x00", "U+0000 is not allowed", 2, 4),
        ('ok: "a\\b"\nb: "x\\U00110000"', "\\U00110000 is no character", 2, 6),
        ('b: "x\\UFFFFFFFF"', "\\UFFFFFFFF is no character", 1, 6),
        ('a: 1\nb: "x\nc: y\n', "a quoted scalar that begins in line 2, column 4", 4, 1),
        ("a: !<tag:yaml.org,2002:int> 1", "tags are not read, here !!int; leave it out", 1, 4),
        ("%YAML 2.0\n---\na: 1", "no YAML: found incompatible", 1, 1),
        ("a: *nowhere", "no anchor", 1, 4),
        ("&a [*a]", "inside what it repeats", 1, 5),
        ("[" * 5000, f"more than {DEEPEST} levels", 1, DEEPEST + 1),
    ],
)
def test_what_json_has_not__refused_at_its_place(text, said, line, column):
    problem = problem_of(text)
    assert said in problem.message
    assert (problem.line, problem.column) == (line, column)


def test_aliases_that_multiply__refused_before_they_are_made():
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    assert "more than 200,000 values" in problem_of(f"a0: &a0 x\n{levels}").message


def test_aliases_that_nest__refused_where_they_become_too_deep():
    levels = "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 40))
    assert "levels" in problem_of(f"a0: &a0 x\n{levels}").message


def test_text_that_old_readers_take_for_something_else__written_in_quotes():
    assert write_yaml({"a": ["no", "1", "~", "12:30", "plain words"]}) == (
        'a:\n- "no"\n- "1"\n- "~"\n- "12:30"\n- plain words\n'
    )


def test_text_of_several_lines__written_as_it_stands():
    assert write_yaml({"input": "Hello,\n  where is it?\n"}) == "input: |\n  Hello,\n    where is it?\n"


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]).filter(lambda char: char != "\0"), max_size=30)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(_VALUES)
def test_what_is_written__is_read_as_it_was(value):
    assert read_yaml(write_yaml({"value": value}), "suite.yaml").value == {"value": value}
