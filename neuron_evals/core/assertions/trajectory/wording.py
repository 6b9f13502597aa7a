"""How reasons show tool calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.wording import visible
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.trajectories import described_call

if TYPE_CHECKING:
    from neuron_evals.core.messages import ToolCall

SHOWN_CALLS = 20
"""Calls that a reason shows one by one; it says how many more there are."""


def times(number: int) -> str:
    """Return how often: `once`, `2 times`."""
    return "once" if number == 1 else f"{number:,} times"


def listed(parts: Sequence[str]) -> str:
    """Return the first parts of a list, and how many more there are."""
    shown = ", ".join(islice(parts, SHOWN_CALLS))
    return shown if len(parts) <= SHOWN_CALLS else f"{shown} and {len(parts) - SHOWN_CALLS:,} more"


def shown_calls(calls: Iterable[ToolCall]) -> str:
    """Return calls with their arguments."""
    return listed([visible(described_call(call)) for call in calls])


def what_was_called(calls: Sequence[ToolCall]) -> str:
    """Return a clause about all calls of a conversation."""
    return f"called were: {shown_calls(calls)}" if calls else "no tool was called"


def shown_constraint(constraint: Any) -> str:
    """Return what arguments must be, in the form of `shown_calls`; predicates by their name or `repr`."""
    return visible(_written(constraint))


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{canonical_json(key)}:{_written(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    # The repr of a function holds its address, which differs from run to run.
    return (getattr(value, "__qualname__", None) or repr(value)) if callable(value) else canonical_json(value)


def type_differences(constraint: object, arguments: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return a clause for each of the named arguments; empty unless all of them differ in nothing but their types."""
    clauses: list[str] = []
    for name in names:
        expected = constraint[name] if isinstance(constraint, Mapping) else None
        actual = arguments.get(name)
        if name not in arguments or not _alike(expected, actual):
            return []
        clauses.append(f"{name} is {_typed(actual)}, expected {_typed(expected)}")
    return clauses


def _alike(expected: Any, actual: Any) -> bool:
    if callable(expected) or isinstance(expected, Mapping | list | tuple):
        return False
    return bool(expected == actual) or str(expected) == str(actual)


def _typed(value: Any) -> str:
    return f"{visible(repr(value))} ({type(value).__name__})"
