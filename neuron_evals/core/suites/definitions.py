"""What a classifier is asked, as data: text for yes or no, an object with levels for a place on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuron_evals.core.classifiers.definitions import Boolean, Score
from neuron_evals.core.suites.shapes import Fault, Listed, Shape, Text, described

DEFINITIONS = Boolean | Score | Mapping[str, Boolean | Score]
"""The annotation of a field that holds them."""

_KEYS = {"instructions", "levels"}
_WRITTEN = Text(blank=False)
_LEVELS = Listed(_WRITTEN, least=2)


class Definitions(Shape):
    """A question: its text, or an object with `instructions` and, for a rating, `levels`; or several by name."""

    noun = "a question: text, or an object with instructions and levels; or an object of these by name"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield what is wrong with the question or the questions."""
        if isinstance(value, Mapping) and not _is_one(value):
            for name, asked in value.items():
                yield from _one_faults(asked, f"{path}.{name}")
            if not value:
                yield path, "must hold at least one question"
        else:
            yield from _one_faults(value, path)

    def schema(self) -> dict[str, Any]:
        """Return text, the object, or an object of these."""
        written = _WRITTEN.schema()
        asked = {
            "type": "object",
            "properties": {"instructions": written, "levels": _LEVELS.schema()},
            "required": ["instructions"],
            "additionalProperties": False,
        }
        several = {"type": "object", "minProperties": 1, "additionalProperties": {"anyOf": [written, asked]}}
        return {"anyOf": [written, asked, several]}

    def sample(self) -> str:
        """Return a question."""
        return "x"


def read_definitions(value: Any) -> Boolean | Score | dict[str, Boolean | Score]:
    """Return the questions that a value of the shape `Definitions` asks."""
    if isinstance(value, Mapping) and not _is_one(value):
        return {name: _one(asked) for name, asked in value.items()}
    return _one(value)


def _is_one(value: Mapping[str, Any]) -> bool:
    return bool(value) and value.keys() <= _KEYS


def _one(value: Any) -> Boolean | Score:
    if isinstance(value, str):
        return Boolean(value)
    levels = value.get("levels")
    return Boolean(value["instructions"]) if levels is None else Score(value["instructions"], levels)


def _one_faults(value: Any, path: str) -> Iterator[Fault]:
    if isinstance(value, str):
        yield from _WRITTEN.faults(value, path)
    elif not isinstance(value, Mapping):
        yield path, f"must be a question, text or an object with instructions and levels, got {described(value)}"
    else:
        for key in value.keys() - _KEYS:
            yield f"{path}.{key}", "is not known; a question has instructions and levels"
        yield from _WRITTEN.faults(value.get("instructions"), f"{path}.instructions")
        if value.get("levels") is not None:
            yield from _LEVELS.faults(value["levels"], f"{path}.levels")
