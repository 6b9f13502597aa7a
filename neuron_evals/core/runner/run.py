"""A run: one evaluator after the other, each with its results, whatever breaks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import StopRun
from neuron_evals.core.execution import cancelled
from neuron_evals.core.report import EvaluationReport, EvaluationResults, Tally
from neuron_evals.core.results import ItemResult, Plan, Status
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.preparing import BrokenEvaluator, Opened, PreparedEvaluator, prepare, set_up
from neuron_evals.core.runner.scheduling import Scheduler
from neuron_evals.core.tracebacks import describe_broken_check, format_traceback

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.runner.crew import Crew
    from neuron_evals.core.runner.limits import Limits
    from neuron_evals.core.runner.selection import Selection


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run goes on.

    Attributes:
        fail_fast: Stop after the first item that fails or breaks.
        keep_results: Keep the results in the report; without, it has their figures alone and memory stays small.
    """

    fail_fast: bool = False
    keep_results: bool = True


def evaluate(
    prepared: PreparedEvaluator, listener: Listener, stop: StopToken, options: RunOptions
) -> EvaluationResults:
    """Run a prepared evaluator to its end and tear it down; its `error` is what breaks between items."""
    return _Course(prepared, listener, stop, options).whole()


@dataclass(slots=True)
class _Course:
    """One evaluator on its way through its items."""

    prepared: PreparedEvaluator
    listener: Listener
    stop: StopToken
    options: RunOptions
    tally: Tally = field(default_factory=Tally)
    kept: list[ItemResult] = field(default_factory=list)
    error: str | None = None
    traceback: str = ""
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: float = field(default_factory=time.perf_counter)
    scheduler: Scheduler = field(init=False)

    def __post_init__(self) -> None:
        opened = self.prepared.opened
        self.scheduler = Scheduler(opened.pool, self.stop, self._finished, opened.outputs)

    def whole(self) -> EvaluationResults:
        """Run, tear down, and return the results."""
        try:
            self.run()
        finally:
            self.tear_down()
        return self.results()

    def given_up(self) -> EvaluationResults:
        """Return the results where an item, or `tear_down`, is at work for ever; the rest is cancelled."""
        for result in self.scheduler.given_up():
            self._take(result)
        self._cancel_the_rest()
        return self.results()

    def run(self) -> None:
        try:
            for result in self.scheduler.run(self.prepared.tasks()):
                self._take(result)
            if self.stop.is_set():
                self._cancel_the_rest()
        except (Exception, SystemExit) as exc:
            self._broke(exc)

    def tear_down(self) -> None:
        try:
            with self.stop.interruptible():
                self.prepared.evaluator.tear_down()
        except (Exception, SystemExit) as exc:
            self._broke(exc)
        except KeyboardInterrupt as exc:
            # The results are there, and shall be reported.
            self.stop.set("interrupted", abandon=True)
            self._broke(exc)

    def results(self) -> EvaluationResults:
        return EvaluationResults(
            self.prepared.evaluator_class,
            self.kept,
            tally=self.tally,
            error=self.error,
            traceback=self.traceback,
            namespace=self.prepared.opened.namespace,
            started_at=self.started_at,
            finished_at=datetime.now(UTC),
            duration=time.perf_counter() - self.started,
            cache=None if self.prepared.opened.outputs is None else self.prepared.opened.outputs.counts,
            fake=self.prepared.evaluator.fake,
            left_out=self.prepared.left_out,
            resumed=self.prepared.resumed,
        )

    def _finished(self, result: ItemResult) -> None:
        if self.options.fail_fast and result.status in (Status.FAILED, Status.ERROR):
            self.stop.set("fail-fast")
        self._tell(self.listener.finished, result)

    def _take(self, result: ItemResult) -> None:
        self.tally.add(result)
        if self.options.keep_results:
            self.kept.append(result)
        self._tell(self.listener.item, result)

    def _tell(self, told: Callable[[ItemResult], None], result: ItemResult) -> None:
        try:
            told(result)
        except StopRun as exc:
            self.stop.set(stop_reason(exc))

    def _cancel_the_rest(self) -> None:
        """Give a result to each item that did not run, where the dataset can be read without using it up."""
        if self.prepared.total is None:
            return
        given = self.tally.statuses.total()
        with closing(self.prepared.tasks()) as tasks:
            for number, task in enumerate(tasks):
                if number >= given:
                    result = cancelled(task)
                    self._finished(result)
                    self._take(result)

    def _broke(self, exc: BaseException) -> None:
        error = describe_broken_check(exc)
        self.error = error if self.error is None else f"{self.error}; {error}"
        self.traceback = self.traceback or format_traceback(exc)


