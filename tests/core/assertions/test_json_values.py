from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from neuron_evals.core.assertions import ContainsJson, IsValidJson, JsonEquals, JsonPath, MatchesSchema, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput

ORDER = {"order": {"items": [{"price": 3, "unit price": 1.5}, {"price": 4}], "note": None}, "$ref": "x", "a.b": [True]}

THREE = (JsonEquals({}), JsonPath("a"), ContainsJson())


@dataclass
class Price:
    amount: int


class Model(BaseModel):
    amount: int


@pytest.mark.parametrize(
    ("expected", "text", "passed"),
    [
        ({"a": []}, '{"a": []}', True),
        ({}, "{}", True),
        ([], "[]", True),
        ({}, "[]", False),
        (["A1"], '["A1"]', True),
        (3, "3", True),
        (3, " 3.0\n", True),
        ("text", '"text"', True),
        ("text", "text", False),
        (None, "null", True),
        (True, "true", True),
        (True, "1", False),
        (0, "false", False),
        (1, '"1"', False),
        ({"a": 1, "b": [1, {"c": 2}]}, '{"b": [1, {"c": 2}], "a": 1}', True),
        ({"a": {"b": 1, "c": 2}}, '{"a": {"c": 2, "b": 1}}', True),
        ([1, 2], "[2, 1]", False),
        ({"a": 1}, '{"a": 1, "b": 2}', False),
        ((1, 2), "[1, 2]", True),
        (0.1, "0.1", True),
        (12345678901234567890123, "12345678901234567890123", True),
        (12345678901234567890123, "12345678901234567890124", False),
        ({"é": "\U0001f44d"}, '{"\\u00e9": "\\ud83d\\udc4d"}', True),
    ],
)
def test_json_equals(expected, text, passed):
    result = JsonEquals(expected).evaluate(text)
    assert (result.passed, result.score) == (passed, float(passed))
    assert bool(result.message) is not passed


@pytest.mark.parametrize(
    ("expected", "text", "message"),
    [
        ({"a": [{"b": 1}]}, '{"a": [{"b": 2}]}', "at a[0].b: expected 1, got 2"),
        ({"a": 1}, '{"a": 1, "b": 2}', 'at the whole value: unexpected key "b"'),
        ({"a": {"b": 1}}, '{"a": {}}', 'at a: key "b" is missing'),
        ({"a": [1, 2]}, '{"a": [1]}', "at a: expected a list of 2, got one of 1"),
        ([1], "[true]", "at [0]: expected 1, got true"),
        ([None], '["\\n"]', 'at [0]: expected null, got "\\n"'),
        ({"a b": {"c.d": 1}}, '{"a b": {"c.d": 2}}', 'at ["a b"]["c.d"]: expected 1, got 2'),
        ({}, "3", "at the whole value: expected {}, got 3"),
    ],
)
def test_json_equals_says_the_first_difference_by_its_path(expected, text, message):
    assert JsonEquals(expected).evaluate(text).message == message


@pytest.mark.parametrize("assertion", THREE, ids=lambda assertion: assertion.assertion_name)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "NaN",
        '{"x": NaN}',
        '{"x": Infinity}',
        '{"x": 1e999}',
        '{"x": 1, "x": 2}',
        '{"x": "\\u0000"}',
        '{"x": "\\ud800"}',
        "[" * 31 + "]" * 31,
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "[" + "9" * 5_000 + "]",
        "{'x': 1}",
        "\ufeff{",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_json_or_cannot_be_read_as_one_value_fails(assertion, text):
    result = assertion.evaluate(text)
    assert (result.passed, result.score) == (False, 0.0)
    assert "\n" not in result.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1,]", 'not valid JSON: line 1, column 4: expected a value, found ], in "[1,]"'),
        ("[1e999]", 'the JSON cannot be read as one value: a number too large for floating point, in "[1e999]"'),
    ],
)
def test_the_reason_says_what_is_wrong_with_the_text(text, message):
    assert JsonEquals([1]).evaluate(text).message == message


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ('{"a": 1}', True),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', True),
        ('```\n{"a": 1}\n```', True),
        ('~~~\n{"a": 1}\n~~~', True),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 1}\n```', False),
        ('```json\n{"a": 1}', False),
        ('see {"a": 1}', False),
        ("```json\nnope\n```", False),
    ],
)
@pytest.mark.parametrize("cls", [JsonEquals, JsonPath])
def test_one_fenced_block_is_read_when_asked(cls, text, passed):
    options = ({"a": 1},) if cls is JsonEquals else ("a", 1)
    assert cls(*options, fenced=True).evaluate(text).passed is passed
    assert cls(*options).evaluate(text).passed is (text == '{"a": 1}')


