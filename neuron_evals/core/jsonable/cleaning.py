"""`clean_json`: any value as JSON that every database stores and gives back unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from typing import Any, Final

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable.exact_types import INTEGERS
from neuron_evals.core.jsonable.foreign import plain
from neuron_evals.core.jsonable.text import clean_text, is_clean

MAX_DEPTH: Final = 30
"""How many objects and arrays may stand inside one another; MariaDB refuses JSON from 32 on."""

MAX_VALUES: Final = 1_000_000
"""How many values one cleaned value may hold: a few lists that hold each other twice would grow without end."""

_DEEPEST: Final = 100
_CYCLE: Final = "[cut: contains itself]"
_FULL: Final = f"[cut: more than {MAX_VALUES} values]"
_DECIMAL_BITS: Final = 2048
_INFINITY: Final = float("inf")


def clean_json(value: object, max_depth: int = MAX_DEPTH) -> Any:
    """Return `value` as JSON: `None`, booleans, integers, finite floats, text, lists, and dicts with text keys.

    It is total: no object, however broken, makes it raise. Cleaning what it returned changes nothing, and the same
    value gives the same JSON in every process. NaN and infinities become `None`; integers beyond 64 bits, `Decimal`,
    UUIDs and paths become text; dates and times ISO 8601 text; a `timedelta` its seconds; bytes `{"$bytes": base64}`;
    sets lists in a stable order; dataclasses, pydantic models and mappings dicts; numpy values what they hold. Of any
    other object only its type is told, as `[package.module.Class]`: its `repr` may hold addresses and secrets.

    Args:
        value: Anything.
        max_depth: How many containers may stand inside one another, 1 to 100; those further inside become a marker.

    Returns:
        New containers; nothing in them is shared with `value`.

    Raises:
        InvalidArgument: `max_depth` is not from 1 to 100.
    """
    if not 1 <= max_depth <= _DEEPEST:
        msg = f"clean_json: max_depth must be from 1 to {_DEEPEST}, got {max_depth}"
        raise InvalidArgument(msg)
    return _Cleaning(max_depth).clean(value, 1)


class _Cleaning:
    """One call of `clean_json`: its limits, and the containers it stands in."""

    __slots__ = ("inside", "left", "max_depth")

    def __init__(self, max_depth: int) -> None:
        self.max_depth = max_depth
        self.left = MAX_VALUES
        self.inside: set[int] = set()

    def clean(self, value: Any, level: int) -> Any:
        """Return `value` as JSON; `level` is how deep a container would stand here."""
        rule = _RULES.get(type(value))
        return self.as_foreign(value, level) if rule is None else rule(self, value, level)

    def as_text(self, value: str, _level: int) -> str:
        return value if value.isascii() and "\x00" not in value else clean_text(value)

    def as_same(self, value: Any, _level: int) -> Any:
        return value

    def as_integer(self, value: int, _level: int) -> int | str:
        if value in INTEGERS:
            return value
        # Decimal digits cost quadratic time and Python refuses thousands of them.
        return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)

    def as_number(self, value: float, _level: int) -> float | None:
        return value if -_INFINITY < value < _INFINITY else None

    def as_object(self, value: dict[Any, Any], level: int) -> Any:
        # Copies, because a thread that was given up may still be changing the value.
        pairs = list(value.items())
        marker = self._cut(value, len(pairs), level)
        if marker is not None:
            return marker
        self.inside.add(id(value))
        keys = [key for key, _ in pairs]
        names = keys if set(map(type, keys)) <= _TEXT and is_clean("".join(keys)) else self._names(keys, level)
        cleaned = {}
        for name, (_, member) in zip(names, pairs, strict=True):
            if type(member) is str and member.isascii() and "\x00" not in member:
                cleaned[name] = member
            else:
                cleaned[name] = self.clean(member, level + 1)
        self.inside.discard(id(value))
        return cleaned

    def as_array(self, value: list[Any] | tuple[Any, ...], level: int) -> Any:
        members = list(value)
        marker = self._cut(value, len(members), level)
        if marker is not None:
            return marker
        self.inside.add(id(value))
        cleaned = [self.clean(member, level + 1) for member in members]
        self.inside.discard(id(value))
        return cleaned

    def as_foreign(self, value: Any, level: int) -> Any:
        """Return what an object of another type holds, or its type where that cannot be told."""
        if id(value) in self.inside:
            return _CYCLE
        self.inside.add(id(value))
        try:
            held = plain(value, MAX_VALUES)
            if type(held) is type(value):
                return _placeholder(value)
            cleaned = self.clean(held, level)
            return sorted(cleaned, key=_sorted_text) if isinstance(value, Set) and type(cleaned) is list else cleaned
        except (Exception, SystemExit):
            # Foreign code may raise anything, and cleaning is total.
            return _placeholder(value)
        finally:
            self.inside.discard(id(value))

    def _cut(self, value: object, size: int, level: int) -> str | None:
        """Return the marker for a container that must not be entered, or `None` after counting its values."""
        if level > self.max_depth:
            return f"[cut: deeper than {self.max_depth} levels]"
        if id(value) in self.inside:
            return _CYCLE
        if size > self.left:
            return _FULL
        self.left -= size
        return None

    def _names(self, keys: list[Any], level: int) -> list[str]:
        """Return a text for each key, all different; a key that is clean text already keeps its own."""
        kept = {key for key in keys if type(key) is str and is_clean(key)}
        taken = set(kept)
        names = []
        for key in keys:
            if type(key) is str and key in kept:
                names.append(key)
                continue
            cleaned = self.clean(key, level + 1)
            names.append(_free(cleaned if isinstance(cleaned, str) else _sorted_text(cleaned), taken))
        return names


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    taken.add(free)
    return free


def _sorted_text(cleaned: object) -> str:
    return json.dumps(cleaned, ensure_ascii=False, sort_keys=True)


def _placeholder(value: object) -> str:
    """Return the name of the value's type. None of the type's own code runs, nor its metaclass's."""
    try:
        module, name = (_TYPE[attribute].__get__(type(value)) for attribute in ("__module__", "__qualname__"))
    except AttributeError:
        return "[object]"
    return clean_text(f"[{module}.{name}]") if type(module) is type(name) is str else "[object]"


_TYPE: Final = type.__dict__
_TEXT: Final = {str}
_RULES: Final[dict[type, Callable[[_Cleaning, Any, int], Any]]] = {
    str: _Cleaning.as_text,
    int: _Cleaning.as_integer,
    float: _Cleaning.as_number,
    bool: _Cleaning.as_same,
    type(None): _Cleaning.as_same,
    dict: _Cleaning.as_object,
    list: _Cleaning.as_array,
    tuple: _Cleaning.as_array,
}
