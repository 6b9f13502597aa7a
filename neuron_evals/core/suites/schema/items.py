"""The JSON Schema of suites in the format of NeuronAI Studio, from the shapes of their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.suites import items, studio
from neuron_evals.core.suites.schema.assertions import ANY_ASSERTION, assertion_definitions
from neuron_evals.core.suites.shapes import given, nullable
from neuron_evals.core.suites.talking import OPENERS

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

VERSION = 1
"""Number of the published schema; a change that refuses what was valid before raises it."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"

ABOUT: Mapping[str, str] = {
    "input": "What is said to the agent.",
    "reference": "Text that the answer must contain, in any letter case; `correctness` compares with it too.",
    "tool": "Name of a tool that the agent must call.",
    "context": "What the answer may rely on, for `faithfulness`.",
    "turns": "What the user says, turn by turn, instead of `input`.",
    "user": "A simulated user, instead of `input`.",
    "approvals": "What becomes of calls that need an approval, by tool.",
    "stubs": "What tools answer instead of being run, by tool.",
    items.ASSERTIONS: "Assertions, each an object with a `type` and the fields of that type.",
    "id": "Identity of the item across runs, unique in the suite; derived from the content when left out.",
    "name": "Name for people.",
    "description": "What the item is for.",
    "tags": "Tags, to choose items by.",
    "timeout": "Seconds the item may take.",
    "repeats": "How often the item is executed.",
    "metadata": "Values of your own; nothing looks at them.",
}
"""What the keys of an item mean, in one sentence each."""

_TALKING: dict[str, dict[str, Any]] = {
    "turns": {"type": ["array", "null"], "minItems": 1},
    "user": {"type": ["array", "object", "null"], "minItems": 1},
    "approvals": {"anyOf": [{"enum": ["approve", "reject", None]}, {"type": "object", "minProperties": 1}]},
    "stubs": {"type": ["object", "null"], "minProperties": 1},
}
_ID: dict[str, Any] = {"type": ["string", "integer", "null"], "pattern": r"\S"}
_TAGS: dict[str, Any] = {
    "anyOf": [{"type": "array", "items": {"type": "string", "pattern": r"\S"}}, {"type": ["string", "null"]}]
}


def suite_schema(types: Mapping[str, type[Assertion]] | None = None) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a suite: a list of items, or an object that holds one.

    Args:
        types: Assertion classes by type name; those that come with the package by default.
    """
    return {
        "$schema": DRAFT,
        "$id": f"urn:neuron-evals:suite-items:{VERSION}",
        "title": "Suite of neuron_evals",
        "description": "Items in the format of NeuronAI Studio: a list, or an object with the list under `dataset`.",
        "if": {"type": "object"},
        "then": {"$ref": "#/$defs/suite"},
        "else": {"$ref": "#/$defs/items"},
        "$defs": {
            "suite": _suite(),
            "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/item"}},
            "item": _item(),
            **assertion_definitions(types),
        },
    }


def _suite() -> dict[str, Any]:
    properties = {key: nullable(shape.schema()) for key, shape in studio.KEYS.items()}
    held = {key: {"$ref": "#/$defs/items"} for key in studio.HOLDERS}
    return {
        "type": "object",
        "properties": {**properties, **held},
        "oneOf": [{"required": [key]} for key in studio.HOLDERS],
        "additionalProperties": False,
    }


def _item() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": described(item_properties(), ABOUT),
        "additionalProperties": False,
        "allOf": [opened(), {"anyOf": [given("reference"), given("tool"), given_assertions()]}],
    }


def item_properties() -> dict[str, Any]:
    """Return the schemas of the keys of an item."""
    return {
        **{key: nullable(shape.schema()) for key, shape in items.KEYS.items()},
        **_TALKING,
        items.ASSERTIONS: {"type": ["array", "null"], "items": ANY_ASSERTION},
        "id": _ID,
        "tags": _TAGS,
    }


def described(properties: Mapping[str, Any], about: Mapping[str, str]) -> dict[str, Any]:
    """Return the schemas of keys with what the keys mean."""
    return {key: {"description": about[key], **schema} for key, schema in properties.items()}


def opened() -> dict[str, Any]:
    """Return the schema of items that say something to the agent."""
    return {"anyOf": [given(key) for key in ("input", *OPENERS)]}


def given_assertions() -> dict[str, Any]:
    """Return the schema of items that have assertions."""
    return given(items.ASSERTIONS, {"type": "array", "minItems": 1})
