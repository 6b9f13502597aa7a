"""Agents by name: whoever knows the names says so here, as the app does where Django is set up.

It stands this low, and knows no agent, so that an app that starts need not load any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neuron_evals.core.exceptions import ConfigurationError

_resolvers: list[Callable[[str], Any]] = []


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