@dataclass(slots=True)
class PreparedRun:
    """Evaluators that are set up and whose datasets are read through, as far as they can be.

    Attributes:
        plan: What `execute` will run.
        evaluators: The evaluators, and those that cannot run.
        absent: The evaluators of which the selection, or what is skipped, leaves no item.
        selection: Which items were asked for; empty for all.
    """

    plan: Plan
    evaluators: list[PreparedEvaluator | BrokenEvaluator]
    absent: list[EvaluationResults]
    selection: str
    _stop: StopToken
    _started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    _started: float = field(default_factory=time.perf_counter)
    _course: _Course | None = None

    @classmethod
    def of(
        cls,
        evaluators: Iterable[BaseEvaluator | BrokenEvaluator],
        crew: Crew,
        selection: Selection,
        limits: Limits,
        skip: Collection[tuple[str, int]] = (),
    ) -> PreparedRun:
        """Prepare each evaluator; one that breaks becomes a `BrokenEvaluator`. All are torn down when interrupted.

        All are set up before the first dataset is read, because process workers are forked in between.
        """
        opened: list[Opened | BrokenEvaluator] = []
        prepared: list[PreparedEvaluator | BrokenEvaluator] = []
        most = 0
        try:
            for evaluator in evaluators:
                fitting = crew.of(evaluator)
                opened.append(_opened(evaluator, fitting))
                most = max(most, fitting.concurrency)
            while opened:
                prepared.append(_prepared(opened.pop(0), selection, limits, skip))
        except BaseException:
            _release([*prepared, *opened])
            raise
        run = cls(Plan(()), [], [], str(selection), crew.stop)
        for one in prepared:
            if isinstance(one, PreparedEvaluator) and one.total == 0:
                run.absent.append(one.absent())
                one.release()
            else:
                run.evaluators.append(one)
        planned = tuple(evaluator.planned() for evaluator in run.evaluators)
        run.plan = Plan(planned, most or crew.concurrency, tuple(crew.notices))
        return run

    def execute(
        self,
        listener: Listener,
        *,
        fail_fast: bool = False,
        keep_results: bool = True,
    ) -> EvaluationReport:
        """Run the evaluators one after the other, tell the listener, and return the report.

        Args:
            listener: Receives the plan, the results and the report.
            fail_fast: Stop the run after the first item that fails or breaks.
            keep_results: Keep the results in the report; without, it has their figures alone and memory stays small.
        """
        options = RunOptions(fail_fast, keep_results)
        stop = self._stop
        done: list[EvaluationResults] = []
        with signals_stop(stop):
            with stop.saving(lambda: self._save(done, listener, options)):
                try:
                    self._start(listener, stop)
                    while self.evaluators:
                        done.append(self._next(listener, stop, options))
                finally:
                    self.close()
            return self._reported(done, listener)

    def close(self) -> None:
        """Tear down the evaluators that did not run."""
        _release(self.evaluators)
        self.evaluators.clear()

    def _save(self, done: list[EvaluationResults], listener: Listener, options: RunOptions) -> None:
        """Report what there is, while an item lets nothing break it off; nothing is torn down."""
        given_up = [] if self._course is None else [self._course.given_up()]
        for evaluator in self.evaluators:
            if isinstance(evaluator, BrokenEvaluator):
                given_up.append(evaluator.results())
            else:
                given_up.append(_Course(evaluator, listener, self._stop, options).given_up())
        self._reported([*done, *given_up], listener)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()

    def _reported(self, done: list[EvaluationResults], listener: Listener) -> EvaluationReport:
        """Tell the listener the report, and return it."""
        report = EvaluationReport(
            done,
            started_at=self._started_at,
            finished_at=datetime.now(UTC),
            duration=time.perf_counter() - self._started,
            stopped=self._stop.reason,
            interrupted=self._stop.interrupted,
            selection=self.selection,
            absent=self.absent,
        )
        with suppress(StopRun):  # there is nothing left to stop
            listener.output(report)
        return report

    def _start(self, listener: Listener, stop: StopToken) -> None:
        try:
            listener.start(self.plan)
        except StopRun as exc:
            stop.set(stop_reason(exc))

    def _next(self, listener: Listener, stop: StopToken, options: RunOptions) -> EvaluationResults:
        evaluator = self.evaluators.pop(0)
        if isinstance(evaluator, BrokenEvaluator):
            return evaluator.results()
        self._course = _Course(evaluator, listener, stop, options)
        results = self._course.whole()
        self._course = None
        return results


def stop_reason(exc: StopRun) -> str:
    """Return why an output driver stopped the run."""
    return str(exc) or "stopped by an output driver"


def _opened(evaluator: BaseEvaluator | BrokenEvaluator, crew: Crew) -> Opened | BrokenEvaluator:
    if isinstance(evaluator, BrokenEvaluator):
        return evaluator
    try:
        return set_up(evaluator, crew)
    except (Exception, SystemExit) as exc:  # the others still run
        return BrokenEvaluator.of(evaluator.evaluator_name, exc)


def _prepared(
    opened: Opened | BrokenEvaluator, selection: Selection, limits: Limits, skip: Collection[tuple[str, int]]
) -> PreparedEvaluator | BrokenEvaluator:
    if isinstance(opened, BrokenEvaluator):
        return opened
    try:
        return prepare(opened, selection, limits, skip)
    except (Exception, SystemExit) as exc:  # as in `_opened`
        return BrokenEvaluator.of(opened.evaluator.evaluator_name, exc)


def _release(evaluators: Iterable[Opened | PreparedEvaluator | BrokenEvaluator]) -> None:
    """Release all of them, also when one breaks; its error is raised at the end."""
    with ExitStack() as stack:
        for evaluator in evaluators:
            if not isinstance(evaluator, BrokenEvaluator):
                stack.callback(evaluator.release)
