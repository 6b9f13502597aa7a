"""Reading one assertion of an item: an object with a `type` and the fields of that type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions import NotEmpty
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.classifiers.fake import FakeClassifier
from neuron_evals.core.embeddings.fake import FakeEmbeddings
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.nearest import did_you_mean
from neuron_evals.core.suites.definitions import read_definitions
from neuron_evals.core.suites.fields import PART, PARTS, FieldSpec, TypeSpec, type_spec
from neuron_evals.core.suites.resources import JUDGE, Resources
from neuron_evals.core.suites.resources import NAMES as RESOURCES
from neuron_evals.core.suites.shapes import Fault, described
from neuron_evals.core.suites.spec import AssertionSpec

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

TYPE = "type"

# What an assertion says of itself when it refuses its options: `Owner: option[0] ...`.
_REFUSAL = re.compile(r"(?:\w+: )?(\$?\w+)((?:\[\d+\])*)")


def _unasked(text: str) -> str:
    """Stand in for a judge while options are checked; it is never asked."""
    return text


_STAND_INS = Resources(lambda: _unasked, FakeClassifier, lambda: FakeEmbeddings({}))


class AssertionReader:
    """Reads the assertions of one item.

    Args:
        types: Assertion classes by type name.
        item: The item, for what stands in for fields that an assertion does not give.

    Attributes:
        faults: What is wrong, with paths in the item.
    """

    def __init__(self, types: Mapping[str, type[Assertion]], item: Mapping[str, Any]) -> None:
        self._types = types
        self._item = item
        self.faults: list[Fault] = []

    def read(self, entry: Any, path: str) -> AssertionSpec | None:
        """Return one assertion; `None` when something is wrong with it, which is noted.

        Args:
            entry: What stands in the item.
            path: Where.
        """
        if not isinstance(entry, Mapping):
            self._note(
                path, f'must be an object such as {{"type": "contains", "value": "..."}}, got {described(entry)}'
            )
            return None
        spec = self._type(entry, f"{path}.{TYPE}")
        if spec is None:
            return None
        before = len(self.faults)
        self._refuse_unknown(spec, entry, path)
        given, broken = self._given(spec, entry, path)
        self._build(spec, given, broken, path)
        if len(self.faults) > before or broken:
            return None
        return AssertionSpec(spec.cls, given, path, spec.name, spec.needs)

    def _note(self, path: str, message: str) -> None:
        self.faults.append((path, message))

    def _type(self, entry: Mapping[str, Any], path: str) -> TypeSpec | None:
        name = entry.get(TYPE)
        if name is None:
            self._note(path, f"is missing; the types are {', '.join(self._types)}")
        elif not isinstance(name, str):
            self._note(path, f"must be text, the name of a type, got {described(name)}")
        elif name not in self._types:
            hint = did_you_mean(name, self._types)
            self._note(path, f"there is no type {shown(name)}; {hint}the types are {', '.join(self._types)}")
        else:
            return type_spec(name, self._types[name])
        return None

    def _refuse_unknown(self, spec: TypeSpec, entry: Mapping[str, Any], path: str) -> None:
        known = spec.keys
        for key in entry:
            if key == TYPE or key in known:
                continue
            if key in RESOURCES:
                self._note(f"{path}.{key}", "is given by the run, and not by an item")
                continue
            fields = f"its fields are {', '.join(known)}" if known else "it has no fields"
            self._note(f"{path}.{key}", f'"{spec.name}" has no such field; {did_you_mean(key, known)}{fields}')

    def _given(self, spec: TypeSpec, entry: Mapping[str, Any], path: str) -> tuple[dict[str, Any], set[str]]:
        """Return the options by field name, and the fields with which something is wrong."""
        given: dict[str, Any] = {}
        broken: set[str] = set()
        for field in spec.fields:
            before = len(self.faults)
            keys = [key for key in field.names if key in entry and (entry[key] is not None or field.nullable)]
            for second in keys[1:]:
                self._note(f"{path}.{second}", f'means the same as "{keys[0]}"; give one of them')
            if keys:
                value = self._value(field, entry[keys[0]], f"{path}.{keys[0]}")
            else:
                value = self._fallback(spec, field, path)
            if len(self.faults) > before or value is _BROKEN:
                broken.add(field.name)
            elif value is not _ABSENT:
                given[field.name] = value
        return given, broken

    def _value(self, field: FieldSpec, value: Any, path: str) -> Any:
        if field.kind == PART:
            return self.read(value, path) or _BROKEN
        if field.kind == PARTS:
            return self._parts(value, path)
        found = [] if field.shape is None else list(field.shape.faults(value, path))
        self.faults += found
        if found:
            return _BROKEN
        if field.kind == "definitions":
            return read_definitions(value)
        return value if field.choices is None else field.choices(value)

    def _parts(self, value: Any, path: str) -> Any:
        if not isinstance(value, list | tuple) or not value:
            self._note(path, f"must be a list of assertions, at least one, got {described(value)}")
            return _BROKEN
        parts = tuple(self.read(part, f"{path}[{position}]") for position, part in enumerate(value))
        return _BROKEN if None in parts else parts

    def _fallback(self, spec: TypeSpec, field: FieldSpec, path: str) -> Any:
        stands_in = self._item.get(field.fallback) if field.fallback else None
        if stands_in is not None:
            # What is wrong with it is said of the item's own key.
            usable = field.shape is None or not any(field.shape.faults(stands_in, path))
            return stands_in if usable else _BROKEN
        if not field.required:
            return _ABSENT
        noun = _PART_NOUNS[field.kind] if field.shape is None else field.shape.noun
        instead = f', or "{field.fallback}" in the item' if field.fallback else ""
        self._note(f"{path}.{field.key}", f'is missing: "{spec.name}" needs {noun}{instead}')
        return _BROKEN

    def _build(self, spec: TypeSpec, given: Mapping[str, Any], broken: Iterable[str], path: str) -> None:
        """Build the assertion once, so that it refuses what it does not take; note all of that.

        What it refused, and what is wrong already, is left out or replaced, until nothing more is refused.
        """
        by_name = {field.name: field for field in spec.fields}
        trial = dict(given)
        wrong = set(broken)
        for name in wrong:
            _replace(trial, by_name[name])
        while True:
            try:
                vacuous = AssertionSpec(spec.cls, trial, path, spec.name, spec.needs).build(_STAND_INS).vacuous
            except Exception as exc:  # a class of a project may refuse with anything
                field, place, message = _blamed(spec, exc)
            else:
                # A judge that passes every grade measures all the same.
                if vacuous and not wrong and JUDGE not in spec.needs:
                    self._note_vacuous(spec, given, path)
                return
            if field is None or field.name in wrong:
                if not wrong:
                    self._note(path, message)
                return
            self._note(f"{path}.{field.key}{place}", message)
            wrong.add(field.name)
            _replace(trial, field)

    def _note_vacuous(self, spec: TypeSpec, given: Mapping[str, Any], path: str) -> None:
        empty = next((field.key for field in spec.fields if given.get(field.name) in ("", (), [], {})), None)
        if empty is None and len(spec.fields) == 1:
            empty = spec.fields[0].key
        where = path if empty is None else f"{path}.{empty}"
        self._note(where, "says nothing: every output passes it, or none can")


_PART_NOUNS = {PART: "an assertion", PARTS: "a list of assertions"}


class _Mark:
    """A value that is none."""


_ABSENT = _Mark()
_BROKEN = _Mark()


def _replace(trial: dict[str, Any], field: FieldSpec) -> None:
    """Take a value away that is wrong, or put another in its place where there must be one."""
    trial.pop(field.name, None)
    if not field.required:
        return
    if field.kind in (PART, PARTS):
        trial[field.name] = NotEmpty() if field.kind == PART else [NotEmpty()]
    elif field.kind == "definitions":
        trial[field.name] = read_definitions("x")
    else:
        trial[field.name] = None if field.shape is None else field.shape.sample()


def _blamed(spec: TypeSpec, exc: Exception) -> tuple[FieldSpec | None, str, str]:
    """Return the field that a class refuses, the place inside, and why."""
    text = str(exc) or type(exc).__name__
    if not isinstance(exc, InvalidArgument):
        text = f"{type(exc).__name__}: {text}"
    message = text.partition(": ")[2] if text.startswith(f"{spec.cls.__name__}: ") else text
    found = _REFUSAL.match(text)
    word, place = ("", "") if found is None else (found[1].lstrip("$"), found[2])
    named = {**{field.name: field for field in spec.fields}, **spec.keys}
    field = named.get(word)
    if field is None and len(spec.fields) == 1:
        return spec.fields[0], "", message
    if field is not None and message.startswith(field.name):
        message = field.key + message.removeprefix(field.name)
    return field, place if field is not None else "", message