def test_a_fenced_block_that_is_no_json_says_so():
    message = JsonEquals(1, fenced=True).evaluate("```json\nnope\n```").message
    assert message.startswith("in the fenced block: not valid JSON: line 2, column 1: expected a value, found n")


@pytest.mark.parametrize("value", [{"amount": 5}, Price(5), Model(amount=5)])
def test_a_value_that_json_can_hold_is_taken_as_it_is(value):
    assert JsonEquals({"amount": 5}).evaluate(value).passed
    assert JsonPath("amount", 5).evaluate(value).passed
    assert ContainsJson({"amount": 5}).evaluate(value).passed


@pytest.mark.parametrize("value", [object(), {"a": object()}, {1, 2}, b"{}", {("a",): 1}])
@pytest.mark.parametrize("assertion", THREE, ids=lambda assertion: assertion.assertion_name)
def test_a_value_of_another_type_is_refused(assertion, value):
    with pytest.raises(
        InvalidInput, match=f"{assertion.assertion_name} evaluates text or JSON values, got {type(value).__name__}"
    ):
        assertion.evaluate(value)


@pytest.mark.parametrize("assertion", THREE, ids=lambda assertion: assertion.assertion_name)
def test_what_a_lenient_reader_lets_through_fails(assertion):
    looped: list[object] = []
    looped.append(looped)
    for value in ([float("nan")], {"a": "\ud800"}, ["\x00"], looped, json.loads("[" * 500 + "]" * 500)):
        result = assertion.evaluate(value)
        assert not result.passed
        assert result.message.startswith("not JSON: ")


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}}, float("nan"), "\ud800", ["\x00"]])
@pytest.mark.parametrize("build", [JsonEquals, lambda value: JsonPath("a", value), ContainsJson])
def test_an_expectation_that_is_no_json_value_is_refused(build, value):
    with pytest.raises(InvalidArgument, match=": expected must be a JSON value "):
        build(value)


def test_an_expectation_is_kept_as_it_was():
    expected = {"a": [1]}
    assertion = JsonEquals(expected)
    expected["a"].append(2)
    assert assertion.evaluate('{"a": [1]}').passed


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("order.items[0].price", 3),
        ("order.items[1]", {"price": 4.0}),
        ('order.items[0]["unit price"]', 1.5),
        ('["order"].note', None),
        ('["a.b"][0]', True),
        ("$ref", "x"),
        ('$["a.b"]', [True]),
        ("$.order.note", None),
        ("$", ORDER),
    ],
)
def test_json_path_finds_what_stands_there(path, expected):
    assert JsonPath(path).evaluate(json.dumps(ORDER)).passed
    assert JsonPath(path, expected).evaluate(ORDER).passed
    assert not JsonPath(path, "else").evaluate(ORDER).passed


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("order.total", 'the path ends at order: there is no key "total"; keys are "items", "note"'),
        ("order.items[2].price", "the path ends at order.items: the list has 2 elements, there is no [2]"),
        ("order.items.price", "the path ends at order.items: a list has no keys; its elements are reached by [0]"),
        ("order.note.a", "the path ends at order.note: null has no keys"),
        ('["a.b"][0].c', 'the path ends at ["a.b"][0]: true has no keys'),
        ("[0]", "the path ends at the whole value: an object has no elements"),
        ("order.items[0].price.x", "the path ends at order.items[0].price: a number has no keys"),
    ],
)
def test_json_path_says_where_the_path_ends(path, message):
    result = JsonPath(path).evaluate(ORDER)
    assert (result.passed, result.score, result.message) == (False, 0.0, message)


