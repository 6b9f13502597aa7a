"""One execution of one item: what goes in, what comes out, and what is around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals.core.caches import RunOutputs
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import TimeLimit
from neuron_evals.core.execution.spending import told_by
from neuron_evals.core.results import ItemResult, Status
from neuron_evals.core.tracebacks import describe_error

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Recorded

AroundAsync = Callable[[], AbstractAsyncContextManager[Any]]
"""Gives what is around an item on an event loop."""


@dataclass(frozen=True, slots=True)
class Task:
    """One execution of one item.

    Attributes:
        evaluator: The evaluator as it is after `set_up`; the item works on a copy.
        index: Position of the item in the dataset, counted from 0.
        item_id: Identity of the item.
        item: The item.
        tags: Tags of the evaluator and the item.
        repeat: Which repeat of the item this is, counted from 0.
        timeout: Seconds the execution may take; `None` for no limit.
        retries: How often to try again after an infrastructure error.
        key: Under what the output of `run` is cached; `None` for not at all.
    """

    evaluator: BaseEvaluator
    index: int
    item_id: str
    item: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    repeat: int = 0
    timeout: float | None = None
    retries: int = 0
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Executed:
    """What one try of a task gave.

    Attributes:
        result: The result.
        transient: It broke by an infrastructure error, which another try may not meet.
    """

    result: ItemResult
    transient: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around an item where it is executed.

    Attributes:
        before: Called before the item; when it raises, the item does not run and is an error.
        after: Called after the item, also after one that broke; when it raises, the item is an error.
        stop: Says to code deep inside that the run is to stop.
        outputs: Where outputs of `run` are looked up and stored; `None` for nowhere.
        around_async: Gives what is around the item on its event loop, if it has one.
    """

    before: Callable[[], None] | None = None
    after: Callable[[], None] | None = None
    stop: StopToken | None = None
    outputs: RunOutputs | None = None
    around_async: AroundAsync = nullcontext


def cancelled(task: Task) -> ItemResult:
    """Return the result of an item that did not run, or not to its end, because the run stopped."""
    return result_of(task, status=Status.CANCELLED)


def too_late(task: Task, seconds: float, recorded: Recorded | None = None) -> Executed:
    """Return what an item gave that ran into its time limit, after `seconds`; `recorded` kept its conversation."""
    error = describe_error(TimeLimit(f"the item took longer than {task.timeout:g} s"))
    return broken(task, error, seconds, recorded, transient=True)


def broken(
    task: Task, error: str, seconds: float = 0.0, recorded: Recorded | None = None, *, transient: bool = False
) -> Executed:
    """Return what an item gave whose worker broke, with the reason; `recorded` kept its conversation."""
    trajectory = None if recorded is None else recorded.trajectory(error)
    # What was recorded of its model calls is gone with the worker; the conversation still tells the agent's tokens.
    spent = {} if trajectory is None else told_by(trajectory)
    result = result_of(task, status=Status.ERROR, execution_time=seconds, error=error, trajectory=trajectory, **spent)
    return Executed(result, transient=transient)


def result_of(task: Task, **fields: Any) -> ItemResult:
    """Return the result of a task with what is known of it."""
    return ItemResult(
        evaluator_class=task.evaluator.evaluator_name,
        index=task.index,
        item_id=task.item_id,
        input=task.item,
        tags=task.tags,
        repeat=task.repeat,
        **fields,
    )
