"""A run: one evaluator after the other, each with its results, whatever breaks."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import StopRun
from neuron_evals.core.report import EvaluationReport, EvaluationResults
from neuron_evals.core.results import Plan
from neuron_evals.core.runner.course import Course, RunOptions, stop_reason
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.runner.preparing import BrokenEvaluator, Opened, PreparedEvaluator, prepare, set_up

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.runner.crew import Crew
    from neuron_evals.core.runner.limits import Limits
    from neuron_evals.core.runner.listener import Listener
    from neuron_evals.core.runner.selection import Selection


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
    _course: Course | None = None

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
                given_up.append(Course(evaluator, listener, self._stop, options).given_up())
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
        self._course = Course(evaluator, listener, stop, options)
        results = self._course.whole()
        self._course = None
        return results


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
