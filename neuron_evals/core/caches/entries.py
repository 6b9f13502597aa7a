"""A run as the text that a cache keeps of it, and the text as the run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from neuron_evals.core.jsonable import Undecodable, decode, encode
from neuron_evals.core.messages import Usage
from neuron_evals.core.results import AgentSteps

FORMAT: Final = 1
"""Version of the entries that are written."""


@dataclass(frozen=True, slots=True)
class CachedRun:
    """What the first run of an item gave.

    Attributes:
        output: What `run` returned.
        execution_time: Seconds that `run` took.
        usage: The agent's token usage; `None` when unknown.
        cost: Its cost in the currency of the price table; `None` when unknown.
        trajectory: The conversation that `run` had, where there was one.
        steps: How the agent came to the output.
        known_usage: What is known of the agent's tokens; `None` when nothing is.
        known_cost: What is known of its cost; `None` when nothing is.
        tool_time: Seconds in which the agent's tools ran; `None` when nothing told.
        simulator_usage: Token usage of the simulated user; `None` when there was none, or unknown.
        simulator_cost: Its cost; `None` likewise.
        known_simulator_usage: What is known of the simulated user's tokens.
        known_simulator_cost: What is known of its cost.
        simulator_time: Seconds of its model calls; `None` when there was none, or unknown.
    """

    output: Any
    execution_time: float
    usage: Usage | None = None
    cost: float | None = None
    trajectory: Any = None
    steps: AgentSteps = AgentSteps()  # noqa: RUF009  (it is frozen)
    known_usage: Usage | None = None
    known_cost: float | None = None
    tool_time: float | None = None
    simulator_usage: Usage | None = None
    simulator_cost: float | None = None
    known_simulator_usage: Usage | None = None
    known_simulator_cost: float | None = None
    simulator_time: float | None = None


def written(key: str, run: CachedRun) -> str:
    """Return the text of a run.

    Args:
        key: The key that it is kept under.
        run: The run.

    Raises:
        Unserialisable: It holds something that cannot be written exactly.
    """
    held = {option.name: getattr(run, option.name) for option in dataclasses.fields(run)}
    # Plainly: people read these, and the tags of registered types are for what is inside an output.
    plain = {name: dataclasses.asdict(value) for name, value in held.items() if isinstance(value, Usage | AgentSteps)}
    return encode({"format": FORMAT, "key": key, **held, **plain})


def opened(text: str | None, key: str) -> CachedRun | None:
    """Return the run of a text; `None` for a text that is none, is damaged, or is of another key or format.

    Args:
        text: What the cache gave.
        key: The key that it was asked for.
    """
    if text is None:
        return None
    try:
        held = decode(text)
    except Undecodable:
        return None
    if type(held) is not dict or held.pop("key", None) != key:
        return None
    version = held.pop("format", None)
    if type(version) is not int or version != FORMAT or held.keys() != _FIELDS:
        return None
    if not all(fits(held[name]) for name, fits in _RULES.items()):
        return None
    return CachedRun(**{name: _read(name, value) for name, value in held.items()})


def _read(name: str, value: Any) -> Any:
    if name == "steps":
        return AgentSteps(**value)
    return Usage(**value) if _RULES.get(name) is _is_usage and value is not None else value


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _is_amount(value: Any) -> bool:
    return value is None or _is_seconds(value)


def _is_usage(value: Any) -> bool:
    if value is None:
        return True
    if type(value) is not dict or value.keys() != {option.name for option in dataclasses.fields(Usage)}:
        return False
    return all(map(_is_count, value.values()))


def _is_steps(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {option.name for option in dataclasses.fields(AgentSteps)}:
        return False
    counts = (count for name, count in value.items() if name != "first_token")
    return _is_amount(value["first_token"]) and all(map(_is_count, counts))


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


_RULES: Final[dict[str, Callable[[Any], bool]]] = {
    "execution_time": _is_seconds,
    "usage": _is_usage,
    "cost": _is_amount,
    "steps": _is_steps,
    "known_usage": _is_usage,
    "known_cost": _is_amount,
    "tool_time": _is_amount,
    "simulator_usage": _is_usage,
    "simulator_cost": _is_amount,
    "known_simulator_usage": _is_usage,
    "known_simulator_cost": _is_amount,
    "simulator_time": _is_amount,
}
_FIELDS: Final = {option.name for option in dataclasses.fields(CachedRun)}
