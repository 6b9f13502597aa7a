"""What an agent is made of as one hash, so that a cache can tell whether its answers may differ."""

from __future__ import annotations

import functools
import hashlib
import inspect
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import canonical_json

if TYPE_CHECKING:
    from neuron_evals.core.agents.turns import Setup


def fingerprint_of(setup: Setup) -> str:
    """Return a hash of provider, model, instructions, settings and tools; empty when the provider has none.

    Of a tool's function it takes the source and what it was built with; what it calls in turn has no part in it.
    """
    if not setup.provider.fingerprint:
        return ""
    tools = [[tool.spec, _facts(tool.function), _facts(tool.approval)] for tool in setup.tools]
    facts = [setup.provider.fingerprint, setup.model, setup.instructions, setup.settings, setup.max_steps, tools]
    return hashlib.sha256(canonical_json(facts).encode()).hexdigest()


def _facts(function: Any) -> object:
    """Return the source of a function with the values it holds, or where it is defined when there is no source."""
    if isinstance(function, functools.partial):
        return [_facts(function.func), function.args, function.keywords]
    if not callable(function):
        return function
    try:
        held = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
        return [inspect.getsource(function), {name: value for name, value in held.items() if not callable(value)}]
    except (OSError, TypeError, ValueError):
        kind = function if hasattr(function, "__qualname__") else type(function)
        return f"{kind.__module__}.{kind.__qualname__}"
