"""One evaluator on its way through its items, whatever breaks."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import StopRun
from neuron_evals.core.execution import cancelled
from neuron_evals.core.report import EvaluationResults, Tally
from neuron_evals.core.results import ItemResult, Status
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.preparing import PreparedEvaluator
from neuron_evals.core.runner.scheduling import Scheduler
from neuron_evals.core.tracebacks import describe_broken_check, format_traceback


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
    return Course(prepared, listener, stop, options).whole()


@dataclass(slots=True)
class Course:
    """One evaluator on its way through its items.

    Attributes:
        prepared: The evaluator, set up.
        listener: Told of each result.
        stop: What stops it.
        options: How it goes on.
        tally: What was counted of the results so far.
        kept: The results so far, where they are kept.
        error: What broke between items, or in `tear_down`; `None` when nothing did.
        traceback: Where it broke first; empty when nothing did.
        started_at: When it began.
        started: The same by the clock that measures durations, in seconds.
        scheduler: Runs the items.
    """

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
        """Run the items, or note what broke between them."""
        try:
            for result in self.scheduler.run(self.prepared.tasks()):
                self._take(result)
            if self.stop.is_set():
                self._cancel_the_rest()
        except (Exception, SystemExit) as exc:
            self._broke(exc)

    def tear_down(self) -> None:
        """Tear the evaluator down, or note what broke in it."""
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
        """Return what there is of results, with what broke."""
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


def stop_reason(exc: StopRun) -> str:
    """Return why an output driver stopped the run."""
    return str(exc) or "stopped by an output driver"
