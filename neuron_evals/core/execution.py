"""One item in, one result out, whatever breaks in between."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import inspect
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from neuron_evals.core.checking import Recorder
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.results import Check, ItemResult, Status, Verdict, full_name
from neuron_evals.core.tracebacks import describe_error, format_traceback

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """One item to run.

    Attributes:
        evaluator: The evaluator as it is after `set_up`; the item works on a copy.
        index: Position of the item in the dataset, counted from 0.
        item_id: Identity of the item.
        item: The item.
        tags: Tags of the item and its evaluator.
    """

    evaluator: BaseEvaluator
    index: int
    item_id: str
    item: Mapping[str, Any]
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class _Outcome:
    """What is known of an item while it runs."""

    output: Any = None
    error: str | None = None
    traceback: str = ""
    checks: list[Check] = field(default_factory=list)

    def broke(self, exc: BaseException) -> None:
        """Take what broke; the first error is the cause, later ones follow from it."""
        if self.error is None:
            self.error = describe_error(exc)
            self.traceback = format_traceback(exc)


def execute(
    task: Task, before: Callable[[], None] | None = None, after: Callable[[], None] | None = None
) -> ItemResult:
    """Run and evaluate one item.

    Args:
        task: The item.
        before: Called before the item; when it raises, the item does not run.
        after: Called after the item, also after one that broke, but not when `before` broke.

    Returns:
        The result. Whatever item, evaluator or hook raise is in it, `SystemExit` included; only `KeyboardInterrupt`
        goes through.
    """
    outcome = _Outcome()
    started = time.perf_counter()
    ready = _guarded(before, outcome)
    if ready:
        # In a context of its own, so that context variables set by an item are gone with it.
        contextvars.copy_context().run(_run_and_evaluate, task, outcome)
        _guarded(after, outcome)
    return _result(task, outcome, time.perf_counter() - started)


def cancelled(task: Task) -> ItemResult:
    """Return the result of an item that did not run, or not to its end, because the run stopped."""
    return ItemResult(
        evaluator_class=full_name(type(task.evaluator)),
        index=task.index,
        item_id=task.item_id,
        status=Status.CANCELLED,
        input=task.item,
        tags=task.tags,
    )


def _guarded(hook: Callable[[], None] | None, outcome: _Outcome) -> bool:
    if hook is None:
        return True
    try:
        hook()
    except KeyboardInterrupt:
        raise
    except BaseException as exc:
        outcome.broke(exc)
        return False
    return True


def _run_and_evaluate(task: Task, outcome: _Outcome) -> None:
    try:
        evaluator = copy.copy(task.evaluator)
        recorder = Recorder(full_name(type(evaluator)))
        outcome.checks = recorder.checks
        # Not by plain assignment: the evaluator may be a frozen dataclass.
        object.__setattr__(evaluator, "_recorder", recorder)
        if _is_async(evaluator):
            _finish(_run_and_evaluate_async(evaluator, task, outcome))
        else:
            outcome.output = _no_coroutine(evaluator.run(_private(task.item)), "run")
            _no_coroutine(evaluator.evaluate(outcome.output, _private(task.item)), "evaluate")
    except KeyboardInterrupt:
        raise
    except BaseException as exc:
        outcome.broke(exc)


async def _run_and_evaluate_async(evaluator: BaseEvaluator, task: Task, outcome: _Outcome) -> None:
    output = evaluator.run(_private(task.item))
    outcome.output = await output if inspect.isawaitable(output) else output
    evaluated = evaluator.evaluate(outcome.output, _private(task.item))
    if inspect.isawaitable(evaluated):
        await evaluated


def _is_async(evaluator: BaseEvaluator) -> bool:
    return inspect.iscoroutinefunction(evaluator.run) or inspect.iscoroutinefunction(evaluator.evaluate)


def _finish(coroutine: Any) -> None:
    """Run a coroutine to its end: in a thread of its own where this thread's event loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(coroutine)
        return
    errors: list[BaseException] = []

    def target() -> None:
        try:
            asyncio.run(coroutine)
        except BaseException as exc:
            errors.append(exc)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(target,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def _no_coroutine(value: T, method: str) -> T:
    """Refuse a coroutine nobody awaited: it would be judged as if it were the output."""
    if inspect.iscoroutine(value):
        value.close()
        msg = f"{method}() returned a coroutine that nobody awaited; declare it as `async def {method}`"
        raise TypeError(msg)
    return value


def _private(value: Any) -> Any:
    """Return a copy of the mappings and lists of an item, so that no item can change another or its own record."""
    if isinstance(value, Mapping):
        return {key: _private(part) if isinstance(part, Mapping | list) else part for key, part in value.items()}
    if isinstance(value, list):
        return [_private(part) if isinstance(part, Mapping | list) else part for part in value]
    return value


def _result(task: Task, outcome: _Outcome, seconds: float) -> ItemResult:
    checks = tuple(outcome.checks)
    error = outcome.error if outcome.error is not None else _error_of(checks)
    return ItemResult(
        evaluator_class=full_name(type(task.evaluator)),
        index=task.index,
        item_id=task.item_id,
        status=Status.ERROR if error is not None else _status_of(checks),
        input=task.item,
        output=outcome.output,
        execution_time=seconds,
        checks=checks,
        error=error,
        traceback=outcome.traceback,
        tags=task.tags,
    )


def _error_of(checks: tuple[Check, ...]) -> str | None:
    if not checks:
        return "no check was made: evaluate() must call self.check(...) at least once"
    broken = [check.label for check in checks if check.verdict is Verdict.ERROR]
    return f"broken checks: {', '.join(broken)}" if broken else None


def _status_of(checks: tuple[Check, ...]) -> Status:
    verdicts = {check.verdict for check in checks}
    if Verdict.FAILED in verdicts:
        return Status.FAILED
    return Status.PASSED if Verdict.PASSED in verdicts else Status.SKIPPED
