"""What is known of an item while it runs."""

from __future__ import annotations

import copy
import time
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.caches import CachedRun, RunOutputs
from neuron_evals.core.checking import Recorder
from neuron_evals.core.execution.spending import spent_in_run, spent_on_judges
from neuron_evals.core.execution.steps import agent_steps
from neuron_evals.core.execution.tasks import Executed, Task, result_of
from neuron_evals.core.metrics import Collected
from neuron_evals.core.results import Check, Record, Status, Verdict, full_name
from neuron_evals.core.results.checks import broken_checks_error
from neuron_evals.core.tracebacks import describe_error, format_traceback
from neuron_evals.core.trajectories import Recorded, Trajectory

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator


_AS_IN_RESULTS: Final = tuple(option.name for option in fields(CachedRun) if option.name != "execution_time")


@dataclass(slots=True)
class Outcome:
    """What is known of an item while it runs."""

    task: Task
    outputs: RunOutputs | None
    recorded: Recorded = field(default_factory=Recorded)
    started: float = field(default_factory=time.perf_counter)
    first: CachedRun | None = None
    cached: bool = False
    saved: float = 0.0
    collected: Collected = field(default_factory=Collected)
    calls_in_run: int = 0
    error: str | None = None
    traceback: str = ""
    transient: bool = False
    recorder: Recorder = field(init=False)

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.task.evaluator.evaluator_name, self.task.evaluator.is_transient)

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
        return self._take(self.outputs.lookup(self.task.key))

    async def afind(self) -> bool:
        """Do what `find` does, on an event loop."""
        if self.outputs is None or self.task.key is None:
            return False
        return self._take(await self.outputs.alookup(self.task.key))

    def ran(self, output: Any, seconds: float) -> None:
        """Take what `run` returned."""
        trajectory = output if isinstance(output, Trajectory) else self.recorded.trajectory()
        self.calls_in_run = len(self.collected.model_calls)
        self.first = CachedRun(output, seconds, trajectory=trajectory, **self._spent_in_run(trajectory))

    def store(self) -> None:
        """Store what `run` returned, and go on with the copy that every later run will find."""
        if self.outputs is not None and self.first is not None and self._may_store():
            self.first = self.outputs.store(*self._entry(self.first)) or self.first

    async def astore(self) -> None:
        """Do what `store` does, on an event loop."""
        if self.outputs is not None and self.first is not None and self._may_store():
            self.first = await self.outputs.astore(*self._entry(self.first)) or self.first

    def _may_store(self) -> bool:
        if self.outputs is None or self.task.key is None:
            return False
        if self.recorder.checks:
            self.outputs.refuse("run() made checks, which a cached output would lose")
        return not self.recorder.checks

    def _entry(self, first: CachedRun) -> tuple[str, CachedRun, str, str]:
        return self.task.key or "", first, self.task.evaluator.evaluator_name, self.task.item_id

    def _take(self, first: CachedRun | None) -> bool:
        self.first = first
        self.cached = first is not None
        self.saved = first.execution_time if first is not None else 0.0
        return self.cached

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
        result = result_of(
            self.task,
            status=Status.ERROR if error is not None else _status_of(checks),
            execution_time=self.saved + time.perf_counter() - self.started,
            checks=checks,
            error=error,
            traceback=self.traceback,
            cached_run=self.cached,
            metrics=dict(self.collected.metrics),
            **self._spent(),
        )
        return Executed(result, self.transient or (self.error is None and self.recorder.transient))

    def _spent(self) -> dict[str, Any]:
        if self.first is not None:
            spent = {name: getattr(self.first, name) for name in _AS_IN_RESULTS}
            spent["run_time"] = self.first.execution_time
            begun = self.calls_in_run
        else:
            # `run` did not return; what it had paid for until then is paid all the same.
            trajectory = self.recorded.trajectory(self.error or "")
            spent = {"trajectory": trajectory, **self._spent_in_run(trajectory)}
            begun = None
        return spent | spent_on_judges(self.collected, begun)

    def _spent_in_run(self, trajectory: Trajectory | None) -> dict[str, Any]:
        return {"steps": agent_steps(self.collected, trajectory), **spent_in_run(self.collected, trajectory)}


def _error_of(checks: tuple[Check, ...]) -> str | None:
    if not checks:
        return "no check was made: evaluate() must call self.check(...) at least once"
    return broken_checks_error(checks)


def _status_of(checks: tuple[Check, ...]) -> Status:
    verdicts = {check.verdict for check in checks}
    if Verdict.FAILED in verdicts:
        return Status.FAILED
    return Status.PASSED if Verdict.PASSED in verdicts else Status.SKIPPED
