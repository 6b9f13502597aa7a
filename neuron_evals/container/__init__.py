"""Builds what the settings name: evaluators, agents, providers, tools, outputs, assertions, runner and cache."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from neuron_evals.container.building import build
from neuron_evals.container.drivers import output_drivers
from neuron_evals.container.injection import make
from neuron_evals.container.runners import make_in_place_runner, make_runner
from neuron_evals.registries.assertions import assertion_types

if TYPE_CHECKING:
    from neuron_evals.container.agents import build_agent, get_agent, get_judge
    from neuron_evals.container.caches import make_cache
    from neuron_evals.container.defaults import suite_defaults
    from neuron_evals.container.imports import suite_import
    from neuron_evals.container.launchers import make_launcher
    from neuron_evals.registries.providers import get_provider, named_model
    from neuron_evals.registries.tools import get_tool

__all__ = [
    "assertion_types",
    "build",
    "build_agent",
    "get_agent",
    "get_judge",
    "get_provider",
    "get_tool",
    "make",
    "make_cache",
    "make_in_place_runner",
    "make_launcher",
    "make_runner",
    "named_model",
    "output_drivers",
    "suite_defaults",
    "suite_import",
]

_WHEN_USED = {
    "build_agent": "container.agents",
    "get_agent": "container.agents",
    "get_judge": "container.agents",
    "get_provider": "registries.providers",
    "get_tool": "registries.tools",
    "make_cache": "container.caches",
    "make_launcher": "container.launchers",
    "named_model": "registries.providers",
    "suite_defaults": "container.defaults",
    "suite_import": "container.imports",
}
"""Names that are imported when they are first used: many commands talk to no model, and cache nothing."""

if not TYPE_CHECKING:  # type checkers would take any name for one of these

    def __getattr__(name: str) -> object:
        """Return a name that is imported when it is first used, and keep it."""
        if name not in _WHEN_USED:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"neuron_evals.{_WHEN_USED[name]}"), name)
        globals()[name] = value
        return value
