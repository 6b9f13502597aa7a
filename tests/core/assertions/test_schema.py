from __future__ import annotations

import json
import socket
import time
import urllib.request
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from neuron_evals.core.assertions import ContainsJson, MatchesSchema, Not, json_schema
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput, PatternTimeout

ORDER_SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}}},
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {"line": {"type": "object", "properties": {"price": {"type": "number", "minimum": 0}}}},
}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": 1}', ""),
        ('{"id": 1, "lines": [{"price": 2.5}]}', ""),
        ("{}", "at the whole value: 'id' is a required property"),
        ('{"id": 1, "lines": [{}, {"price": -1}]}', "at lines[1].price: -1 is less than the minimum of 0"),
        ('{"id": true}', "at id: True is not of type 'integer'"),
        ('{"id": 1, "x": 2}', 'at the whole value: the property "x" is not allowed'),
        ('{"id": "a\\nb"}', "at id: 'a\\nb' is not of type 'integer'"),
        ("{id: 1}", 'not valid JSON: line 1, column 2: expected a key in double quotes or }, found i, in "{id: 1}"'),
    ],
)
def test_json_schema_fails_with_the_path_of_each_problem(text, message):
    result = MatchesSchema(ORDER_SCHEMA).evaluate(text)
    assert (result.passed, result.message) == (not message, message)
    assert result.score == float(result.passed)


def test_no_more_than_five_problems_are_listed():
    result = MatchesSchema({"items": {"type": "string"}}).evaluate(list(range(5)))
    assert result.message.count("is not of type") == 5
    assert "more" not in result.message
    result = MatchesSchema({"items": {"type": "string"}}).evaluate(list(range(1_000)))
    assert result.message.count("is not of type") == 5
    assert result.message.endswith("; and more")


def test_long_values_are_cut_in_the_reason():
    assert len(MatchesSchema({"type": "integer"}).evaluate(json.dumps("a" * 100_000)).message) < 1_200


@pytest.mark.parametrize(
    ("schema", "value", "passed"),
    [
        ({}, None, True),
        ({"type": "integer"}, 1.0, True),
        ({"multipleOf": 0.1}, 0.3, True),
        ({"multipleOf": 0.1}, 0.35, False),
        ({"multipleOf": 0.5}, 10**400, True),
        ({"multipleOf": 3}, "3", True),
        ({"uniqueItems": True}, [1, True, "1"], True),
        ({"uniqueItems": True}, [1, 2, 1.0], False),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
        ({"uniqueItems": False}, [1, 1], True),
        ({"pattern": "^/api/"}, "/api/x", True),
        ({"pattern": "/api/"}, "x/api/y", True),
        ({"pattern": "/api/"}, "api", False),
        ({"pattern": "^\\p{Lu}"}, "Éa", True),
        ({"pattern": "a"}, 5, True),
        ({"patternProperties": {"^n_": {"type": "number"}}}, {"n_a": 1, "b": "x"}, True),
        ({"patternProperties": {"^n_": {"type": "number"}}}, {"n_a": "x"}, False),
        ({"patternProperties": {"^n_": {}}, "additionalProperties": False}, {"n_a": 1}, True),
        ({"patternProperties": {"^n_": {}}, "additionalProperties": False}, {"m_a": 1}, False),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "null"}}, {"a": 1, "b": None}, True),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "null"}}, {"a": 1, "b": 1}, False),
        ({"unevaluatedProperties": False, "allOf": [{"properties": {"a": {}}}]}, {"a": 1}, True),
        ({"unevaluatedProperties": False, "allOf": [{"properties": {"a": {}}}]}, {"b": 1}, False),
        ({"format": "date"}, "no date", True),
        ({"properties": {"$schema": {"type": "string"}}}, {"$schema": 5}, False),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 5, "exclusiveMaximum": True}, 5, False),
        ({"$schema": "http://json-schema.org/draft-07/schema", "items": [{"type": "null"}]}, [1], False),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "null"}]}, [1], False),
        ({"$id": "https://shop.test/a", "$ref": "#x", "$defs": {"x": {"$anchor": "x", "type": "null"}}}, 1, False),
        ({"type": "object", "properties": {"next": {"$ref": "#"}}}, {"next": {"next": 1}}, False),
    ],
)
def test_json_schema_is_read_as_the_standard_has_it(schema, value, passed):
    assert MatchesSchema(schema).evaluate(json.dumps(value)).passed is passed


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (None, "schema must be a JSON Schema as a dict, or a class"),
        ("{}", "schema must be a JSON Schema as a dict, or a class"),
        (str, "schema must be a JSON Schema as a dict, or a class"),
        ({"type": "text"}, r'schema\["type"\] is not valid'),
        ({"properties": {"a": {"minLength": -1}}}, r'schema\["properties"\]\["a"\]\["minLength"\] is not valid'),
        ({"$schema": "https://shop.test/schema"}, r'\$schema "https://shop.test/schema" is not known; known are '),
        ({"$schema": 5}, r"\$schema 5 is not known"),
        ({"items": {"$schema": "http://json-schema.org/draft-07/schema#"}}, r"schema has \$schema inside"),
        ({"pattern": "("}, r"pattern \( does not compile"),
        ({"items": {"patternProperties": {"(": {}}}}, r"pattern \( does not compile"),
        ({"pattern": "a" * 1_001}, "a pattern has at most 1,000 characters"),
        ({"$ref": "#/x", "x": {"pattern": "("}}, r"pattern \( does not compile"),
        ({"unevaluatedProperties": False, "allOf": [{"patternProperties": {"a": {}}}]}, "do not work together here"),
        ({"$ref": "#/$defs/none"}, "refers to what it does not hold, and nothing is fetched"),
        ({"a": object()}, "schema must be a JSON value"),
        ({"enum": ["a" * 100_000]}, "at most 100,000 characters"),
    ],
)
@pytest.mark.parametrize("build", [MatchesSchema, lambda schema: ContainsJson({}, schema if schema is not None else 5)])
def test_a_schema_that_cannot_be_used_is_refused_when_it_is_given(build, schema, said):
    with pytest.raises(InvalidArgument, match=f"(MatchesSchema|ContainsJson): .*{said}"):
        build(schema)


