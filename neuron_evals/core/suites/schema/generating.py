"""Generating the JSON Schema of suites from the shapes of their keys and the fields of assertion classes.

`python -m neuron_evals.core.suites.schema` writes the published file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.jsonable import dump_json
from neuron_evals.core.suites import items, studio
from neuron_evals.core.suites.fields import PART, PARTS, FieldSpec, TypeSpec, type_spec
from neuron_evals.core.suites.shapes import nullable
from neuron_evals.core.suites.talking import OPENERS

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

VERSION = 1
"""Number of the published schema; a change that refuses what was valid before raises it."""

FILE = Path(__file__).with_name(f"items-{VERSION}.json")
"""The published file, with the types that come with the package."""

_ANY_ASSERTION: dict[str, Any] = {"$ref": "#/$defs/assertion"}
_ABOUT = {
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
    known = assertion_types() if types is None else types
    specs = [type_spec(name, cls) for name, cls in known.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
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
            "assertion": _assertion(specs),
            **{f"type:{spec.name}": _type(spec) for spec in specs},
        },
    }


def schema_text() -> str:
    """Return the text of the published file."""
    return dump_json(suite_schema(), indent=2) + "\n"


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
    properties = {
        **{key: nullable(shape.schema()) for key, shape in items.KEYS.items()},
        **_TALKING,
        items.ASSERTIONS: {"type": ["array", "null"], "items": _ANY_ASSERTION},
        "id": _ID,
        "tags": _TAGS,
    }
    return {
        "type": "object",
        "properties": {key: {"description": _ABOUT[key], **schema} for key, schema in properties.items()},
        "additionalProperties": False,
        "allOf": [
            {"anyOf": [_given(key) for key in ("input", *OPENERS)]},
            {
                "anyOf": [
                    _given("reference"),
                    _given("tool"),
                    _given(items.ASSERTIONS, {"type": "array", "minItems": 1}),
                ]
            },
        ],
    }


def _given(key: str, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"required": [key], "properties": {key: schema or {"not": {"type": "null"}}}}


def _assertion(specs: list[TypeSpec]) -> dict[str, Any]:
    """Return the schema that leads by the type to that of the type, so that an editor offers its fields alone."""
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": [spec.name for spec in specs]}},
        "allOf": [
            {
                "if": {"required": ["type"], "properties": {"type": {"const": spec.name}}},
                "then": {"$ref": f"#/$defs/type:{spec.name}"},
            }
            for spec in specs
        ],
    }


def _type(spec: TypeSpec) -> dict[str, Any]:
    properties: dict[str, Any] = {"type": {"const": spec.name}}
    for field in spec.fields:
        properties |= dict.fromkeys(field.names, _field(field))
    schema: dict[str, Any] = {
        "description": spec.about,
        "type": "object",
        "properties": properties,
        "required": ["type", *(field.key for field in spec.fields if _is_required(field) and len(field.names) == 1)],
        "additionalProperties": False,
    }
    several = [field.names for field in spec.fields if len(field.names) > 1]
    if several:
        schema["allOf"] = [{"oneOf": [{"required": [name]} for name in names]} for names in several]
    return schema


def _field(field: FieldSpec) -> dict[str, Any]:
    if field.kind == PART:
        schema = _ANY_ASSERTION
    elif field.kind == PARTS:
        schema = {"type": "array", "minItems": 1, "items": _ANY_ASSERTION}
    else:
        schema = {} if field.shape is None else field.shape.schema()
    about: dict[str, Any] = {"description": field.about} if field.about else {}
    return about | (schema if _is_required(field) else nullable(schema))


def _is_required(field: FieldSpec) -> bool:
    return field.required and not field.fallback
