"""The published JSON Schema of items: up to date, and of one mind with the validator where structure decides."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from neuron_evals.core.suites import dataset_problems
from neuron_evals.core.suites.schema import suite_schema
from neuron_evals.core.suites.schema.files import published
from tests.core.suites.actors import CASES, suite_of, titles
from tests.core.suites.test_assertion_types import OWN, VALID, entry

SCHEMA = Draft202012Validator(suite_schema())

STRUCTURE = [
    case
    for case in CASES
    if "suite" in case
    and "problems" in case
    and case["title"]
    not in {
        "judge assertion without a judge",
        "regex that does not compile",
        "correctness without expected and without reference",
        "faithfulness without context anywhere",
    }
]


@pytest.mark.parametrize(("file", "text"), published().items(), ids=lambda value: getattr(value, "name", ""))
def test_file__is_what_the_classes_give(file, text):
    assert file.read_text(encoding="utf-8") == text, "run python -m neuron_evals.core.suites.schema"


def test_schema__is_one():
    Draft202012Validator.check_schema(suite_schema())


@pytest.mark.parametrize("case", [case for case in CASES if "statuses" in case], ids=lambda case: case["title"])
def test_suite_that_is_accepted__valid(case):
    data = suite_of(case)
    if isinstance(data, str):
        data = json.loads(data.removeprefix("\ufeff"))
    assert [error.message for error in SCHEMA.iter_errors(data)] == []


@pytest.mark.parametrize("case", STRUCTURE, ids=titles(STRUCTURE))
def test_suite_with_a_mistake_in_its_structure__refused(case):
    assert not SCHEMA.is_valid(case["suite"])


@pytest.mark.parametrize("name", VALID)
def test_every_type__valid_with_its_fields_and_refused_with_another(name):
    assert [error.message for error in SCHEMA.iter_errors(entry(name, VALID[name]))] == []
    assert not SCHEMA.is_valid(entry(name, {**VALID[name], "nonsense": 1}))


@pytest.mark.parametrize(
    "item",
    [
        {"input": "q", "reference": "9", "timeout": 0},
        {"input": "q", "reference": "9", "repeats": True},
        {"input": "q", "reference": "9", "tags": [""]},
        {"input": "q", "reference": "9", "id": " "},
        {"input": "q", "reference": "9", "metadata": []},
        {"input": "q", "reference": None},
        {"reference": "9"},
        {"input": "q", "_assertions": []},
        {"input": "q", "_assertions": [{"type": "helpfulness", "threshold": 2}]},
        {"input": "q", "_assertions": [{"type": "not", "assertion": {"type": "contains", "value": ""}}]},
        {"input": "q", "_assertions": [{"type": "regex", "regex": "a", "pattern": "b"}]},
        {"input": "q", "_assertions": [{"type": "regex"}]},
    ],
)
def test_mistake_in_an_item__refused_by_schema_and_validator(item):
    assert not SCHEMA.is_valid([item])
    assert dataset_problems([item])


def test_suite_as_an_object__valid_with_its_keys_alone():
    suite: dict[str, Any] = {"name": "s", "retries": 1, "dataset": [{"input": "q", "reference": "9"}]}
    assert SCHEMA.is_valid(suite)
    assert not SCHEMA.is_valid({**suite, "retires": 1})
    assert not SCHEMA.is_valid({**suite, "items": suite["dataset"]})
    assert not SCHEMA.is_valid({"name": "s"})


def test_types_of_a_project__in_its_own_schema():
    own = Draft202012Validator(suite_schema(OWN))
    assert own.is_valid(entry("sentiment", {"mood": "good"}))
    assert not own.is_valid(entry("sentiment", {"mood": "so-so"}))
    assert not SCHEMA.is_valid(entry("sentiment", {"mood": "good"}))