def test_json_where_none_was_wanted_says_so():
    assert Not(JsonEquals({"a": 1})).evaluate('{"a":1}').message == '"{"a":1}" equals {"a": 1}, and it should not'
    assert Not(JsonPath("a")).evaluate('{"a":1}').message == 'something stands at a in "{"a":1}", and it should not'
    assert Not(JsonPath("a", 1)).evaluate('{"a":1}').message == '1 stands at a in "{"a":1}", and it should not'


def test_json_path_says_what_differs_and_lists_few_keys():
    assert JsonPath("order.items[1]", {"price": 5}).evaluate(ORDER).message == (
        "at order.items[1].price: expected 5, got 4"
    )
    many = dict.fromkeys(map(str, range(100)), 0)
    assert JsonPath("x").evaluate(many).message.endswith('"9", and 90 more')
    assert JsonPath("x").evaluate({}).message.endswith("the object is empty")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "path must be text such as"),
        (None, "path must be text such as"),
        (".a", r'path ".a" cannot be read from character 1 on'),
        ("a..b", "cannot be read from character 2 on"),
        ("a.", "cannot be read from character 2 on"),
        ("a b", "cannot be read from character 2 on"),
        ("a[-1]", "cannot be read from character 2 on"),
        ("a[01]", "cannot be read from character 2 on"),
        ("a[*]", "cannot be read from character 2 on"),
        ("a[?(@.b)]", "cannot be read from character 2 on"),
        ("a[0]b", "cannot be read from character 5 on"),
        ('a["b]', "cannot be read from character 2 on"),
        ('a["\\x"]', "cannot be read from character 2 on"),
        ("$..a", "cannot be read from character 2 on"),
        ("a" * 1_001, "at most 1,000 characters, got 1,001"),
    ],
)
def test_a_path_that_cannot_be_read_is_refused(path, said):
    with pytest.raises(InvalidArgument, match=f"JsonPath: .*{said}"):
        JsonPath(path)


@pytest.mark.parametrize(
    ("expected", "text", "passed"),
    [
        ({"a": 1}, '{"a": 1, "b": 2}', True),
        ({"a": {"b": 1}}, '{"a": {"b": 1, "c": 2}}', True),
        ({"a": 1}, '{"a": 2}', False),
        ({"a": 1}, '{"b": {"a": 1}}', False),
        ({}, '{"a": 1}', True),
        ({}, "[]", False),
        ([1, 2], "[3, 2, 1]", True),
        ([1, 1], "[1]", False),
        ([1, 1], "[1, 2, 1]", True),
        ([{}, {"a": 1}], '[{"a": 1}, {"b": 1}]', True),
        ([{"a": 1}, {"b": 1}, {}], '[{"a": 1, "b": 1}, {"b": 1}, {"a": 1}]', True),
        ([{"a": 1}, {"b": 1}], '[{"a": 1, "b": 1}]', False),
        ([[1], [1, 2]], "[[2, 1], [1]]", True),
        ([], "[1]", True),
        ([True], "[1]", False),
        (3, "3", True),
        ("a", '"a"', True),
        (3, "it is 3", False),
        ({"ok": True}, 'Sure!\n```json\n{"ok": true, "n": 1}\n```', True),
        ({"ok": True}, 'first [1, 2], then {"ok": true}.', True),
        ({"ok": True}, '{"ok": false} {"ok": true}', True),
        ({"ok": True}, 'a {"b": {"ok": true}}', False),
        ({"ok": True}, '{"open": [{"ok": true}', True),
        ({"ok": True}, '{"a{"ok": true}', True),
        ({"ok": True}, '{"ok": true, "ok": true}', False),
    ],
)
def test_contains_json(expected, text, passed):
    result = ContainsJson(expected).evaluate(text)
    assert (result.passed, result.score) == (passed, float(passed))
    assert bool(result.message) is not passed


