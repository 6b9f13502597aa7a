"""Strict comparison of JSON values, with predicates in place of values.

Types count: 10 differs from 10.0, 1 from True, "123" from 123. Objects are compared whole, whatever the order of their
keys, unless a subset is asked for; arrays are compared in order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from neuron_evals.core.exceptions import InvalidArgument

Constraint = Mapping[str, Any] | Callable[[Mapping[str, Any]], object]
"""What the arguments of a call must be: some of them by name, or a predicate on all of them."""

_KINDS = (bool, int, float, str)


def require_constraint(owner: str, role: str, constraint: Any) -> None:
    """Refuse what constrains no arguments.

    Raises:
        InvalidArgument: `constraint` is neither a mapping nor a predicate, or holds a type or an asynchronous function,
            which would be true for every value.
    """
    if not isinstance(constraint, Mapping) and not callable(constraint):
        msg = f"{owner}: {role} must be a mapping or a callable, got {type(constraint).__name__}"
        raise InvalidArgument(msg)
    waiting = [(role, constraint)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend((f"{place}[{key!r}]", member) for key, member in value.items())
        elif isinstance(value, list | tuple):
            waiting.extend((f"{place}[{position}]", member) for position, member in enumerate(value))
        elif isinstance(value, type):
            msg = f"{owner}: {place} is the type {value.__name__}; write IsA(...) of neuron_evals.matchers"
            raise InvalidArgument(msg)
        elif inspect.iscoroutinefunction(value):
            msg = f"{owner}: {place} is an asynchronous function; a predicate returns its answer"
            raise InvalidArgument(msg)


def fits(constraint: Constraint | None, arguments: Mapping[str, Any], *, nested: bool = False) -> bool:
    """Return whether the arguments of one call are as wanted.

    Args:
        constraint: Each listed argument must be there and equal, others may be there too; or a predicate that is given
            all arguments; `None` wants nothing. A callable in place of a value is a predicate on that value.
        arguments: The arguments of the call.
        nested: Whether objects inside the arguments may have more keys too.
    """
    if constraint is None:
        return True
    if not isinstance(constraint, Mapping):
        return _holds(constraint, arguments)
    return next(mismatches(constraint, arguments, nested=nested), None) is None


def mismatches(constraint: Mapping[str, Any], arguments: Mapping[str, Any], *, nested: bool = False) -> Iterator[str]:
    """Yield the names of the listed arguments that are missing or not as wanted; see `fits`."""
    for name, expected in constraint.items():
        if name not in arguments or not same(expected, arguments[name], nested=nested):
            yield name


def same(expected: Any, actual: Any, *, nested: bool = False) -> bool:
    """Return whether a value is as wanted, types included.

    Args:
        expected: A JSON value; a callable in it is a predicate on what stands in its place.
        actual: A JSON value.
        nested: Whether objects may have more keys than wanted.
    """
    pairs = [(expected, actual)]
    while pairs:
        wanted, found = pairs.pop()
        if callable(wanted):
            if not _holds(wanted, found):
                return False
        elif isinstance(wanted, Mapping) and isinstance(found, Mapping):
            if not (wanted.keys() <= found.keys() if nested else wanted.keys() == found.keys()):
                return False
            pairs.extend((member, found[key]) for key, member in wanted.items())
        elif isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
            if len(wanted) != len(found):
                return False
            pairs.extend(zip(wanted, found, strict=True))
        elif _kind(wanted) is not _kind(found) or wanted != found:
            return False
    return True


def _holds(predicate: Callable[[Any], object], value: Any) -> bool:
    answer = predicate(value)
    if inspect.isawaitable(answer):
        # It would count as true, whatever it gives.
        msg = "a predicate must return its answer at once, and it returned something to await"
        raise InvalidArgument(msg)
    return bool(answer)


def _kind(value: Any) -> type:
    """Return the type that counts: members of enumerations and marked-up texts are what they hold."""
    return next((kind for kind in _KINDS if isinstance(value, kind)), type(value))
