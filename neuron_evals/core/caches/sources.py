"""What `run` of an evaluator consists of: its own code, and that of what it names through `self`, transitively."""

from __future__ import annotations

import inspect
from collections.abc import Set
from dataclasses import dataclass, field
from types import MemberDescriptorType
from typing import Any, Final

from neuron_evals.core.caches.functions import code_of, functions_of
from neuron_evals.core.results import full_name

_NOTHING: Final = object()
_NEVER: Final = {"evaluate"}
"""How an output is judged is no part of how it came about."""


@dataclass(slots=True)
class RunSource:
    """What `run` consists of.

    Attributes:
        functions: The code of each function, by class and name. Empty when `run` is no Python function, so that nothing
            can be known of it.
        values: What else `run` reads through `self` and does not set, by name.
    """

    functions: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def run_source(evaluator: object) -> RunSource:
    """Return what `run` of an evaluator consists of; `evaluate` is never a part of it, whoever names it."""
    return _Walk(evaluator).result()


def attribute(owner: object, name: str) -> Any:
    """Return an attribute without running code of its class: a property gives itself. `None` when there is none."""
    value = inspect.getattr_static(owner, name, None)
    if isinstance(value, MemberDescriptorType):
        return getattr(owner, name, None)
    return value


class _Walk:
    """Follows names from function to function; each is taken once, so that a cycle ends."""

    def __init__(self, evaluator: object) -> None:
        self._evaluator = evaluator
        self._mro = type(evaluator).__mro__
        self._own: dict[str, Any] = getattr(evaluator, "__dict__", {})
        self._functions: dict[str, str] = {}
        self._read: set[str] = set()
        self._bound: set[str] = set()
        self._pending: list[tuple[str, int]] = []

    def result(self) -> RunSource:
        """Return everything that `run` leads to."""
        seen: set[tuple[str, int]] = set()
        self._pending = [("run", 0)]
        while self._pending:
            step = self._pending.pop()
            if step not in seen:
                seen.add(step)
                self._follow(*step)
        values = {name: attribute(self._evaluator, name) for name in sorted(self._read - self._bound)}
        return RunSource(self._functions, values)

    def _follow(self, name: str, start: int) -> None:
        """Take what a name stands for that is looked up from a position in the MRO on."""
        value, position = self._found(name, start)
        if value is _NOTHING:
            return
        owner = self._mro[position]
        functions = list(functions_of(value))
        for number, function in enumerate(functions):
            code = code_of(function, owner.__name__)
            self._functions[f"{full_name(owner)}.{name}/{number}"] = code.text
            self._bound |= code.bound
            self._look_for(code.names, 0)
            self._look_for(code.inherited, position + 1)
        if not functions:
            self._read.add(name)

    def _look_for(self, names: Set[str], start: int) -> None:
        self._pending += [(name, start) for name in names - _NEVER]

    def _found(self, name: str, start: int) -> tuple[Any, int]:
        """Return what a name stands for, and the position of the class it belongs to."""
        if start == 0 and name in self._own:
            return self._own[name], 0
        for position, cls in enumerate(self._mro[start:], start):
            if name in vars(cls):
                return vars(cls)[name], position
        return _NOTHING, 0
