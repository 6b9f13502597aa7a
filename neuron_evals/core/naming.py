"""Agents, models and code by name, and what goes for all suites: whoever knows it says so here.

The app does, where Django is set up.

It stands this low, and knows no agent, so that an app that starts need not load any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neuron_evals.core.exceptions import ConfigurationError

_resolvers: list[Callable[[str], Any]] = []
_models: list[Callable[[str, Any], tuple[Any, str] | None]] = []
_importers: list[Callable[[str], Any]] = []
_defaults: list[Callable[[], Any]] = []


def name_agents_by(resolve: Callable[[str], Any]) -> None:
    """Have agents looked up by name from now on, wherever text is given for an agent.

    Args:
        resolve: Returns the agent of a name with an empty conversation, or raises `ConfigurationError`.
    """
    _resolvers[:] = [resolve]


def agent_by_name(name: str) -> Any:
    """Return the agent of a name.

    Raises:
        ConfigurationError: There is none, or nobody knows names here.
    """
    if not _resolvers:
        msg = (
            "an agent is an Agent, a callable from text to text, or an object with chat() and fresh(); nobody here "
            f"knows agents by name, got {name!r}: names are those of NEURON_EVALS, where Django is set up"
        )
        raise ConfigurationError(msg)
    return _resolvers[0](name)


def name_models_by(resolve: Callable[[str, Any], tuple[Any, str] | None]) -> None:
    """Have models looked up by `provider:model` from now on, wherever the name of a model is given.

    Args:
        resolve: Takes the name and the provider that is asked where it names none, `None` when there is nobody. Returns
            the provider and its name of the model; `None` when it is a name that only the given provider knows, as
            `qwen3:8b` may be; or raises `ConfigurationError`.
    """
    _models[:] = [resolve]


def model_by_name(name: str, asked: Any = None) -> tuple[Any, str] | None:
    """Return the provider that a name such as `local:qwen3` begins with, and its name of the model; else `None`.

    Args:
        name: Name of a model.
        asked: The provider that is asked where the name begins with none; `None` when there is nobody.

    Raises:
        ConfigurationError: The name begins with a provider that there is not, or cannot be built.
    """
    return _models[0](name, asked) if _models and ":" in name else None


def import_suite_names_by(resolve: Callable[[str], Any]) -> None:
    """Have dotted paths in suite files resolved from now on.

    Args:
        resolve: Returns what a path names, or raises `ConfigurationError` where it is not allowed.
    """
    _importers[:] = [resolve]


def importer() -> Callable[[str], Any] | None:
    """Return what resolves dotted paths in suite files; `None` where nobody said."""
    return _importers[0] if _importers else None


def take_suite_defaults_from(told: Callable[[], Any]) -> None:
    """Have suites run with what a project says for all of them, from now on.

    Args:
        told: Returns it, as `SuiteDefaults`, or raises `ConfigurationError`.
    """
    _defaults[:] = [told]


def suite_defaults() -> Any:
    """Return what goes for all suites, as `SuiteDefaults`; `None` where nobody said.

    Raises:
        ConfigurationError: What was said cannot be used.
    """
    return _defaults[0]() if _defaults else None