@pytest.mark.parametrize(
    ("assertion", "text", "message"),
    [
        (ContainsJson(), "no json", 'there is no JSON list or object that can be read in "no json"'),
        (ContainsJson({"a": {"b": 1}}), '{"a": {}}', 'at a: key "b" is missing'),
        (ContainsJson({"a": [1]}), '{"a": [2]}', "at a: element 0 of the expected list, 1, matches nothing in [2]"),
        (
            ContainsJson([1, 1]),
            "[1]",
            "at the whole value: element 1 of the expected list, 1, matches only what other elements need",
        ),
        (
            ContainsJson({"a": 1}),
            'x {"a": 2} y []',
            "none of 2 JSON values will do; the first: at a: expected 1, got 2",
        ),
        (Not(ContainsJson({"a": 1})), '{"a": 1}', '"{"a": 1}" contains JSON with {"a": 1}, and it should not'),
        (Not(ContainsJson()), "[1]", '"[1]" contains JSON, and it should not'),
    ],
)
def test_contains_json_says_what_is_lacking(assertion, text, message):
    assert assertion.evaluate(text).message == message


def test_contains_json_checks_the_same_json_against_a_schema():
    with_id = ContainsJson(schema={"type": "object", "required": ["id"]})
    assert with_id.evaluate('see {"id": 1}').passed
    assert Not(with_id).evaluate('see {"x": 1}').passed
    assert not Not(with_id).evaluate('see {"id": 1}').passed
    assert with_id.evaluate('see {"x": 1}').message == "at the whole value: 'id' is a required property"
    both = ContainsJson({"id": 1}, {"required": ["name"]})
    assert both.evaluate('{"id": 1} {"id": 1, "name": "a"}').passed
    assert not both.evaluate('{"id": 1} {"id": 2, "name": "a"}').passed


@pytest.mark.parametrize(
    "text",
    [
        "{" * 5_000 + '{"ok": true}',
        "[" * 200_000,
        '["[",' * 40_000,
        '[",",' * 40_000,
        '{"a":' * 40_000,
        '["\\"[' * 40_000,
        "[[]," * 50_000,
        '[{"a":"[{"},' * 20_000,
        "[]" * 50_000,
    ],
    ids=lambda text: text[:10],
)
def test_contains_json_searches_any_text_in_time_proportional_to_its_length(text):
    started = time.process_time()
    assert ContainsJson({"ok": True}).evaluate(text).passed is text.endswith('{"ok": true}')
    assert time.process_time() - started < 60


def test_many_equal_elements_are_assigned_without_recursion():
    assert ContainsJson([1] * 1_100).evaluate([1] * 1_100).passed


@pytest.mark.parametrize("text", ['["A1"]', "[]", "{}", "3", '"text"', "null", "false"])
@pytest.mark.parametrize(
    "assertion", [IsValidJson(), JsonPath("$"), ContainsJson(), MatchesSchema({})], ids=lambda each: type(each).__name__
)
def test_a_value_of_any_kind_is_json_for_every_check_of_json(assertion, text):
    assert assertion.evaluate(text).passed
    assert JsonEquals(json.loads(text)).evaluate(text).passed


@pytest.mark.parametrize("text", ["text", "nul", "True", "3x", "", " ", "{'a': 1}"])
@pytest.mark.parametrize(
    "assertion", [IsValidJson(), JsonPath("$"), ContainsJson(), MatchesSchema({})], ids=lambda each: type(each).__name__
)
def test_a_text_without_json_is_none_for_every_check_of_json(assertion, text):
    assert not assertion.evaluate(text).passed
