"""What of a suite would turn out only after the first call, found before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent
from neuron_evals.core.conversations import player_name
from neuron_evals.core.exceptions import ConfigurationError, NeuronEvalsError
from neuron_evals.core.suites.problems import Problem, given_ids
from neuron_evals.core.suites.resources import JUDGE, NAMES
from neuron_evals.core.suites.talking import needs_player

if TYPE_CHECKING:
    from neuron_evals.core.suites.resources import Resources
    from neuron_evals.core.suites.spec import ItemSpec, SuiteSpec

MODEL = "agent_config.model"
"""Where an item names its model."""

_REFUSALS = (ConfigurationError, NeuronEvalsError)


def refusal(make: Callable[[], object]) -> str:
    """Return why something cannot be made; empty when it can. Errors that are not ours are not caught."""
    try:
        make()
    except _REFUSALS as exc:
        return str(exc)
    return ""


def refuse_unsupported(agent: BaseAgent, spec: SuiteSpec, of_run: Mapping[str, Any]) -> None:
    """Refuse what run, suite or items want changed of an agent that cannot change it.

    Args:
        agent: The agent.
        spec: The suite.
        of_run: What the run changes.

    Raises:
        ConfigurationError: It says who wants it, of which agent.
    """
    items = ((item.called, item.overrides) for item in spec.items)
    for who, changes in (("the run", of_run), ("the suite", spec.defaults.overrides), *items):
        try:
            agent.refuse_unsupported(changes)
        except ConfigurationError as exc:
            why = str(exc).removeprefix(f"{type(agent).__name__}.fresh: ")
            msg = f'{who} changes the agent "{agent.name}": {why}'
            raise ConfigurationError(msg) from exc


def resource_problems(spec: SuiteSpec, resources: Resources) -> Iterator[str]:
    """Yield why what items need cannot be made, or why a judge could not be called, a line for each resource.

    Args:
        spec: The suite.
        resources: What the run gives; what an item needs of it is made.
    """
    for name in NAMES:
        seen: set[str | None] = set()
        for _, needed in spec.needing(name):
            if needed.judge_model in seen:
                continue
            seen.add(needed.judge_model)
            try:
                made = needed.resource(name, resources)
            except _REFUSALS as exc:
                yield str(exc)
                continue
            yield from _uncallable(made) if name == JUDGE else ()


def player_problems(items: tuple[ItemSpec, ...], make: Callable[[ItemSpec], object]) -> Iterator[str]:
    """Yield why what plays users cannot be made, a line for each of them.

    Args:
        items: The items.
        make: Makes what plays the user of an item; it is asked once for each name.
    """
    by_name = {(needs_player(item.item), player_name(item.item)): item for item in reversed(items)}
    yield from filter(None, (refusal(partial(make, item)) for item in reversed(by_name.values())))


def model_problems(
    items: tuple[ItemSpec, ...], agent: BaseAgent, changes: Callable[[ItemSpec], Mapping[str, Any]]
) -> Iterator[str]:
    """Yield why an agent cannot be asked at the models that items name, a line for each item.

    Args:
        items: The items.
        agent: The agent; each model is tried once, and nothing is called.
        changes: Returns what an item changes of the agent, as `fresh()` takes it.
    """
    known: dict[str, str] = {}
    for item in items:
        model = changes(item).get("model")
        if model is None:
            continue
        if model not in known:
            known[model] = refusal(partial(agent.fresh, model=model))
        if known[model]:
            yield Problem(item.index, MODEL, known[model]).written(given_ids([item.item]).get(0))


def _uncallable(judge: Any) -> list[str]:
    judges = judge if isinstance(judge, list | tuple) else [judge]
    agents = [each for each in judges if isinstance(each, BaseAgent)]
    return [f"{_called(each)} cannot be called: {problem}" for each in agents for problem in each.problems()]


def _called(judge: BaseAgent) -> str:
    return f'the judge "{judge.name}"' if judge.name else "the judge"
