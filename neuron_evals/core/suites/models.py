"""The agent of a suite for which there is none but a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuron_evals.core.agents import agent_of_model
from neuron_evals.core.exceptions import ConfigurationError

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.core.suites.spec import SuiteSpec


def agent_of_models(spec: SuiteSpec, of_run: str | None = None, of_project: str | None = None) -> BaseAgent:
    """Return an agent around the model that run, suite, project or, where all of them name one, the items name.

    A name without a provider, such as `qwen3`, is a model of the provider that the next of them names.

    Args:
        spec: The suite.
        of_run: Name of the model that the run says.
        of_project: Name of the model that goes for all suites.

    Raises:
        ConfigurationError: None of them names a model, or there is no such model.
    """
    named = list(_named(spec, of_run, of_project))
    if not named:
        lacking = next((item for item in spec.items if item.overrides.get("model") is None), None)
        some = any("model" in item.overrides for item in spec.items)
        msg = (
            "there is no agent: give agent=..., an agent or a callable from text to text, a model as provider:model, "
            f"or fake=True{f'; {lacking.called} names no model' if some and lacking is not None else ''}"
        )
        raise ConfigurationError(msg)
    where, name = next((each for each in named if ":" in each[1]), named[0])
    try:
        return agent_of_model(name)
    except ConfigurationError as exc:
        msg = f"{where}: {exc}"
        raise ConfigurationError(msg) from exc


def _named(spec: SuiteSpec, of_run: str | None, of_project: str | None) -> Iterator[tuple[str, str]]:
    """Yield the models that are named, with who names them, in the order in which they go."""
    levels = (
        ("the run's model", of_run),
        ("the suite's model", spec.defaults.model),
        ("the model of SUITE_DEFAULTS", of_project),
    )
    yield from ((where, name) for where, name in levels if name is not None)
    of_items = [(f"the model of {item.called}", item.overrides.get("model")) for item in spec.items]
    if all(name is not None for _, name in of_items):
        yield from ((where, str(name)) for where, name in of_items)
