"""The JSON Schemas of assertions in data, from the fields of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.suites.fields import PART, PARTS, FieldSpec, TypeSpec, type_spec
from neuron_evals.core.suites.shapes import nullable

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

ANY_ASSERTION: Mapping[str, Any] = {"$ref": "#/$defs/assertion"}
"""The schema of an assertion, where the definitions are those of `assertion_definitions`."""


def assertion_definitions(types: Mapping[str, type[Assertion]] | None) -> dict[str, Any]:
    """Return the definitions of a schema that uses `ANY_ASSERTION`.

    Args:
        types: Assertion classes by type name; those that come with the package by default.
    """
    known = assertion_types() if types is None else types
    specs = [type_spec(name, cls) for name, cls in known.items()]
    return {"assertion": _assertion(specs), **{f"type:{spec.name}": _type(spec) for spec in specs}}


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
        schema = dict(ANY_ASSERTION)
    elif field.kind == PARTS:
        schema = {"type": "array", "minItems": 1, "items": ANY_ASSERTION}
    else:
        schema = {} if field.shape is None else field.shape.schema()
    about: dict[str, Any] = {"description": field.about} if field.about else {}
    return about | (schema if _is_required(field) else nullable(schema))


def _is_required(field: FieldSpec) -> bool:
    return field.required and not field.fallback
