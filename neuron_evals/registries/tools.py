"""Tools written in code, by the names that the `TOOLS` setting gives them."""

from __future__ import annotations

from dataclasses import replace

from neuron_evals import conf
from neuron_evals.core.agents import Tool, as_tool
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.registries.backends import refuse_unknown
from neuron_evals.registries.dotted import resolve


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


def named_tool(name: str, path: str) -> Tool:
    """Return the tool for one entry of the `TOOLS` setting.

    Raises:
        SettingsError: It cannot be imported, or no tool can be made of it.
    """
    where = f'{conf.NAME}["TOOLS"]["{name}"]'
    found = resolve(path, where)
    try:
        return replace(as_tool(found, path), name=name)
    except (ConfigurationError, InvalidArgument) as exc:
        hint = "Name a Tool, or a function whose parameters are annotated."
        raise conf.SettingsError([conf.Problem("E005", f'{where}: "{path}" is no tool: {exc}', hint)]) from exc