def test_a_schema_with_too_many_levels_is_refused():
    schema: dict[str, Any] = {}
    for _ in range(31):
        schema = {"not": schema}
    with pytest.raises(InvalidArgument, match="nested deeper than 30 levels"):
        MatchesSchema(schema)


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "file:///etc/passwd",
        "other.json",
        "http://[::",
        "ftp://localhost/x#/a",
    ],
)
def test_a_reference_that_leads_outside_is_refused_and_nothing_is_opened(monkeypatch, keyword, target):
    def refuse(*args: object, **kwargs: object) -> None:
        pytest.fail(f"opened {args}")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    for schema in (
        {keyword: target},
        {"properties": {"a": {"items": {keyword: target}}}},
        {"$id": target.partition("#")[0], "$ref": "b"},
    ):
        with pytest.raises(InvalidArgument, match="refers to what it does not hold, and nothing is fetched"):
            MatchesSchema(schema)


def test_patterns_run_with_a_time_limit_everywhere():
    hard = "(a|aa)+$"
    text = "a" * 60 + "b"
    for schema, value in (
        ({"pattern": hard}, text),
        ({"patternProperties": {hard: {}}}, {text: 1}),
        ({"patternProperties": {hard: {}}, "additionalProperties": False}, {text: 1}),
        ({"additionalProperties": False, "patternProperties": {hard: {}}}, {text: 1}),
        ({"$defs": {"a": {"pattern": hard}}, "items": {"anyOf": [{"$ref": "#/$defs/a"}]}}, [text]),
        ({"properties": {"a": {"$ref": "#"}}, "pattern": hard}, {"a": text}),
    ):
        drafted = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        with pytest.raises(PatternTimeout, match=r"ran into its time limit of 0\.5 s"):
            MatchesSchema(drafted).evaluate(json.dumps(value))


