"""JSON schemas of Python annotations: what a model is told of a tool's arguments."""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from neuron_evals.core.exceptions import ConfigurationError

JSON_TYPES: Mapping[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    types.NoneType: "null",
}
"""Python types that JSON has a type for."""

_PLAIN = (str, int, float, bool, types.NoneType)

_SUPPORTED = (
    "str, int, float, bool, None, list, dict with text keys, Literal, Optional and other unions, Enum, dataclasses, "
    "TypedDict, Annotated and Any"
)


class Unsupported(ConfigurationError):  # noqa: N818  (says what is wrong with it)
    """An annotation that has no JSON schema here."""


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """A member of a dataclass or TypedDict.

    Attributes:
        name: Its name.
        annotation: Its annotation, evaluated.
        required: Whether it must be given.
    """

    name: str
    annotation: Any
    required: bool


def schema_of(annotation: Any, inside: tuple[Any, ...] = ()) -> dict[str, Any]:  # noqa: PLR0911  (one for each kind)
    """Return the JSON schema of the values that an annotation allows.

    Args:
        annotation: An annotation, evaluated.
        inside: The classes that it is a part of.

    Raises:
        Unsupported: There is none: it is of another kind, or a class that holds itself.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return {}
    if origin is Annotated:
        notes = [note for note in arguments[1:] if isinstance(note, str)]
        return schema_of(arguments[0], inside) | ({"description": notes[0]} if notes else {})
    if origin is Literal:
        return {"enum": [_constant(value, annotation) for value in arguments]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(member, inside) for member in arguments]}
    if (origin or annotation) in (list, dict):
        return _container(origin or annotation, arguments, annotation, inside)
    if annotation is None or annotation in _PLAIN:
        return {"type": JSON_TYPES[annotation or types.NoneType]}
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return {"enum": [_constant(member.value, annotation) for member in annotation]}
    if has_members(annotation):
        return _object(annotation, inside)
    raise _unsupported(annotation)


def has_members(annotation: Any) -> bool:
    """Return whether an annotation is a dataclass or a TypedDict."""
    return is_typeddict(annotation) or (isinstance(annotation, type) and dataclasses.is_dataclass(annotation))


@functools.lru_cache(maxsize=256)
def members(annotation: Any) -> tuple[Member, ...]:
    """Return the members of a dataclass that its constructor takes, or of a TypedDict.

    Raises:
        Unsupported: An annotation cannot be evaluated.
    """
    try:
        hints = get_type_hints(annotation, include_extras=True)
    except Exception as exc:
        msg = f"the annotations of {annotation.__qualname__} cannot be evaluated ({exc}); import them at run time too"
        raise Unsupported(msg) from exc
    if is_typeddict(annotation):
        required = annotation.__required_keys__
        return tuple(Member(name, *_unwrapped(hint, name in required)) for name, hint in hints.items())
    return tuple(
        Member(
            field.name,
            hints[field.name],
            required=field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(annotation)
        if field.init
    )


def _unwrapped(hint: Any, required: bool) -> tuple[Any, bool]:  # noqa: FBT001  (what is true where no marker says otherwise)
    """Return a TypedDict's hint without its marker; with text annotations the class does not know the markers."""
    origin = get_origin(hint)
    if origin in (Required, NotRequired):
        return get_args(hint)[0], origin is Required
    return hint, required


def _container(kind: Any, arguments: tuple[Any, ...], annotation: Any, inside: tuple[Any, ...]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": JSON_TYPES[kind]}
    if not arguments:
        return schema
    if kind is list:
        return schema | {"items": schema_of(arguments[0], inside)}
    if arguments[0] is not str:
        raise _unsupported(annotation)
    return schema | {"additionalProperties": schema_of(arguments[1], inside)}


def _object(cls: Any, inside: tuple[Any, ...]) -> dict[str, Any]:
    if cls in inside:
        msg = f"{cls.__qualname__} holds itself, which has no JSON schema here"
        raise Unsupported(msg)
    parts = members(cls)
    return {
        "type": "object",
        "properties": {part.name: schema_of(part.annotation, (*inside, cls)) for part in parts},
        "required": [part.name for part in parts if part.required],
        "additionalProperties": False,
    }


def _constant(value: Any, annotation: Any) -> Any:
    if value is None or type(value) in (str, int, float, bool):
        return value
    raise _unsupported(annotation)


def _unsupported(annotation: Any) -> Unsupported:
    name = annotation.__qualname__ if isinstance(annotation, type) else str(annotation)
    return Unsupported(f"{name} has no JSON schema here; use {_SUPPORTED}")
