"""What an execution used, under the names that `CachedRun` and `ItemResult` have for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neuron_evals.core.messages import Usage
from neuron_evals.core.metrics import Collected

if TYPE_CHECKING:
    from decimal import Decimal

    from neuron_evals.core.metrics import UsageKind
    from neuron_evals.core.trajectories import Trajectory


def spent_in_run(collected: Collected, trajectory: Trajectory | None) -> dict[str, Any]:
    """Return what agent, tools and simulated user used, as far as anything told.

    Args:
        collected: What was recorded in `run`.
        trajectory: The conversation, where there was one. Where no model call of the agent was recorded, its messages
            tell the tokens.
    """
    spent: dict[str, Any] = {}
    if collected.asked("agent"):
        spent = _spent_by("agent", collected, "")
    elif trajectory is not None:
        spent = told_by(trajectory)
    if collected.tool_rounds:
        spent["tool_time"] = collected.tool_seconds("agent")
    if collected.asked("simulator"):
        spent |= _spent_by("simulator", collected, "simulator_")
        spent["simulator_time"] = collected.model_seconds("simulator")
    return spent


def spent_on_judges(collected: Collected, begun: int | None) -> dict[str, Any]:
    """Return what judging used, as far as anything told.

    Args:
        collected: What was recorded in the whole execution.
        begun: How many model calls there were before `evaluate`, which alone judges: what it asks of an agent that is
            no judge by name is spent on judging too. `None` when it never began.
    """
    calls = list(collected.model_calls)
    if begun is None:
        begun = len(calls)
    judging = Collected([call for number, call in enumerate(calls) if number >= begun or call.kind == "judge"])
    if not judging.model_calls:
        return {}
    return {**_spent_by(None, judging, "judge_"), "judge_time": judging.model_seconds()}


def told_by(trajectory: Trajectory) -> dict[str, Any]:
    """Return the tokens of a conversation; a reply that does not tell its own makes the whole unknown."""
    told = [(message.role, message.usage) for message in trajectory.messages()]
    usages = [usage or Usage() for role, usage in told if role == "assistant" or usage is not None]
    return {"usage": Usage.sum(usages), "known_usage": Usage.known_sum(usages)} if usages else {}


def _spent_by(kind: UsageKind | None, collected: Collected, prefix: str) -> dict[str, Any]:
    return {
        f"{prefix}usage": collected.usage(kind),
        f"{prefix}cost": _number(collected.cost(kind)),
        f"known_{prefix}usage": collected.known_usage(kind),
        f"known_{prefix}cost": _number(collected.known_cost(kind)),
    }


def _number(cost: Decimal | None) -> float | None:
    return None if cost is None else float(cost)
