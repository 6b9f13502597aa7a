"""`EvaluatorRunner`: evaluators in, results out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.execution import execute
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.preparing import BrokenEvaluator, PreparedEvaluator, prepare
from neuron_evals.core.runner.run import PreparedRun, RunOptions, evaluate
from neuron_evals.core.runner.selection import Selection
from neuron_evals.core.runner.workers import Finished, run_inline, run_threads

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.report import EvaluationResults
    from neuron_evals.core.results import ItemResult

WorkerKind = Literal["inline", "threads"]


def _nothing() -> None:
    """Do nothing: the hook that was not given."""


@dataclass(frozen=True, slots=True)
class Workers:
    """How items are executed.

    Attributes:
        kind: `"inline"` is the calling thread, `"threads"` are worker threads.
        concurrency: How many items are in flight at most; 1 for `"inline"`.
        before_child: Called in the worker thread before each item; when it raises, that item is an error.
        after_child: Called in the worker thread after each item; when it raises, that item is an error.
        after_worker: Called in each worker thread as it ends.
    """

    kind: WorkerKind = "inline"
    concurrency: int = 1
    before_child: Callable[[], None] | None = None
    after_child: Callable[[], None] | None = None
    after_worker: Callable[[], None] = _nothing

    def results(
        self, prepared: PreparedEvaluator, stop: StopToken, finished: Finished
    ) -> Generator[ItemResult, None, None]:
        """Run the items of an evaluator; yield their results in dataset order."""
        if self.kind == "inline":
            return run_inline(prepared.tasks(), execute, stop, finished)
        work = partial(execute, before=self.before_child, after=self.after_child)
        return run_threads(prepared.tasks(), work, self.concurrency, stop, finished, self.after_worker)


def _validate_concurrency(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        msg = f"concurrency is a number of items from 1 up, got {value!r}"
        raise ConfigurationError(msg)


class EvaluatorRunner:
    """Runs evaluators.

    Args:
        before_child: Called in a worker before each item, never inline; when it raises, that item is an error.
        after_child: Called in a worker after each item, never inline; when it raises, that item is an error.
        after_worker: Called in each worker thread as it ends, to close what the thread opened.
    """

    def __init__(
        self,
        *,
        before_child: Callable[[], None] | None = None,
        after_child: Callable[[], None] | None = None,
        after_worker: Callable[[], None] | None = None,
    ) -> None:
        self.before_child = before_child
        self.after_child = after_child
        self.after_worker = after_worker

    def run(  # noqa: PLR0913  (the options of a run)
        self,
        evaluator: BaseEvaluator,
        concurrency: int = 1,
        *,
        workers: WorkerKind | None = None,
        selection: Selection | None = None,
        fail_fast: bool = False,
        listener: Listener | None = None,
        stop: StopToken | None = None,
    ) -> EvaluationResults:
        """Run one evaluator.

        Args:
            evaluator: The evaluator.
            concurrency: How many items are in flight at most, from 1.
            workers: `"inline"` or `"threads"`; by default inline for a concurrency of 1, else threads.
            selection: Which items run; all by default.
            fail_fast: Stop after the first item that fails or breaks.
            listener: Receives each result; `start` and `output` are not called, they belong to a whole run.
            stop: Set it from elsewhere to stop the run.

        Returns:
            The results. What broke between items, such as a generator of items, is their `error`.

        Raises:
            Exception: Whatever `set_up` or `get_dataset` raises.
            DatasetError: The dataset has problems, or is empty.
            ConfigurationError: An option is out of range.
        """
        crew = self._workers(concurrency, workers)
        stop = stop or StopToken()
        with signals_stop(stop):
            with stop.interruptible():
                prepared = prepare(evaluator, selection or Selection())
            return evaluate(prepared, crew.results, listener or Listener(), stop, RunOptions(fail_fast))

    def stream(
        self,
        evaluator: BaseEvaluator,
        concurrency: int = 1,
        *,
        workers: WorkerKind | None = None,
        selection: Selection | None = None,
        stop: StopToken | None = None,
    ) -> Generator[ItemResult, None, None]:
        """Run one evaluator and yield its results in dataset order as they come, without keeping them.

        Parameters and errors are those of `run`; signals are the caller's. Closing the iterator stops the run.
        """
        crew = self._workers(concurrency, workers)
        prepared = prepare(evaluator, selection or Selection())
        try:
            with closing(crew.results(prepared, stop or StopToken(), lambda result: None)) as results:
                yield from results
        finally:
            evaluator.tear_down()

    def prepare_run(
        self,
        evaluators: Iterable[BaseEvaluator | BrokenEvaluator],
        concurrency: int = 1,
        *,
        workers: WorkerKind | None = None,
        selection: Selection | None = None,
    ) -> PreparedRun:
        """Get several evaluators ready, so that everything that can be wrong is known before the first item.

        Args:
            evaluators: The evaluators, and those known to be broken, in the order in which they run.
            concurrency: As in `run`.
            workers: As in `run`.
            selection: As in `run`, for each evaluator.

        Returns:
            The run with its plan; execute it or close it.
        """
        crew = self._workers(concurrency, workers)
        return PreparedRun.of(evaluators, selection or Selection(), crew.kind, crew.concurrency, crew.results)

    def _workers(self, concurrency: int, kind: WorkerKind | None) -> Workers:
        _validate_concurrency(concurrency)
        if kind not in (None, "inline", "threads"):
            msg = f"workers is 'inline' or 'threads', got {kind!r}"
            raise ConfigurationError(msg)
        if kind == "inline" and concurrency > 1:
            msg = f"inline workers run one item at a time, got a concurrency of {concurrency}"
            raise ConfigurationError(msg)
        return Workers(
            kind or ("threads" if concurrency > 1 else "inline"),
            concurrency,
            self.before_child,
            self.after_child,
            self.after_worker or _nothing,
        )
