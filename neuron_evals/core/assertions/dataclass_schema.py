"""A dataclass as a JSON Schema: its fields, by their annotations."""

from __future__ import annotations

import dataclasses
from collections import abc
from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.exceptions import InvalidArgument

_PLAIN: Mapping[Any, dict[str, Any]] = {
    Any: {},
    object: {},
    NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    list: {"type": "array"},
    dict: {"type": "object"},
}
_LISTS = (list, set, frozenset, abc.Sequence)
_OBJECTS = (dict, abc.Mapping)


def dataclass_schema(owner: str, cls: type) -> dict[str, Any]:
    """Return the JSON Schema of the objects from which a dataclass can be built.

    Its parameters are the properties, required unless they have a default; others are not allowed. Its own code does
    not run. Known are bool, int, float, str, None, `Any`, `Literal`, enums, other dataclasses, and lists, sets, tuples,
    dicts with text keys and unions of these. An int may be written as 1.0.

    Raises:
        InvalidArgument: A field is annotated with something else, or with a name that is not there at run time.
    """
    building = _Building(owner)
    reference = building.dataclass(cls)
    return {**reference, "$defs": building.definitions}


class _Building:
    """One call of `dataclass_schema`: the dataclasses met so far."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.names: dict[type, str] = {}
        self.definitions: dict[str, Any] = {}

    def dataclass(self, cls: type) -> dict[str, Any]:
        """Return a reference to a dataclass, which is defined when it was not met before."""
        if cls not in self.names:
            name = self.names[cls] = f"{cls.__name__}-{len(self.names)}"
            self.definitions[name] = self._definition(cls)
        return {"$ref": f"#/$defs/{self.names[cls]}"}

    def _definition(self, cls: Any) -> dict[str, Any]:
        try:
            hints = get_type_hints(cls)
        except Exception as exc:  # an annotation is any expression
            msg = f"{self.owner}: the annotations of {cls.__name__} cannot be read: {exc}"
            raise InvalidArgument(msg) from exc
        fields = [field for field in dataclasses.fields(cls) if field.init]
        missing = dataclasses.MISSING
        return {
            "type": "object",
            "properties": {field.name: self.of(hints[field.name], f"{cls.__name__}.{field.name}") for field in fields},
            "required": [field.name for field in fields if field.default is field.default_factory is missing],
            "additionalProperties": False,
        }

    def of(self, annotation: Any, field: str) -> dict[str, Any]:
        """Return the schema of one annotation."""
        if isinstance(annotation, type) and get_origin(annotation) is None:
            if dataclasses.is_dataclass(annotation):
                return self.dataclass(annotation)
            if issubclass(annotation, Enum):
                return {"enum": [member.value for member in annotation]}
        try:
            return dict(_PLAIN[annotation])
        except (KeyError, TypeError):
            return self._generic(annotation, field)

    def _generic(self, annotation: Any, field: str) -> dict[str, Any]:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(argument, field) for argument in arguments]}
        if origin in _LISTS:
            return {"type": "array", "items": self.of(arguments[0], field)}
        if origin is tuple:
            return self._tuple(arguments, field)
        if origin in _OBJECTS and arguments[0] is str:
            return {"type": "object", "additionalProperties": self.of(arguments[1], field)}
        msg = f"{self.owner}: {field} is annotated with {shown(annotation)}, not known here; give a JSON Schema"
        raise InvalidArgument(msg)

    def _tuple(self, arguments: tuple[Any, ...], field: str) -> dict[str, Any]:
        if len(arguments) == 2 and arguments[1] is ...:  # noqa: PLR2004  (tuple[x, ...])
            return {"type": "array", "items": self.of(arguments[0], field)}
        return {
            "type": "array",
            "prefixItems": [self.of(argument, field) for argument in arguments],
            "minItems": len(arguments),
            "maxItems": len(arguments),
        }