def test_a_schema_without_end_is_an_error_and_no_failure(monkeypatch):
    with pytest.raises(InvalidInput, match="the references of the schema lead too deep, or in a circle"):
        MatchesSchema({"$ref": "#"}).evaluate("1")
    monkeypatch.setattr(json_schema, "MAX_STEPS", 1_000)
    doubling: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    with pytest.raises(InvalidInput, match="the schema needs more than 1,000 steps for this value"):
        MatchesSchema({"$ref": "#/$defs/d0", "$defs": {**doubling, "d30": {}}}).evaluate("1")


def test_unique_items_are_told_in_time_proportional_to_their_number():
    started = time.process_time()
    assert MatchesSchema({"uniqueItems": True}).evaluate([{"a": n} for n in range(20_000)]).passed
    assert time.process_time() - started < 60


def test_the_schema_is_kept_as_it_was():
    schema = {"type": "object"}
    assertion = MatchesSchema(schema)
    schema["type"] = "array"
    assert assertion.evaluate("{}").passed


def test_fenced_text_is_read_when_asked():
    text = 'Here you are:\n```json\n{"id": 1}\n```'
    assert MatchesSchema(ORDER_SCHEMA, fenced=True).evaluate(text).passed
    assert not MatchesSchema(ORDER_SCHEMA).evaluate(text).passed
    with pytest.raises(InvalidArgument, match="fenced must be True or False"):
        MatchesSchema({}, fenced=1)  # type: ignore[arg-type]  # (that is the point)


def test_a_match_where_none_was_wanted_says_so():
    message = Not(MatchesSchema({"type": "integer"})).evaluate("5").message
    assert message == '"5" matches the schema, and it should not'


@pytest.mark.parametrize("value", [object(), b"{}", [object()]])
def test_a_value_of_another_type_is_refused(value):
    with pytest.raises(InvalidInput, match="MatchesSchema evaluates text or JSON values"):
        MatchesSchema({}).evaluate(value)


class Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    price: float
    due: date | None = None


class Invoice(BaseModel):
    lines: list[Line]


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ('{"lines": [{"price": 1, "due": "2026-01-31"}]}', []),
        (Invoice(lines=[Line(price=1.5)]), []),
        ("{}", ["at lines: "]),
        ('{"lines": [{"price": "1"}, {"price": 1, "x": 2}]}', ["at lines[0].price: ", "at lines[1].x: "]),
        ("[]", ["at the whole value: "]),
    ],
)
def test_a_pydantic_model_validates_the_value_as_json(value, problems):
    result = MatchesSchema(Invoice).evaluate(value)
    assert result.passed is not problems or result.passed
    assert result.passed is (not problems)
    for problem in problems:
        assert problem in result.message


