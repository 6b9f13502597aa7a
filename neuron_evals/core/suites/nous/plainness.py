"""A case as plain data: what code put into it is replaced by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CODE_KEYS = ("expected", "eval_config", "tools", "agent_config", "deps", "setup", "teardown")
"""The keys under which code may put objects: a schema, an evaluator, tools, an output type, what tools depend on."""


def named(value: Any) -> Any:
    """Return a value in which each object that is no JSON value is replaced by its name."""
    if isinstance(value, Mapping):
        return {key: named(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [named(member) for member in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    place = value if hasattr(value, "__qualname__") else type(value)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) and name else f"{place.__module__}.{place.__qualname__}"


def with_names(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a case whose objects are named where code may put them; elsewhere they are mistakes."""
    return {key: named(value) if key in CODE_KEYS else value for key, value in case.items()}
