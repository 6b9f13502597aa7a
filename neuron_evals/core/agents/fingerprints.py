"""What an agent is made of as one hash, so that a cache can tell whether its answers may differ."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import Unserialisable, canonical_json, dump_json

if TYPE_CHECKING:
    from neuron_evals.core.agents.turns import Setup


def fingerprint_of(setup: Setup) -> str:
    """Return a hash of provider, model, instructions, settings and tools; empty when the provider has none.

    It is empty too when the tools depend on something that is no JSON value: nothing tells when that changes.
    Of a tool's function it takes the source and what it was built with: of objects, as that of a bound method, their
    texts and numbers. What it calls in turn has no part in it.
    """
    if not setup.provider.fingerprint:
        return ""
    tools = [[tool.spec, facts_of(tool.function), facts_of(tool.approval)] for tool in setup.tools]
    facts: list[object] = [
        setup.provider.fingerprint,
        setup.model,
        setup.instructions,
        setup.settings,
        setup.max_steps,
        tools,
    ]
    if setup.opening:
        facts.append(setup.opening)
    if setup.deps is not None:
        try:
            facts.append({"deps": dump_json(setup.deps)})
        except Unserialisable:
            return ""
    return hashlib.sha256(canonical_json(facts).encode()).hexdigest()


def facts_of(value: Any) -> object:
    """Return what shapes how a value behaves: functions by their source and what they hold, objects by their fields.

    Args:
        value: Anything. A callable without a source is told by where it is defined.
    """
    if isinstance(value, Mapping):
        return {name: facts_of(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [facts_of(member) for member in value]
    if isinstance(value, BaseException):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.compare]
        return [_place(value), {name: facts_of(getattr(value, name)) for name in fields}]
    return _facts_of_callable(value) if callable(value) else value


def _facts_of_callable(function: Any) -> object:
    if isinstance(function, functools.partial):
        return [facts_of(function.func), facts_of(function.args), facts_of(function.keywords)]
    if inspect.ismethod(function):
        return [_facts_of_callable(function.__func__), _state(function.__self__)]
    try:
        held = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
        return [inspect.getsource(function), {name: _state(value) for name, value in held.items()}]
    except (OSError, TypeError, ValueError):
        return [_place(function), _state(function)]


def _state(value: Any) -> object:
    """Return what tells objects of one class apart: their texts, numbers and the like; nothing else tells.

    Lists and dicts do not count: they are rather what an object collects than what it was made with.
    """
    if isinstance(value, type) or inspect.isroutine(value) or not hasattr(value, "__dict__"):
        return _place(value) if callable(value) else value
    return [_place(value), {name: held for name, held in vars(value).items() if isinstance(held, _PLAIN)}]


def _place(value: Any) -> str:
    kind = value if hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


_PLAIN = (str, int, float, type(None))
