"""What a value must be before anything else is asked of it: JSON that every database keeps as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import MAX_DEPTH, clean_text
from neuron_evals.core.jsonable.exact_types import INTEGERS
from neuron_evals.core.jsonable.reading import JsonFault, parse_document
from neuron_evals.core.jsonable.text import is_clean
from neuron_evals.core.suites.problems import DATASET, Problem

if TYPE_CHECKING:
    from neuron_evals.core.suites.shapes import Fault

_BYTE_ORDER_MARK = "\ufeff"
_UNSTORABLE = "holds NUL or half of a surrogate pair, which databases and files cannot"
_TOO_LARGE = (
    "is a whole number beyond 64 bits, which no database keeps as a number; write it as text, or with an exponent"
)
_WHOLE = 1e16


def value_faults(value: Any, path: str, level: int) -> Iterator[Fault]:
    """Yield what in a value is no JSON, or would be lost or changed in storage.

    Args:
        value: Anything.
        path: Where it stands; empty for an item as a whole.
        level: How many lists and objects it stands in.
    """
    if isinstance(value, str):
        if not is_clean(value):
            yield path, _UNSTORABLE
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield path, f"{value} is no number that JSON has; use null, or leave it out"
    elif isinstance(value, int):
        if value not in INTEGERS:
            yield path, _TOO_LARGE
    elif isinstance(value, Mapping | list | tuple):
        yield from _inside(value, path, level)
    elif value is not None:
        yield path, f"is no JSON value, but of type {type(value).__name__}"


def _inside(value: Any, path: str, level: int) -> Iterator[Fault]:
    if level >= MAX_DEPTH:
        yield path, f"is nested deeper than {MAX_DEPTH} levels"
        return
    if not isinstance(value, Mapping):
        for position, element in enumerate(value):
            yield from value_faults(element, f"{path}[{position}]", level + 1)
        return
    for key, member in value.items():
        if not isinstance(key, str):
            yield path, f"has a key of type {type(key).__name__}; the keys of an object are text"
        elif not is_clean(key):
            yield path, f"has the key {clean_text(key)!r}, which {_UNSTORABLE}"
        else:
            yield from value_faults(member, f"{path}.{key}" if path else key, level + 1)


def plain(value: Any) -> Any:
    """Return a copy of a JSON value whose objects are dicts and whose lists are lists, its numbers as rows keep them.

    A whole number written with an exponent, such as `1e16`, is that whole number: columns of JSON have no exponents,
    and what a suite says must not depend on where it is kept.
    """
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, float):
        return _without_exponent(value)
    return [plain(element) for element in value] if isinstance(value, list | tuple) else value


def _without_exponent(value: float) -> float:
    return int(value) if abs(value) >= _WHOLE and int(value) in INTEGERS else value + 0.0  # -0.0 is 0.0


def parsed(text: str) -> tuple[Any, list[Problem]]:
    """Return the value that JSON text holds, as far as there is one, and what is wrong with the text.

    Where there is a value all the same, as with NUL in a text, `value_faults` finds the item and the field.

    Args:
        text: The text; a byte order mark at its beginning is passed over.
    """
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if not text.strip():
        return None, [Problem(None, DATASET, "is empty; write a list of items")]
    try:
        return parse_document(text), []
    except JsonFault as fault:
        line = text.count("\n", 0, fault.position) + 1
        column = fault.position - text.rfind("\n", 0, fault.position)
        lines = "; one object in each line is JSON Lines, and no list" if _looks_like_lines(text, fault) else ""
        return _leniently(text), [Problem(None, DATASET, f"{fault.message} (line {line}, column {column}){lines}")]


def _looks_like_lines(text: str, fault: JsonFault) -> bool:
    return "more text follows" in fault.message and text.lstrip().startswith("{") and text[fault.position] == "{"


def _leniently(text: str) -> Any:
    """Return the value of a text that is JSON but for values and depths that are refused; `None` for any other."""
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        msg = "a key is there twice"
        raise ValueError(msg)
    return members
