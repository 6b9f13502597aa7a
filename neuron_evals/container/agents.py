"""Agents and tools written in code, by the names that the `AGENTS` and `TOOLS` settings give them."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from neuron_evals import conf
from neuron_evals.container.backends import refuse_unknown
from neuron_evals.container.building import build
from neuron_evals.container.dotted import described, resolve
from neuron_evals.core.agents import BaseAgent, Tool, as_agent, as_tool
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument


def get_agent(name: str) -> BaseAgent:
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


def get_tool(name: str) -> Tool:
    """Return the tool of that name; the model calls it by this name too.

    Args:
        name: A name in the `TOOLS` setting.

    Raises:
        ConfigurationError: There is no such name.
        SettingsError: The entry names no tool, or a function that no tool can be made of.
    """
    tools = conf.read().tools
    if name not in tools:
        refuse_unknown("tool", "TOOLS", name, tools)
    return named_tool(name, tools[name])


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


def named_tool(name: str, path: str) -> Tool:
    """Return the tool for one entry of the `TOOLS` setting.

    Raises:
        SettingsError: It cannot be imported, or no tool can be made of it.
    """
    where = _place("TOOLS", name)
    found = resolve(path, where)
    try:
        return replace(as_tool(found, path), name=name)
    except (ConfigurationError, InvalidArgument) as exc:
        hint = "Name a Tool, or a function whose parameters are annotated."
        raise conf.SettingsError([conf.Problem("E005", f'{where}: "{path}" is no tool: {exc}', hint)]) from exc


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
