"""Shapes of lists and objects, and of what may have one of several shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.nearest import did_you_mean
from neuron_evals.core.suites.shapes.contract import Fault, Shape
from neuron_evals.core.suites.shapes.simple import Anything, Coded, Number, Text
from neuron_evals.core.suites.shapes.wording import SHOWN, described


@dataclass(frozen=True)
class Listed(Shape):
    """A list.

    Attributes:
        of: What its elements are.
        least: Fewest elements.
    """

    of: Shape = field(default_factory=Anything)
    least: int = 0

    @property
    def noun(self) -> str:
        """A list, of texts or dotted paths where it is one."""
        kinds = {Text: "a list of texts", Coded: "a list of dotted paths"}
        return kinds.get(type(self.of), "a list")

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no list, or what is wrong with its elements."""
        if not isinstance(value, list | tuple):
            short = isinstance(value, str) and len(value) < SHOWN and isinstance(self.of, Text)
            hint = f"; write {json.dumps([value], ensure_ascii=False)}" if short else ""
            yield path, f"must be {self.noun}, got {described(value)}{hint}"
            return
        if len(value) < self.least:
            yield path, f"must hold at least {self.least}, got {len(value)}"
        for position, element in enumerate(value):
            yield from self.of.faults(element, f"{path}[{position}]")

    def schema(self) -> dict[str, Any]:
        """Return an array."""
        schema: dict[str, Any] = {"type": "array", "items": self.of.schema()}
        return {**schema, "minItems": self.least} if self.least else schema

    def sample(self) -> list[Any]:
        """Return a list of one."""
        return [self.of.sample()]


@dataclass(frozen=True)
class Mapped(Shape):
    """An object with keys of the author's own.

    Attributes:
        of: What its members are.
    """

    of: Shape = field(default_factory=Anything)
    noun = "an object"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no object, or what is wrong with its members."""
        if not isinstance(value, Mapping):
            yield path, f"must be an object, got {described(value)}"
            return
        for key, member in value.items():
            yield from self.of.faults(member, f"{path}.{key}")

    def schema(self) -> dict[str, Any]:
        """Return an object."""
        members = self.of.schema()
        return {"type": "object", "additionalProperties": members} if members else {"type": "object"}

    def sample(self) -> dict[str, Any]:
        """Return an object with one member."""
        return {"x": self.of.sample()}


@dataclass(frozen=True)
class Keyed(Shape):
    """An object with keys that are known. Null means that a key is left out.

    Attributes:
        keys: The keys, with what each may be.
        required: The keys that must be there.
        filled: Whether one of its keys must be there, whichever.
    """

    keys: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    filled: bool = False

    @property
    def noun(self) -> str:
        """An object, with what it must have."""
        return f"an object with one of the keys {', '.join(self.keys)}" if self.filled else "an object"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no object, the keys that are not known, and what is wrong with the others."""
        if not isinstance(value, Mapping):
            yield path, f"must be an object, got {described(value)}"
            return
        start = f"{path}." if path else ""
        if self.filled and all(member is None for member in value.values()):
            yield path, f"asks for nothing; there must be one of the keys {', '.join(self.keys)}"
        for key in self.required:
            if value.get(key) is None:
                yield f"{start}{key}", f"is missing; there must be {self.keys[key].noun}"
        for key, member in value.items():
            if key not in self.keys:
                yield (
                    f"{start}{key}",
                    f"there is no such key; {did_you_mean(key, self.keys)}known are {', '.join(self.keys)}",
                )
            elif member is not None:
                yield from self.keys[key].faults(member, f"{start}{key}")

    def schema(self) -> dict[str, Any]:
        """Return an object without other keys."""
        properties = {
            key: shape.schema() if key in self.required else nullable(shape.schema())
            for key, shape in self.keys.items()
        }
        required = {"required": list(self.required)} if self.required else {}
        filled = {"anyOf": [given(key) for key in self.keys]} if self.filled else {}
        return {"type": "object", "properties": properties, **required, **filled, "additionalProperties": False}


@dataclass(frozen=True)
class Either(Shape):
    """A value of one of several shapes.

    Attributes:
        shapes: The shapes.
    """

    shapes: tuple[Shape, ...]

    @property
    def noun(self) -> str:
        """The shapes."""
        return " or ".join(dict.fromkeys(shape.noun for shape in self.shapes))

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it has none of the shapes; what is wrong inside where one of them nearly fits."""
        found = [list(shape.faults(value, path)) for shape in self.shapes]
        if not all(found):
            return
        inside = [faults for faults in found if all(where != path for where, _ in faults)]
        yield from inside[0] if inside else [(path, f"must be {self.noun}, got {described(value)}")]

    def schema(self) -> dict[str, Any]:
        """Return the schemas."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}

    def sample(self) -> Any:
        """Return a value of the first."""
        return self.shapes[0].sample()


def either(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of several; the one itself when there is only one."""
    different = tuple(dict.fromkeys(shapes))
    if Number() in different:
        different = tuple(shape for shape in different if shape != Number(whole=True))
    return different[0] if len(different) == 1 else Either(different)


def given(key: str, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON Schema of objects that have a key, whose value is not null, or has a schema."""
    return {"required": [key], "properties": {key: schema or {"not": {"type": "null"}}}}


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that takes null too."""
    kind = schema.get("type")
    if not schema or kind == "null":
        return schema
    if isinstance(kind, str) and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
