"""The fields of assertion classes, as data may give them: names, types, defaults, fallbacks."""

from __future__ import annotations

import dataclasses
import inspect
from collections import abc
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from neuron_evals.core.agents.docstrings import described
from neuron_evals.core.assertions import (
    ContainsJson,
    CorrectnessJudge,
    ExactMatch,
    FaithfulnessJudge,
    FuzzyMatch,
    MatchesRegex,
    MatchesSchema,
    RelevanceJudge,
    StringContains,
    StringContainsAll,
    StringContainsAny,
    ToolUsage,
    TrajectoryMatches,
)
from neuron_evals.core.assertions.judges.base import Judge
from neuron_evals.core.checking import Assertion
from neuron_evals.core.judges.prompts import EXAMPLE_KEYS
from neuron_evals.core.suites.definitions import DEFINITIONS, Definitions
from neuron_evals.core.suites.resources import NAMES as RESOURCES
from neuron_evals.core.suites.shapes import Anything, Choice, Keyed, Listed, Mapped, Number, Shape, Text, Truth, either

PART, PARTS = "part", "parts"

_DOCUMENTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "contains": {"keyword": ("value",)},
    "contains_all": {"keywords": ("values",)},
    "contains_any": {"keywords": ("values",)},
    "matches_regex": {"regex": ("pattern", "regex")},
    "regex": {"regex": ("pattern", "regex")},
}
"""Type name -> field of the class -> the names it has in data, where that is not its own."""

_FALLBACKS: Mapping[type[Assertion], Mapping[str, str]] = {
    CorrectnessJudge: {"expected": "reference"},
    FaithfulnessJudge: {"context": "context"},
    RelevanceJudge: {"question": "input"},
}
"""Class -> field -> the key of the item that stands in when the assertion does not give it."""

_AS_JSON_TEXT = either((Text(), Number(), Truth()))
_SHAPES: Mapping[type[Assertion], Mapping[str, Shape]] = {
    ContainsJson: {"schema": Mapped()},
    ExactMatch: {"expected": _AS_JSON_TEXT},
    FuzzyMatch: {"expected": _AS_JSON_TEXT},
    MatchesSchema: {"schema": Mapped()},
    MatchesRegex: {"regex": Text(empty=False)},
    StringContains: {"keyword": Text(empty=False)},
    StringContainsAll: {"keywords": Listed(Text(empty=False), least=1)},
    StringContainsAny: {"keywords": Listed(Text(empty=False), least=1)},
    ToolUsage: {name: Listed(Text(empty=False)) for name in ("tools_called", "tools_not_called", "output_contains")},
    TrajectoryMatches: {"expected": Listed(either((Text(empty=False), Mapped())))},
}
"""Fields of which more is known than their annotations say: an empty text among these tests nothing."""

_OF_JUDGES: Mapping[str, Shape] = {
    "examples": Listed(Keyed(dict.fromkeys(EXAMPLE_KEYS, Anything()), required=("output", "score"))),
    "threshold": Number(0, 1),
    "votes": Number(1, whole=True),
}

_PLAIN: Mapping[Any, Shape] = {
    Any: Anything(),
    object: Anything(),
    bool: Truth(),
    int: Number(whole=True),
    float: Number(),
    str: Text(),
    list: Listed(),
    dict: Mapped(),
}


@dataclass(frozen=True)
class FieldSpec:
    """One field of an assertion class, as data may give it.

    Attributes:
        name: Its name in the class.
        names: Its names in data, the first one for messages.
        shape: What a value may be; `None` for an assertion (`part`) or a list of them (`parts`).
        kind: `value`, `part`, `parts` or `definitions`.
        required: Whether it has no default.
        fallback: Key of the item that stands in for it; empty when none does.
        nullable: Whether null is a value of its own, and not the same as leaving the field out.
        choices: The enumeration of whose members it is one; `None` when it is none.
        about: What the class's docstring says of it.
    """

    name: str
    names: tuple[str, ...]
    shape: Shape | None
    kind: str = "value"
    required: bool = False
    fallback: str = ""
    nullable: bool = False
    choices: type[Enum] | None = None
    about: str = ""

    @property
    def key(self) -> str:
        """Its name in data."""
        return self.names[0]


@dataclass(frozen=True)
class TypeSpec:
    """One type of assertion, as data may ask for it.

    Attributes:
        name: The type name.
        cls: The class.
        fields: The fields that data may give, the required ones first, else in the order of the class.
        needs: Which of `judge`, `classifier` and `embeddings` the run gives it.
        about: The first line of the class's docstring.
    """

    name: str
    cls: type[Assertion]
    fields: tuple[FieldSpec, ...]
    needs: tuple[str, ...]
    about: str

    @property
    def keys(self) -> dict[str, FieldSpec]:
        """The fields by each of their names in data."""
        return {key: found for found in self.fields for key in found.names}


