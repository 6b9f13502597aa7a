"""One item in, one result out, whatever breaks in between."""

from __future__ import annotations

import contextvars
import copy
import inspect
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from neuron_evals.core.agents.bridging import InThread, call_plain_with, finish
from neuron_evals.core.caches import CachedRun, RunOutputs
from neuron_evals.core.cancellation import Deadline, StopToken, bind
from neuron_evals.core.checking import Recorder
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import TimeLimit
from neuron_evals.core.metrics import Collected, collecting
from neuron_evals.core.results import Check, ItemResult, Record, Status, Verdict, full_name
from neuron_evals.core.tracebacks import describe_error, format_traceback
from neuron_evals.core.trajectories import Trajectory

if TYPE_CHECKING:
    from decimal import Decimal

T = TypeVar("T")

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


@dataclass(slots=True)
class _Outcome:
    """What is known of an item while it runs."""

    task: Task
    outputs: RunOutputs | None
    started: float = field(default_factory=time.perf_counter)
    first: CachedRun | None = None
    cached: bool = False
    saved: float = 0.0
    collected: Collected = field(default_factory=Collected)
    error: str | None = None
    traceback: str = ""
    transient: bool = False
    recorder: Recorder = field(init=False)

    def __post_init__(self) -> None:
        self.recorder = Recorder(full_name(type(self.task.evaluator)), self.task.evaluator.is_transient)

    def broke(self, exc: BaseException) -> None:
        """Take what broke; the first error is the cause, later ones follow from it."""
        if self.error is None:
            self.error = describe_error(exc)
            self.traceback = format_traceback(exc)
            with suppress(Exception):  # what an evaluator says of its errors must not hide them
                self.transient = isinstance(exc, Exception) and self.task.evaluator.is_transient(exc)

    def evaluator(self) -> BaseEvaluator:
        """Return the copy of the evaluator on which the item works."""
        evaluator = copy.copy(self.task.evaluator)
        if evaluator is self.task.evaluator:
            msg = f"{full_name(type(evaluator))}.__copy__() must return a copy: items would share one evaluator"
            raise TypeError(msg)
        # Not by plain assignment: the evaluator may be a frozen dataclass.
        object.__setattr__(evaluator, "_recorder", self.recorder)
        return evaluator

    def find(self) -> bool:
        """Look the output up; return whether `run` needs not be called."""
        if self.outputs is None or self.task.key is None:
            return False
        self.first = self.outputs.lookup(self.task.key)
        self.cached = self.first is not None
        self.saved = self.first.execution_time if self.first is not None else 0.0
        return self.cached

    def ran(self, output: Any, seconds: float) -> None:
        """Take what `run` returned, and store it."""
        trajectory = output if isinstance(output, Trajectory) else None
        usage = self.collected.usage("agent") or (trajectory.usage() if trajectory is not None else None)
        self.first = CachedRun(output, seconds, usage, _number(self.collected.cost("agent")), trajectory)
        if self.outputs is None or self.task.key is None:
            return
        if self.recorder.checks:
            self.outputs.refuse("run() made checks, which a cached output would lose")
            return
        # Evaluated on the copy that every later run will find, so that a hit and a miss cannot differ.
        self.first = self.outputs.store(self.task.key, self.first) or self.first

    def record(self, evaluator: BaseEvaluator) -> Any:
        """Let the evaluator see what is known of the execution; return the output."""
        if self.first is None:
            return None
        first = self.first
        known = Record(first.output, first.trajectory, first.usage, first.cost, first.execution_time)
        object.__setattr__(evaluator, "_record", known)
        return first.output

    def executed(self) -> Executed:
        """Return the result as it stands now."""
        checks = tuple(self.recorder.checks)
        error = self.error if self.error is not None else _error_of(checks)
        result = _result_of(
            self.task,
            status=Status.ERROR if error is not None else _status_of(checks),
            execution_time=self.saved + time.perf_counter() - self.started,
            checks=checks,
            error=error,
            traceback=self.traceback,
            cached_run=self.cached,
            **self._spent(),
        )
        return Executed(result, self.transient or (self.error is None and self.recorder.transient))

    def _spent(self) -> dict[str, Any]:
        first = self.first
        spent: dict[str, Any] = {}
        if first is not None:
            spent = {
                "output": first.output,
                "usage": first.usage,
                "cost": first.cost,
                "trajectory": first.trajectory,
                "run_time": first.execution_time,
            }
        if self.collected.tool_rounds:
            spent["tool_time"] = self.collected.tool_seconds("agent")
        if self.collected.model_calls and (usage := self.collected.usage("judge")) is not None:
            spent["judge_usage"] = usage
            spent["judge_cost"] = _number(self.collected.cost("judge"))
            spent["judge_time"] = self.collected.model_seconds("judge")
        return spent


def _number(cost: Decimal | None) -> float | None:
    return None if cost is None else float(cost)


