"""Shapes of JSON values: each checks a value, and is told as a JSON Schema; both come from the same fields."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from neuron_evals.core.jsonable import clean_text

Fault = tuple[str, str]
"""Where something is wrong, as a path, and what."""

_SHOWN = 80
_NAMES: Mapping[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


class Shape(ABC):
    """What a JSON value may be."""

    @abstractmethod
    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield what is wrong with a value.

        Args:
            value: A JSON value.
            path: Where it stands.
        """

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of such values."""

    @property
    @abstractmethod
    def noun(self) -> str:
        """What such a value is called, for messages."""

    def sample(self) -> Any:
        """Return a value of this shape."""
        return None


@dataclass(frozen=True)
class Anything(Shape):
    """Any JSON value, null too."""

    noun = "any value"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield nothing."""
        del value, path
        yield from ()

    def schema(self) -> dict[str, Any]:
        """Return the schema that takes everything."""
        return {}


@dataclass(frozen=True)
class Text(Shape):
    """Text.

    Attributes:
        empty: Whether it may be empty.
        blank: Whether it may be nothing but white space.
    """

    empty: bool = True
    blank: bool = True
    noun = "text"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no text, or empty."""
        if not isinstance(value, str):
            yield path, f"must be text, got {described(value)}"
        elif not value and not (self.empty and self.blank):
            yield path, "must not be empty: an empty text says nothing"
        elif not self.blank and not value.strip():
            yield path, "must not be blank: white space alone says nothing"

    def schema(self) -> dict[str, Any]:
        """Return text, with a letter in it where it must not be blank."""
        if not self.blank:
            return {"type": "string", "pattern": r"\S"}
        return {"type": "string"} if self.empty else {"type": "string", "minLength": 1}

    def sample(self) -> str:
        """Return a letter."""
        return "x"


@dataclass(frozen=True)
class Number(Shape):
    """A finite number.

    Attributes:
        low: Lowest number; `None` for no bound.
        high: Highest number.
        above: Whether it must be above `low`.
        whole: Whether it must be whole.
        unit: What is counted, for messages.
    """

    low: float | None = None
    high: float | None = None
    above: bool = False
    whole: bool = False
    unit: str = ""

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no number, or out of range."""
        kinds = (int,) if self.whole else (int, float)
        if type(value) not in kinds or (isinstance(value, float) and not math.isfinite(value)) or self._outside(value):
            yield path, f"must be {self.noun}, got {described(value)}"

    def _outside(self, value: float) -> bool:
        if self.low is not None and (value < self.low or (self.above and value == self.low)):
            return True
        return self.high is not None and value > self.high

    @property
    def noun(self) -> str:
        """The kind of number, with its bounds."""
        kind = ("a whole number" if self.whole else "a number") + (f" of {self.unit}" if self.unit else "")
        if self.low is None:
            return kind
        if self.high is not None:
            return f"{kind} from {self.low:g} to {self.high:g}"
        return f"{kind} above {self.low:g}" if self.above else f"{kind} from {self.low:g} up"

    def schema(self) -> dict[str, Any]:
        """Return a number with its bounds."""
        schema: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        if self.low is not None:
            schema["exclusiveMinimum" if self.above else "minimum"] = self.low
        if self.high is not None:
            schema["maximum"] = self.high
        return schema

    def sample(self) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True)
class Truth(Shape):
    """True or false."""

    noun = "true or false"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is neither."""
        if not isinstance(value, bool):
            yield path, f"must be true or false, got {described(value)}"

    def schema(self) -> dict[str, Any]:
        """Return a boolean."""
        return {"type": "boolean"}

    def sample(self) -> bool:
        """Return true."""
        return True


@dataclass(frozen=True)
class Choice(Shape):
    """One of several values.

    Attributes:
        values: The values.
    """

    values: tuple[Any, ...]

    @property
    def noun(self) -> str:
        """The values."""
        return f"one of {', '.join(map(str, self.values))}"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is none of them."""
        if not any(type(value) is type(known) and value == known for known in self.values):
            yield path, f"must be {self.noun}, got {described(value)}"

    def schema(self) -> dict[str, Any]:
        """Return the values."""
        return {"enum": list(self.values)}

    def sample(self) -> Any:
        """Return the first."""
        return self.values[0]


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
        """A list, of texts where it is one."""
        return "a list of texts" if isinstance(self.of, Text) else "a list"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no list, or what is wrong with its elements."""
        if not isinstance(value, list | tuple):
            short = isinstance(value, str) and len(value) < _SHOWN and isinstance(self.of, Text)
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
    """

    keys: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    noun = "an object"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no object, the keys that are not known, and what is wrong with the others."""
        if not isinstance(value, Mapping):
            yield path, f"must be an object, got {described(value)}"
            return
        start = f"{path}." if path else ""
        for key in self.required:
            if value.get(key) is None:
                yield f"{start}{key}", f"is missing; there must be {self.keys[key].noun}"
        for key, member in value.items():
            if key not in self.keys:
                yield (
                    f"{start}{key}",
                    f"there is no such key; {nearest(key, self.keys)}known are {', '.join(self.keys)}",
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
        return {"type": "object", "properties": properties, **required, "additionalProperties": False}


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


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that takes null too."""
    kind = schema.get("type")
    if not schema or kind == "null":
        return schema
    if isinstance(kind, str) and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a clause with the known name that is nearest to another; nothing when none is near."""
    near = get_close_matches(name.lower(), list(known), n=1)
    return f'did you mean "{near[0]}"? ' if near else ""


def described(value: Any) -> str:
    """Return a value for a message: a short one as it is written, of a long one its kind."""
    if isinstance(value, str):
        return f'the text "{clean_text(value)}"' if len(value) < _SHOWN and value.isprintable() else "text"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**18):
        return f"{value}"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return _NAMES.get(type(value), type(value).__name__)