@lru_cache(maxsize=256)
def type_spec(name: str, cls: type[Assertion]) -> TypeSpec:
    """Return what data may say of a type of assertion.

    Args:
        name: The type name.
        cls: The class: a dataclass, or one whose constructor says what it takes.
    """
    text, about = described(cls)
    hints = _hints(cls)
    declared = _declared(cls)
    fields = tuple(
        replace(
            _field(cls, field, hints.get(field, Any), required=required, type_name=name), about=about.get(field, "")
        )
        for field, required in declared.items()
        if field not in RESOURCES
    )
    needs = tuple(field for field in RESOURCES if field in declared)
    fields = tuple(sorted(fields, key=lambda field: not field.required))
    return TypeSpec(name, cls, fields, needs, " ".join(text.split("\n\n", 1)[0].split()))


def _field(cls: type[Assertion], name: str, annotation: Any, *, required: bool, type_name: str) -> FieldSpec:
    kind, shape = _kind_and_shape(annotation)
    if kind == "value":
        shape = _known_shape(cls, name) or shape
        if required and issubclass(cls, Judge) and shape == Text():
            shape = Text(blank=False)
    return FieldSpec(
        name,
        _DOCUMENTS.get(type_name, {}).get(name, (name,)),
        shape,
        kind,
        required,
        fallback=next((_FALLBACKS[base][name] for base in cls.__mro__ if name in _FALLBACKS.get(base, {})), ""),
        nullable=isinstance(shape, Anything),
        choices=annotation if isinstance(annotation, type) and issubclass(annotation, Enum) else None,
    )


def _known_shape(cls: type[Assertion], name: str) -> Shape | None:
    known = next((_SHAPES[base][name] for base in cls.__mro__ if name in _SHAPES.get(base, {})), None)
    return _OF_JUDGES.get(name) if known is None and issubclass(cls, Judge) else known


def _declared(cls: Any) -> dict[str, bool]:
    """Return the parameters of a class by name, with whether each is required."""
    if dataclasses.is_dataclass(cls):
        missing = dataclasses.MISSING
        return {
            field.name: field.default is field.default_factory is missing
            for field in dataclasses.fields(cls)
            if field.init
        }
    parameters = inspect.signature(cls).parameters.values()
    by_name = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return {each.name: each.default is each.empty for each in by_name}


def _hints(cls: Any) -> dict[str, Any]:
    """Return the annotations of a class; none where they cannot be read, and the class alone says what it takes."""
    try:
        return get_type_hints(cls if dataclasses.is_dataclass(cls) else cls.__init__)
    except Exception:  # an annotation is any expression
        return {}


def _kind_and_shape(annotation: Any) -> tuple[str, Shape | None]:
    if annotation == DEFINITIONS:
        return "definitions", Definitions()
    if isinstance(annotation, type) and issubclass(annotation, Assertion):
        return PART, None
    if get_origin(annotation) in (list, tuple, abc.Sequence, abc.Iterable):
        element = get_args(annotation)[0]
        if isinstance(element, type) and issubclass(element, Assertion):
            return PARTS, None
    return "value", _shape(annotation) or Anything()


def _shape(annotation: Any) -> Shape | None:
    """Return the shape of the JSON values of an annotation; `None` when none is of that type."""
    if isinstance(annotation, type) and get_origin(annotation) is None and issubclass(annotation, Enum):
        values = [member.value for member in annotation]
        return Choice((*values, *_aliases(annotation)))
    try:
        if annotation in _PLAIN:
            return _PLAIN[annotation]
    except TypeError:
        return None
    return _generic(get_origin(annotation), get_args(annotation))


def _aliases(annotation: type[Enum]) -> Iterator[str]:
    """Yield the aliases of members that the enumeration takes as values."""
    for name, member in annotation.__members__.items():
        if name != member.name:
            with suppress(ValueError):
                annotation(name.lower())
                yield name.lower()


def _generic(origin: Any, arguments: tuple[Any, ...]) -> Shape | None:
    if origin is Literal:
        return Choice(arguments)
    if origin in (Union, UnionType):
        shapes = [shape for part in arguments if part is not NoneType and (shape := _shape(part)) is not None]
        return either(shapes) if shapes else None
    if origin in (list, tuple, set, frozenset, abc.Sequence, abc.Iterable):
        return Listed(_shape(arguments[0]) or Anything())
    if origin in (dict, abc.Mapping):
        return Mapped(_shape(arguments[1]) or Anything())
    return None