def execute(task: Task, around: Surroundings = Surroundings()) -> Executed:
    """Run and evaluate one item.

    Returns:
        The result. Whatever item, evaluator or hook raise is in it, `SystemExit` included; only a `KeyboardInterrupt`
        in the main thread goes through.
    """
    outcome = _Outcome(task, around.outputs)
    if _guarded(around.before, outcome):
        # In a context of its own, so that context variables set by an item are gone with it.
        contextvars.copy_context().run(_run_and_evaluate, outcome, around)
        _guarded(around.after, outcome)
    return outcome.executed()


async def aexecute(task: Task, around: Surroundings, in_thread: InThread) -> Executed:
    """Run and evaluate one item on the running event loop; plain methods run in a thread.

    Args:
        task: The item.
        around: What is around it; the hooks are called on the loop.
        in_thread: Calls plain methods, and plain tools of agents, so that none of them holds the loop.

    Returns:
        As `execute` does. The caller gives it a context of its own.
    """
    outcome = _Outcome(task, around.outputs)
    if _guarded(around.before, outcome):
        _bind(task, around)
        call_plain_with(in_thread)
        await _run_and_evaluate_async(outcome, around, in_thread)
        _guarded(around.after, outcome)
    return outcome.executed()


def cancelled(task: Task) -> ItemResult:
    """Return the result of an item that did not run, or not to its end, because the run stopped."""
    return _result_of(task, status=Status.CANCELLED)


def too_late(task: Task, seconds: float) -> Executed:
    """Return what an item gave that ran into its time limit, after `seconds`."""
    error = describe_error(TimeLimit(f"the item took longer than {task.timeout:g} s"))
    return Executed(_result_of(task, status=Status.ERROR, execution_time=seconds, error=error), transient=True)


def broken(task: Task, error: str, seconds: float = 0.0, *, transient: bool = False) -> Executed:
    """Return what an item gave whose worker broke, with the reason."""
    return Executed(_result_of(task, status=Status.ERROR, execution_time=seconds, error=error), transient=transient)


@lru_cache
def is_async(evaluator: type[BaseEvaluator]) -> bool:
    """Return whether `run` or `evaluate` of an evaluator class is an `async def`."""
    return inspect.iscoroutinefunction(evaluator.run) or inspect.iscoroutinefunction(evaluator.evaluate)


def _bind(task: Task, around: Surroundings) -> None:
    """Let code deep inside the item know when it must have ended, and what may stop it."""
    bind(around.stop, None if task.timeout is None else Deadline.after(task.timeout))


def _guarded(hook: Callable[[], None] | None, outcome: _Outcome) -> bool:
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


def _run_and_evaluate(outcome: _Outcome, around: Surroundings) -> None:
    task = outcome.task
    try:
        _bind(task, around)
        if is_async(type(task.evaluator)):
            finish(_run_and_evaluate_async(outcome, around, None))
            return
        with collecting() as outcome.collected:
            evaluator = outcome.evaluator()
            if not outcome.find():
                started = time.perf_counter()
                output = _no_coroutine(evaluator.run(private(task.item)), "run")
                outcome.ran(output, time.perf_counter() - started)
            output = outcome.record(evaluator)
            _no_coroutine(evaluator.evaluate(output, private(task.item)), "evaluate")
    except BaseException as exc:  # sys.exit() in an agent must not end the run with a status of its choice
        _raise_interruption(exc)
        outcome.broke(exc)


async def _run_and_evaluate_async(outcome: _Outcome, around: Surroundings, in_thread: InThread | None) -> None:
    item = outcome.task.item
    try:
        async with around.around_async():
            with collecting() as outcome.collected:
                evaluator = outcome.evaluator()
                if not outcome.find():
                    started = time.perf_counter()
                    output = await _awaited(evaluator.run, in_thread, private(item))
                    outcome.ran(output, time.perf_counter() - started)
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


def private(value: Any) -> Any:
    """Return a copy of the mappings and lists of an item, so that no item can change another or its own record."""
    if isinstance(value, Mapping):
        return {key: private(part) if isinstance(part, Mapping | list) else part for key, part in value.items()}
    if isinstance(value, list):
        return [private(part) if isinstance(part, Mapping | list) else part for part in value]
    return value


def _result_of(task: Task, **fields: Any) -> ItemResult:
    return ItemResult(
        evaluator_class=full_name(type(task.evaluator)),
        index=task.index,
        item_id=task.item_id,
        input=task.item,
        tags=task.tags,
        repeat=task.repeat,
        **fields,
    )


def _error_of(checks: tuple[Check, ...]) -> str | None:
    if not checks:
        return "no check was made: evaluate() must call self.check(...) at least once"
    labels = [check.label for check in checks if check.verdict is Verdict.ERROR]
    return f"broken checks: {', '.join(labels)}" if labels else None


def _status_of(checks: tuple[Check, ...]) -> Status:
    verdicts = {check.verdict for check in checks}
    if Verdict.FAILED in verdicts:
        return Status.FAILED
    return Status.PASSED if Verdict.PASSED in verdicts else Status.SKIPPED
