"""How much of a text or of JSON a row keeps, and the mark where something was cut."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from neuron_evals import conf
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.core.jsonable.text import MIN_LIMIT

MIN_BYTES: Final = 1_000
"""Smallest size that a value can be cut to, in bytes."""

_LEAST: Final = 160
"""Bytes that a member of a container gets at least; those for which there is no such place are left out."""
_MARK: Final = 48
_LONGEST_KEY: Final = 100
_ENCODE: Final = json.JSONEncoder().encode


def cut_text(text: str, limit: int | None = None) -> tuple[str, bool]:
    """Return a text as a row keeps it, and whether it was cut.

    Args:
        text: Any text; it is cleaned by `clean_text`.
        limit: Most bytes (UTF-8) of what is returned, 1,000 or more; `STORED_BYTES` of the setting `LIMITS` by default.

    Returns:
        The text; one that is too long ends in a mark with its whole length and a hash.

    Raises:
        InvalidArgument: `limit` is below 1,000.
    """
    cleaned = clean_text(text)
    kept = _fitting_text(cleaned, _checked(limit), _utf8)
    return kept, kept is not cleaned


def cut_json(value: object, limit: int | None = None) -> tuple[Any, bool]:
    """Return a value as the JSON that a row keeps, and whether it was cut.

    Every part of a value that is too large gets the same share of the place, and what does not need its share leaves it
    to the others: one long text does not push out the rest. Long texts end in the mark of `cut_text`, a list that is
    cut ends in `"[cut: 5 more values]"`, an object has `"[cut]": "5 more keys"`.

    Args:
        value: Anything; it is cleaned by `clean_json`.
        limit: Most bytes of its JSON text (ASCII, as it is sent to databases), 1,000 or more; by default as `cut_text`.

    Returns:
        New containers, of the same kind on top.

    Raises:
        InvalidArgument: `limit` is below 1,000.
    """
    most = _checked(limit)
    cleaned = clean_json(value)
    kept, _ = fitting_json(cleaned, json_text(cleaned), most)
    return kept, kept is not cleaned


def fitting_json(cleaned: Any, text: str, limit: int | None = None) -> tuple[Any, str]:
    """Do what `cut_json` does with a value that is cleaned already.

    Args:
        cleaned: The value.
        text: Its JSON text, as `json_text` gives it.
        limit: As for `cut_json`.

    Returns:
        The value and its JSON text: what was given, when it is small enough.
    """
    most = _checked(limit)
    if len(text) <= most:
        return cleaned, text
    kept = _fitting(cleaned, most)
    return kept, json_text(kept)


def json_text(cleaned: object) -> str:
    """Return the JSON text of a cleaned value as it is sent to databases: ASCII alone."""
    return _ENCODE(cleaned)


def json_bytes(cleaned: object) -> int:
    """Return how many bytes the JSON text of a cleaned value has, as it is sent to databases."""
    return len(_ENCODE(cleaned))


def _checked(limit: int | None) -> int:
    if limit is None:
        return conf.read().limits.stored_bytes
    if limit < MIN_BYTES:
        msg = f"the limit is {MIN_BYTES} bytes or more, got {limit}"
        raise InvalidArgument(msg)
    return limit


def _utf8(text: str) -> int:
    return len(text.encode())


def _in_json(text: str) -> int:
    return json_bytes(text) - 2


def _fitting_text(text: str, limit: int, cost: Callable[[str], int]) -> str:
    """Return `text`, or as much of it as fits; `cost` tells the bytes of a text."""
    if len(text) <= limit and cost(text) <= limit:
        return text
    room = limit - _utf8("\u2026") * 2  # the mark's first character costs more than the one whose place it takes
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return clean_text(text, low) if low >= MIN_LIMIT else f"[cut: {len(text)} characters]"


def _fitting(value: Any, limit: int) -> Any:
    """Return a cleaned value, whose JSON has more than `limit` bytes, cut to them."""
    if isinstance(value, str):
        return _fitting_text(value, limit - 2, _in_json)
    if isinstance(value, list):
        return _fitting_list(value, limit)
    if isinstance(value, dict):
        return _fitting_object(value, limit)
    return "[cut]"


def _fitting_list(members: list[Any], limit: int) -> list[Any]:
    shares = _shares((json_bytes(member) + 2 for member in members), limit - 2 - _MARK)
    kept = [
        member if size <= share else _fitting(member, share - 2)
        for member, (size, share) in zip(members, shares, strict=False)
    ]
    left_out = len(members) - len(kept)
    return [*kept, f"[cut: {left_out} more values]"] if left_out else kept


def _fitting_object(members: dict[str, Any], limit: int) -> dict[str, Any]:
    names = [_short_key(key) for key in members]
    costs = [json_bytes(name) + 4 for name in names]
    sizes = (json_bytes(member) + cost for member, cost in zip(members.values(), costs, strict=True))
    shares = _shares(sizes, limit - 2 - _MARK)
    kept = {
        name: member if size <= share else _fitting(member, share - cost)
        for name, member, cost, (size, share) in zip(names, members.values(), costs, shares, strict=False)
    }
    left_out = len(members) - len(kept)
    if left_out:
        kept[_free_key(kept)] = f"{left_out} more keys"
    return kept


def _shares(sizes: Iterable[int], room: int) -> list[tuple[int, int]]:
    """Return, for as many members as there is place for, the bytes each has and the bytes each gets."""
    kept = []
    needed = 0
    for size in sizes:
        needed += min(size, _LEAST)
        if needed > room:
            break
        kept.append(size)
    level, left = 0, room
    for number, size in enumerate(sorted(kept)):
        level = left // (len(kept) - number)
        if size > level:
            break
        left -= size
    return [(size, min(size, level)) for size in kept]


def _short_key(key: str) -> str:
    if len(key) <= _LONGEST_KEY and _in_json(key) <= _LONGEST_KEY:
        return key
    return f"[key of {len(key)} characters, sha256 {hashlib.sha256(key.encode()).hexdigest()[:12]}]"


def _free_key(taken: dict[str, Any]) -> str:
    key = "[cut]"
    while key in taken:
        key += "*"
    return key
