"""Agents written in code, by the names that the `AGENTS` setting gives them."""

from __future__ import annotations

import inspect
from typing import Any

from neuron_evals import conf
from neuron_evals.container.building import build
from neuron_evals.core.agents import BaseAgent, as_agent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.registries.backends import refuse_unknown
from neuron_evals.registries.dotted import described, resolve


def coded_agent(name: str) -> BaseAgent:
    """Return the agent of that name, with an empty conversation: a class is built by the container, each time anew.

    Args:
        name: A name in the `AGENTS` setting.

    Raises:
        ConfigurationError: There is no such name, or the agent cannot be built.
        SettingsError: The entry names no agent.
    """
    agents = conf.read().agents
    if name not in agents:
        refuse_unknown("agent", "AGENTS", name, agents)
    found = agent_target(name, agents[name])
    if isinstance(found, type):
        return as_agent(build(found))
    if _is_factory(found):
        try:
            return as_agent(found())
        except Exception as exc:
            msg = f"{_place('AGENTS', name)}: {agents[name]}(): {described(exc)}"
            raise ConfigurationError(msg) from exc
    return as_agent(found).fresh()


def agent_target(name: str, path: str) -> Any:
    """Return what an entry of the `AGENTS` setting names: a class, a function that makes an agent, or an agent.

    Raises:
        SettingsError: It cannot be imported, or is none of these.
    """
    where = _place("AGENTS", name)
    found = resolve(path, where)
    try:
        if isinstance(found, type):
            _refuse_class(found)
        elif not _is_factory(found):
            as_agent(found)
    except ConfigurationError as exc:
        hint = "Name an agent, a class or function that makes one, or a function from text to text."
        raise conf.SettingsError([conf.Problem("E005", f'{where}: "{path}" is no agent: {exc}', hint)]) from exc
    return found


def _refuse_class(cls: type) -> None:
    if inspect.isabstract(cls):
        msg = "the class is abstract"
        raise ConfigurationError(msg)
    missing = [method for method in ("chat", "fresh") if not callable(getattr(cls, method, None))]
    if missing:
        msg = f"the class has no {' and no '.join(missing)}"
        raise ConfigurationError(msg)


def _is_factory(found: Any) -> bool:
    """Return whether something is a function without parameters: an agent takes at least the text."""
    try:
        return inspect.isroutine(found) and not inspect.signature(found).parameters
    except ValueError:  # written in C, without a signature
        return False


def _place(setting: str, name: str) -> str:
    return f'{conf.NAME}["{setting}"]["{name}"]'
