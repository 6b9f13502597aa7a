"""JSON values compared: equal, or one a part of the other; and the first place where that does not hold.

Numbers are compared by value, so 1 equals 1.0; true and false are no numbers; the order of keys never counts. A place
is written as `JsonPath` reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from neuron_evals.core.assertions.wording import shown, shown_json

WHOLE = "the whole value"
"""How a place is called that is no part of another."""

_PLAIN_KEY = re.compile(r"[^\s.\[\]\"$]+")

Compare = Callable[[Any, Any, str], str | None]


def key_place(place: str, key: str) -> str:
    """Return the place of a key's value in the object at `place`; the place of the whole value is empty."""
    if _PLAIN_KEY.fullmatch(key) is None:
        return f"{place}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{place}.{key}" if place else key


def written_path(steps: Iterable[str | int]) -> str:
    """Return the place to which keys and indexes lead."""
    place = ""
    for step in steps:
        place = f"{place}[{step}]" if isinstance(step, int) else key_place(place, step)
    return place or WHOLE


def difference(actual: Any, expected: Any, place: str = "") -> str | None:
    """Return where two values first differ and how; `None` when they are equal."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in actual:
            if key not in expected:
                return f"at {place or WHOLE}: unexpected key {shown(key)}"
        return _keys_differ(actual, expected, place, difference)
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (one, other) in enumerate(zip(actual, expected, strict=False)):
            found = difference(one, other, f"{place}[{index}]")
            if found is not None:
                return found
        if len(actual) != len(expected):
            return f"at {place or WHOLE}: expected a list of {len(expected)}, got one of {len(actual)}"
        return None
    return _leaves_differ(actual, expected, place)


def missing_part(actual: Any, expected: Any, place: str = "") -> str | None:
    """Return where `expected` is no part of `actual` and how; `None` when it is a part.

    An object is a part of one that has its keys, each value a part of the other's. A list is a part of one in which
    each of its elements is a part of an element of its own, in any order. Anything else is a part of what equals it.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _keys_differ(actual, expected, place, missing_part)
    if isinstance(expected, list) and isinstance(actual, list):
        left_out = _without_partner(actual, expected)
        if left_out is None:
            return None
        element = f"element {left_out} of the expected list, {shown_json(expected[left_out])}"
        if any(missing_part(one, expected[left_out]) is None for one in actual):
            return f"at {place or WHOLE}: {element}, matches only what other elements need"
        return f"at {place or WHOLE}: {element}, matches nothing in {shown_json(actual)}"
    return _leaves_differ(actual, expected, place)


def _keys_differ(actual: Mapping[str, Any], expected: Mapping[str, Any], place: str, compare: Compare) -> str | None:
    for key, value in expected.items():
        if key not in actual:
            return f"at {place or WHOLE}: key {shown(key)} is missing"
        found = compare(actual[key], value, key_place(place, key))
        if found is not None:
            return found
    return None


def _leaves_differ(actual: Any, expected: Any, place: str) -> str | None:
    if isinstance(actual, bool) is isinstance(expected, bool) and actual == expected:
        return None
    return f"at {place or WHOLE}: expected {shown_json(expected)}, got {shown_json(actual)}"


def _without_partner(actual: Sequence[Any], expected: Sequence[Any]) -> int | None:
    """Return the index of an expected element that is left out when as many as possible are given one of their own."""
    given: dict[int, int] = {}
    for index in range(len(expected)):
        if not _give(index, actual, expected, given):
            return index
    return None


def _give(wanting: int, actual: Sequence[Any], expected: Sequence[Any], given: dict[int, int]) -> bool:
    """Give an expected element an actual one; others change theirs where that helps. Updates `given`."""
    asked_by: dict[int, int] = {}  # an actual element -> the expected one that would take it
    queue = [wanting]
    for candidate in queue:
        for position, value in enumerate(actual):
            if position in asked_by or missing_part(value, expected[candidate]) is not None:
                continue
            asked_by[position] = candidate
            if position in given:
                queue.append(given[position])
                continue
            _pass_on(position, wanting, asked_by, given)
            return True
    return False


def _pass_on(position: int, wanting: int, asked_by: Mapping[int, int], given: dict[int, int]) -> None:
    """Give `position` to who asked for it; who had another gives that to who asked for that, and so on."""
    while True:
        owner = asked_by[position]
        freed = next((had for had, holder in given.items() if holder == owner), None)
        given[position] = owner
        if owner == wanting or freed is None:
            return
        position = freed
