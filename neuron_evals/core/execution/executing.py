"""One item in, one result out, whatever breaks in between."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from neuron_evals.core.agents.bridging import InThread, call_plain_with, finish
from neuron_evals.core.cancellation import Deadline, bind
from neuron_evals.core.execution.outcome import Outcome
from neuron_evals.core.execution.tasks import Executed, Surroundings, Task
from neuron_evals.core.metrics import collect, collecting
from neuron_evals.core.trajectories import Recorded, record_into

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator

T = TypeVar("T")

_NOTHING_AROUND = Surroundings()


def execute(task: Task, around: Surroundings = _NOTHING_AROUND, recorded: Recorded | None = None) -> Executed:
    """Run and evaluate one item.

    Args:
        task: The item.
        around: What is around it.
        recorded: Keeps the conversation that the item has, for a caller that may give the item up.

    Returns:
        The result. Whatever item, evaluator or hook raise is in it, `SystemExit` included; only a `KeyboardInterrupt`
        in the main thread goes through.
    """
    outcome = Outcome(task, around.outputs, recorded or Recorded())
    if _guarded(around.before, outcome):
        # In a context of its own, so that context variables set by an item are gone with it.
        contextvars.copy_context().run(_run_and_evaluate, outcome, around)
        _guarded(around.after, outcome)
    return outcome.executed()


async def aexecute(task: Task, around: Surroundings, in_thread: InThread, recorded: Recorded | None = None) -> Executed:
    """Run and evaluate one item on the running event loop; plain methods run in a thread.

    Args:
        task: The item.
        around: What is around it; the hooks are called on the loop.
        in_thread: Calls plain methods, and plain tools of agents, so that none of them holds the loop.
        recorded: As for `execute`.

    Returns:
        As `execute` does. The caller gives it a context of its own.
    """
    outcome = Outcome(task, around.outputs, recorded or Recorded())
    if _guarded(around.before, outcome):
        _bind(outcome, around)
        call_plain_with(in_thread)
        await _run_and_evaluate_async(outcome, around, in_thread)
        _guarded(around.after, outcome)
    return outcome.executed()


@lru_cache
def is_async(evaluator: type[BaseEvaluator]) -> bool:
    """Return whether `run` or `evaluate` of an evaluator class is an `async def`."""
    return inspect.iscoroutinefunction(evaluator.run) or inspect.iscoroutinefunction(evaluator.evaluate)


def _bind(outcome: Outcome, around: Surroundings) -> None:
    """Let code deep inside the item know when it must have ended, what may stop it, and who keeps its conversation."""
    timeout = outcome.task.timeout
    bind(around.stop, None if timeout is None else Deadline.after(timeout))
    record_into(outcome.recorded)


def _guarded(hook: Callable[[], None] | None, outcome: Outcome) -> bool:
    if hook is None:
        return True
    try:
        hook()
    except BaseException as exc:  # a hook that broke is the item's error
        _raise_interruption(exc)
        outcome.broke(exc)
        return False
    return True


def _raise_interruption(exc: BaseException) -> None:
    """Raise a `KeyboardInterrupt` on in the main thread, which alone takes signals; elsewhere an agent raised it."""
    if isinstance(exc, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
        raise exc


def _run_and_evaluate(outcome: Outcome, around: Surroundings) -> None:
    task = outcome.task
    try:
        _bind(outcome, around)
        if is_async(type(task.evaluator)):
            finish(_run_and_evaluate_async(outcome, around, None))
            return
        outcome.collected = collect()
        evaluator = outcome.evaluator()
        if not outcome.find():
            started = time.perf_counter()
            output = _no_coroutine(evaluator.run(private(task.item)), "run")
            outcome.ran(output, time.perf_counter() - started)
            outcome.store()
        output = outcome.record(evaluator)
        _no_coroutine(evaluator.evaluate(output, private(task.item)), "evaluate")
    except BaseException as exc:  # sys.exit() in an agent must not end the run with a status of its choice
        _raise_interruption(exc)
        outcome.broke(exc)


async def _run_and_evaluate_async(outcome: Outcome, around: Surroundings, in_thread: InThread | None) -> None:
    item = outcome.task.item
    try:
        async with around.around_async():
            with collecting() as outcome.collected:
                evaluator = outcome.evaluator()
                if not await outcome.afind():
                    started = time.perf_counter()
                    output = await _awaited(evaluator.run, in_thread, private(item))
                    outcome.ran(output, time.perf_counter() - started)
                    await outcome.astore()
                await _awaited(evaluator.evaluate, in_thread, outcome.record(evaluator), private(item))
    except BaseException as exc:  # as in `_run_and_evaluate`; a cancelled item is told apart by who cancelled it
        _raise_interruption(exc)
        outcome.broke(exc)


async def _awaited(method: Callable[..., Any], in_thread: InThread | None, *args: Any) -> Any:
    if inspect.iscoroutinefunction(method):
        return await method(*args)
    return _no_coroutine(method(*args) if in_thread is None else await in_thread(method, *args), method.__name__)


def _no_coroutine(value: T, method: str) -> T:
    """Refuse a coroutine nobody awaited: it would be judged as if it were the output."""
    if inspect.iscoroutine(value):
        value.close()
        msg = f"{method}() returned a coroutine that nobody awaited; declare it as `async def {method}`"
        raise TypeError(msg)
    return value


_PLAIN = frozenset({str, int, float, bool, type(None)})


def private(value: Any) -> Any:
    """Return a copy of the mappings and lists of an item, so that no item can change another or its own record."""
    if type(value) is dict or isinstance(value, Mapping):
        return {key: part if type(part) in _PLAIN else private(part) for key, part in value.items()}
    if isinstance(value, list):
        return [part if type(part) in _PLAIN else private(part) for part in value]
    return value
