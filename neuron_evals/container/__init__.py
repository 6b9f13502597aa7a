"""Builds what the settings name: evaluators, agents, providers, tools, outputs, assertions, runner and cache."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from neuron_evals.container.assertions import assertion_types
from neuron_evals.container.building import build
from neuron_evals.container.drivers import output_drivers
from neuron_evals.container.injection import make
from neuron_evals.container.runners import make_runner

if TYPE_CHECKING:
    from neuron_evals.container.agents import get_agent, get_tool
    from neuron_evals.container.caches import make_cache
    from neuron_evals.container.imports import suite_import
    from neuron_evals.container.providers import get_provider, named_model

__all__ = [
    "assertion_types",
    "build",
    "get_agent",
    "get_provider",
    "get_tool",
    "make",
    "make_cache",
    "make_runner",
    "named_model",
    "output_drivers",
    "suite_import",
]

_WHEN_USED = {
    "get_agent": "agents",
    "get_provider": "providers",
    "get_tool": "agents",
    "make_cache": "caches",
    "named_model": "providers",
    "suite_import": "imports",
}
"""Names that are imported when they are first used: many commands talk to no model, and cache nothing."""

if not TYPE_CHECKING:  # type checkers would take any name for one of these

    def __getattr__(name: str) -> object:
        """Return a name that is imported when it is first used, and keep it."""
        if name not in _WHEN_USED:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"{__name__}.{_WHEN_USED[name]}"), name)
        globals()[name] = value
        return value
