"""What is measured of how an agent came to its output, and one item's figures under the names of Nous.Eval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import register_type

if TYPE_CHECKING:
    from neuron_evals.core.results.items import ItemResult


@dataclass(frozen=True, slots=True)
class AgentSteps:
    """The steps by which an agent came to its output. `None` is unknown, which is not 0.

    Attributes:
        first_token: Seconds to the first token of the first model call; `None` too when it was not streamed.
        iterations: Model calls, those of agents that tools asked included.
        retries: How often providers made a model call again, because the server or the connection failed.
        tool_calls: Calls of tools that the model proposed, those that were refused included.
        tool_errors: Those of them that broke, or could not be run: an unknown tool, bad arguments.
    """

    first_token: float | None = None
    iterations: int | None = None
    retries: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None


def measurements(result: ItemResult) -> dict[str, Any]:
    """Return the figures of one item, by name; see `ItemResult.measurements`."""
    usage, steps = result.usage, result.steps
    return {
        "latency": {"total": result.run_time, "first_token": steps.first_token},
        "tokens": {
            "input": None if usage is None else usage.input,
            "output": None if usage is None else usage.output,
            "total": None if usage is None else usage.total,
            "cached": None if usage is None else usage.cached_input,
        },
        "cost": {
            "total": result.cost,
            "known": result.known_cost if result.cost is None else result.cost,
        },
        "tool_calls": steps.tool_calls,
        "tool_errors": steps.tool_errors,
        "iterations": steps.iterations,
        "requests": None if usage is None else usage.requests,
        "retries": retries(result),
    }


def retries(result: ItemResult) -> int | None:
    """Return how often anything was tried again: the item, and the model calls of the try that counts."""
    again = result.steps.retries
    return None if again is None else again + result.attempts - 1


def known_retries(result: ItemResult) -> int | None:
    """Return what is known of that, which the whole cannot be below; `None` when nothing is."""
    again = result.steps.retries
    if again is None and result.attempts == 1:
        return None
    return (again or 0) + result.attempts - 1


def _held(steps: AgentSteps) -> dict[str, Any]:
    return {name: value for name, value in asdict(steps).items() if value is not None}


register_type("agent_steps", AgentSteps, _held, lambda held: AgentSteps(**held))
