"""What counts as equal: Python's `==`, but a bool is no number, NaN equals nothing, and depth does not matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import Any

from neuron_evals.core.exceptions import InvalidInput

_CONTAINERS = (list, tuple, Mapping, AbstractSet)


def equal(actual: Any, expected: Any) -> bool:
    """Return whether two values are equal, comparing lists, tuples, mappings and sets member by member.

    Raises:
        InvalidInput: Two members cannot be compared: `==` raised, or gave something else than true or false.
    """
    pairs = [(actual, expected)]
    seen: set[tuple[int, int]] = set()
    while pairs:
        left, right = pairs.pop()
        if not (isinstance(left, _CONTAINERS) and isinstance(right, _CONTAINERS)):
            if not _equal_leaves(left, right):
                return False
        elif (id(left), id(right)) not in seen:  # a value that contains itself ends here
            seen.add((id(left), id(right)))
            members = _members(left, right)
            if members is None:
                return False
            pairs.extend(members)
    return True


def _members(left: Any, right: Any) -> Iterator[tuple[Any, Any]] | None:
    """Return the pairs of members to compare; `None` when the containers differ already."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        if _typed(left) != _typed(right):
            return None
        return ((value, right[key]) for key, value in left.items())
    if isinstance(left, AbstractSet) and isinstance(right, AbstractSet):
        return iter(()) if _typed(left) == _typed(right) else None
    same_kind = any(isinstance(left, kind) and isinstance(right, kind) for kind in (list, tuple))
    if same_kind and len(left) == len(right):
        return zip(left, right, strict=True)
    return None


def _typed(keys: Any) -> set[tuple[bool, Any]]:
    """Return keys or members of a set so that True differs from 1."""
    return {(isinstance(key, bool), key) for key in keys}


def _equal_leaves(left: Any, right: Any) -> bool:
    if isinstance(left, bool) != isinstance(right, bool) and isinstance(left, Number) and isinstance(right, Number):
        return False
    try:
        found = left == right
    except Exception as exc:
        msg = f"comparing {type(left).__name__} with {type(right).__name__} raised {type(exc).__name__}: {exc}"
        raise InvalidInput(msg) from exc
    # A scalar of numpy compares to a bool of numpy, which has the shape ().
    if not isinstance(found, bool) and getattr(found, "shape", None) != ():
        msg = (
            f"comparing {type(left).__name__} with {type(right).__name__} gave {type(found).__name__}, "
            "not true or false; compare a plain value, such as array.tolist()"
        )
        raise InvalidInput(msg)
    return bool(found)