class Duck:
    """Validates as a pydantic model does, and is none."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return {}

    @classmethod
    def model_validate(cls, value: Any) -> None:
        if value != {"a": 1}:
            raise ValueError("broken validator")


def test_a_class_that_validates_like_a_model_is_taken_and_its_own_errors_break_the_check():
    assert MatchesSchema(Duck).evaluate('{"a": 1}').passed
    with pytest.raises(ValueError, match="broken validator"):
        MatchesSchema(Duck).evaluate("{}")


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Node:
    name: str
    size: float
    count: int = 0
    color: Color = Color.RED
    kind: Literal["leaf", "branch"] | None = None
    tags: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    place: tuple[int, int] = (0, 0)
    path: tuple[str, ...] = ()
    children: list[Node] = field(default_factory=list)
    cached: int = field(default=0, init=False)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"name": "a", "size": 1}, ""),
        ({"name": "a", "size": 1.5, "count": 2, "color": "blue", "kind": "leaf", "tags": ["x"]}, ""),
        ({"name": "a", "size": 1, "kind": None, "extra": {"x": [1]}, "place": [1, 2], "path": ["a", "b", "c"]}, ""),
        ({"name": "a", "size": 1, "children": [{"name": "b", "size": 2}]}, ""),
        ({"name": "a"}, "at the whole value: 'size' is a required property"),
        ({"name": 1, "size": 1}, "at name: 1 is not of type 'string'"),
        ({"name": "a", "size": True}, "at size: True is not of type 'number'"),
        ({"name": "a", "size": 1, "count": 1.5}, "at count: 1.5 is not of type 'integer'"),
        ({"name": "a", "size": 1, "color": "RED"}, "at color: 'RED' is not one of ['red', 'blue']"),
        ({"name": "a", "size": 1, "kind": "root"}, "at kind: "),
        ({"name": "a", "size": 1, "place": [1]}, "at place: [1] is too short"),
        ({"name": "a", "size": 1, "place": [1, 2, 3]}, "at place: "),
        ({"name": "a", "size": 1, "path": [1]}, "at path[0]: 1 is not of type 'string'"),
        ({"name": "a", "size": 1, "children": [{"name": "b"}]}, "at children[0]: 'size' is a required property"),
        ({"name": "a", "size": 1, "cached": 1}, 'the property "cached" is not allowed'),
        ([], "at the whole value: [] is not of type 'object'"),
    ],
)
def test_a_dataclass_stands_for_its_fields(value, problem):
    result = MatchesSchema(Node).evaluate(json.dumps(value))
    assert result.passed is (not problem), result.message
    assert problem in result.message


def test_an_object_of_the_dataclass_matches():
    assert MatchesSchema(Line).evaluate(Line(price=1)).passed
    node = Node("a", 1, color="red", children=[Node("b", 2, color="blue")])  # type: ignore[arg-type]  # (as JSON has it)
    assert not MatchesSchema(Node).evaluate(node).passed  # `cached` is no parameter


@dataclass
class Dated:
    due: date


@dataclass
class Keyed:
    scores: dict[int, str]


@dataclass
class Lost:
    other: Missing  # type: ignore[name-defined]  # noqa: F821  (that is the point)


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Dated, r"Dated\.due is annotated with <class 'datetime.date'>, not known here; give a JSON Schema"),
        (Keyed, r"Keyed\.scores is annotated with dict\[int, str\]"),
        (Lost, "the annotations of Lost cannot be read: name 'Missing' is not defined"),
    ],
)
def test_a_dataclass_with_an_annotation_that_json_does_not_have_is_refused(cls, said):
    with pytest.raises(InvalidArgument, match=f"MatchesSchema: {said}"):
        MatchesSchema(cls)


class Bound:
    """What serializers and forms have in common."""

    errors: Any = None

    def __init__(self, data: Any) -> None:
        self.data = data

    def is_valid(self) -> bool:
        if "number" not in self.data:
            self.errors = {"number": ["is required"], "lines": [{}, {"price": ("is no number", "is too long")}]}
        return self.errors is None


class LikeASerializer(Bound):
    def run_validation(self) -> None:
        """Tells serializers from forms."""


class LikeAForm(Bound):
    def full_clean(self) -> None:
        """Tells forms from serializers."""


@pytest.mark.parametrize("cls", [LikeASerializer, LikeAForm])
def test_a_class_with_bound_data_says_its_errors_by_their_paths(cls):
    assert MatchesSchema(cls).evaluate('{"number": 1}').passed
    message = "at number: is required; at lines[1].price: is no number; at lines[1].price: is too long"
    assert MatchesSchema(cls).evaluate("{}").message == message
    assert MatchesSchema(cls).evaluate("[1]").message == "at the whole value: expected an object, got [1]"


def test_a_form_is_given_text_as_a_browser_sends_it():
    given: list[Any] = []

    class Seen(LikeAForm):
        def is_valid(self) -> bool:
            given.append(self.data)
            return True

    MatchesSchema(Seen).evaluate({"a": 1, "b": True, "c": None, "d": [1, "x"], "e": {"f": 1}, "g": "t"})
    [data] = given
    assert data == {"a": "1", "b": "true", "d": '[1, "x"]', "e": '{"f": 1}', "g": "t"}
    assert [data.getlist(key) for key in ("d", "a", "c")] == [["1", "x"], ["1"], []]


def test_a_serializer_is_given_the_value_as_it_is():
    given: list[Any] = []

    class Seen(LikeASerializer):
        def is_valid(self) -> bool:
            given.append(self.data)
            return True

    MatchesSchema(Seen).evaluate('{"a": [1, null]}')
    assert given == [{"a": [1, None]}]
