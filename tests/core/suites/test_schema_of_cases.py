"""The published JSON Schema of cases: it takes what the validator takes, and refuses what structure decides."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from neuron_evals import SuiteError, parse_suite
from neuron_evals.core.suites.nous.eval_types import EVAL_TYPES
from neuron_evals.core.suites.nous.keys import CASE_KEYS, SUITE_KEYS
from neuron_evals.core.suites.schema import cases_schema
from neuron_evals.core.suites.yaml_text import read_yaml
from tests.core.suites.test_assertion_types import OWN, VALID, entry
from tests.core.suites.test_nous import CASE, CASE_MISTAKES, SUITE_MISTAKES
from tests.core.suites.test_nous_cases import CASES, IDS, REFUSED, case_of
from tests.markdown import blocks

HERE = Path(__file__).parent
DOCS = HERE.parents[2] / "docs"
SCHEMA = Draft202012Validator(cases_schema())

# What only the validator knows.
BEYOND = [
    {"name": "a\nb"},
    {"expected": {"regex": ["("]}},
    {"eval_type": "tool_usage", "expected": {"tool_args": {"a": {}}}, "eval_config": {"check_args": False}},
    {"eval_type": "llm_judge", "eval_config": {"scale": [5, 1]}},
    {"eval_type": "schema", "expected": {"schema": {"type": "objekt"}}},
    {"tools": ["a"], "agent_config": {"tools": ["b"]}},
    {"teardown": "shop.end"},
    {"turns": ["a"]},
]
# One case of each type, which takes everything that it may have.
FULL: dict[str, dict[str, Any]] = {
    "exact_match": {"expected": "x", "eval_config": {"trim": True, "normalize": False}},
    "fuzzy_match": {"expected": 42, "eval_config": {"threshold": 0.5}},
    "contains": {"expected": {"regex": ["x"]}, "eval_config": {"case_insensitive": True}},
    "tool_usage": {"expected": {"tools_called": ["a"], "tool_args": {"a": {"b": 1}}, "max_tool_calls": 0}},
    "schema": {"expected": {"schema": {"type": "object"}, "required_fields": ["a"], "field_values": {"a": 1}}},
    "llm_judge": {"expected": {"criteria": "x", "rubric": "y"}, "eval_config": {"scale": [1, 5], "rule": "mean"}},
    "custom": {"expected": {"mood": "glad"}, "eval_config": {"evaluator": "e", "strict": True}},
}
REST = {
    "name": "n",
    "tags": ["t"],
    "timeout": 5,
    "repeats": 2,
    "deps": {"a": 1},
    "tools": ["t"],
    "agent_config": {"model": "m", "model_settings": {"temperature": 0}, "output_type": {"type": "object"}},
    "metadata": {"a": [1]},
    "_assertions": [{"type": "not_empty"}],
}
POOL: list[Any] = [None, True, False, 0, 1, 0.5, -1, "", " ", "x", [], ["x"], [""], [1], {}, {"x": 1}, {"x": None}]


def is_json(value: Any) -> bool:
    try:
        return all(math.isfinite(number) for number in numbers(json.loads(json.dumps(value))))
    except (TypeError, OverflowError):
        return False


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict | list):
        return [each for part in (value.values() if isinstance(value, dict) else value) for each in numbers(part)]
    return [value] if isinstance(value, int | float) else []


def errors(suite: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in SCHEMA.iter_errors(suite)]


class Mood:
    """An evaluator in the manner of Nous.Eval."""

    def evaluate(self, actual: Any, expected: Any, config: Any) -> Any:
        raise AssertionError


def calculate(amount: float, percent: float) -> float:
    """Return a share of an amount."""
    return amount * percent / 100


def code(path: str) -> Any:
    """Return something that each dotted path may name."""
    return {"e": Mood, "t": calculate}.get(path, dict)


def accepted(suite: Any) -> bool:
    try:
        parse_suite(suite, imports=code)
    except SuiteError:
        return False
    return True


def test_schema__is_one_and_knows_every_key_and_type():
    schema = cases_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "urn:neuron-evals:suite-cases:1"
    assert list(schema["$defs"]["suite"]["properties"]) == list(SUITE_KEYS)
    assert schema["$defs"]["case"]["properties"].keys() == CASE_KEYS.keys()
    assert schema["$defs"]["case"]["properties"]["eval_type"]["enum"] == [*EVAL_TYPES, None]


@pytest.mark.parametrize(("kind", "row"), CASES, ids=IDS)
def test_case_that_is_run__valid(kind, row):
    case = case_of(kind, row)
    assert errors({"name": "one", "test_cases": [case]}) == []
    assert errors([case]) == []


STRUCTURE = [row for row in REFUSED if not row["title"].endswith("path that does not import")]


@pytest.mark.parametrize("row", STRUCTURE, ids=[row["title"] for row in STRUCTURE])
def test_case_that_means_nothing__refused(row):
    assert errors({"test_cases": [case_of(row["eval_type"], row)]})


@pytest.mark.parametrize(
    "text",
    [
        (HERE / "nous_complete.yaml").read_text(encoding="utf-8"),
        *(
            block.text
            for page in sorted(DOCS.rglob("*.md"))
            for block in blocks(page)
            if block.language == "yaml" and "test_cases:" in block.text
        ),
    ],
)
def test_complete_suites__valid(text):
    assert errors(read_yaml(text, "suite.yaml").value) == []


JSON_MISTAKES = [
    (keys, {"test_cases": [CASE], **keys}) for keys, _, _ in SUITE_MISTAKES if is_json(keys) and keys not in BEYOND
] + [
    (changes, {"test_cases": [{**CASE, **changes}]})
    for changes, field, _ in CASE_MISTAKES
    if is_json(changes) and changes not in BEYOND and not field.startswith("agent_config.instructions")
]


@pytest.mark.parametrize("suite", [suite for _, suite in JSON_MISTAKES], ids=[str(keys) for keys, _ in JSON_MISTAKES])
def test_mistake_that_the_validator_refuses__refused(suite):
    assert errors(suite)


@pytest.mark.parametrize("suite", [None, "x", 7, {}, [], {"name": "s"}, {"test_cases": []}, {"test_cases": {}}])
def test_no_suite__refused(suite):
    assert errors(suite)


def test_list_of_cases__needs_no_ids():
    case = {"input": "q", "expected": "x"}
    assert errors([case]) == []
    assert errors({"test_cases": [case]})
    assert errors({"test_cases": [{**case, "id": None}]})


@pytest.mark.parametrize("kind", EVAL_TYPES)
def test_whatever_the_validator_takes__valid(kind):
    """Each value of a case is changed into each of a few others, wherever it stands."""
    suite = {"test_cases": [{"id": "a", "input": "q", "eval_type": kind, **FULL[kind], **REST}], "parallelism": 1}
    assert accepted(suite)
    taken = [other for other in changed(suite) if accepted(other)]
    assert len(taken) > 100
    assert [(other, errors(other)) for other in taken if not SCHEMA.is_valid(other)] == []


def changed(value: Any) -> list[Any]:
    found = list(POOL)
    if isinstance(value, dict):
        found += [{**value, key: other} for key, part in value.items() for other in changed(part)]
        found += [{other: part for other, part in value.items() if other != key} for key in value]
    if isinstance(value, list):
        found += [[*value[:at], other, *value[at + 1 :]] for at, part in enumerate(value) for other in changed(part)]
    return found


@pytest.mark.parametrize("name", VALID)
def test_assertions_of_a_case__as_those_of_an_item(name):
    item = entry(name, VALID[name])[0]
    assert errors([item]) == []
    assert errors([{**item, "_assertions": [{**item["_assertions"][0], "nonsense": 1}]}])


def test_types_of_a_project__in_its_own_schema():
    own = Draft202012Validator(cases_schema(OWN))
    assert own.is_valid(entry("sentiment", {"mood": "good"}))
    assert not SCHEMA.is_valid(entry("sentiment", {"mood": "good"}))
