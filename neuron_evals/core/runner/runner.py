"""`EvaluatorRunner`: evaluators in, results out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Self, cast

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.runner.course import RunOptions, evaluate
from neuron_evals.core.runner.crew import AroundFork, Crew, WorkerKind
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.runner.limits import Limits
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.pools.contract import Hooks, nothing
from neuron_evals.core.runner.preparing import BrokenEvaluator, PreparedEvaluator, prepare, set_up
from neuron_evals.core.runner.run import PreparedRun
from neuron_evals.core.runner.scheduling import Scheduler
from neuron_evals.core.runner.selection import Selection

if TYPE_CHECKING:
    from neuron_evals.core.caches import Cache
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.execution import AroundAsync
    from neuron_evals.core.report import EvaluationResults
    from neuron_evals.core.results import ItemResult

_ALL = Selection()
_AS_IT_SAYS = Limits()


class EvaluatorRunner:
    """Runs evaluators.

    Args:
        cache: Where outputs of `run` are looked up and stored; `None` for nowhere. `evaluate` always runs.
        refresh: Look nothing up, so that everything runs, and store what comes out.
        before_child: Called in a worker before each item, never inline; when it raises, that item is an error.
        after_child: Called in a worker after each item, never inline; when it raises, that item is an error.
        after_worker: Called in each worker thread or child process as it ends, to close what it opened.
        before_call: Called in the threads of `async` workers before each call of a plain method.
        around_async: Gives an async context manager that is around each item on an event loop, in every kind of worker
            and inline, so that the item has, and closes, connections of its own.
        after_fork: Called in the process that forks children, right after it was forked itself, to let go, without
            closing, of connections that belong to its parent.
    """

    def __init__(  # noqa: PLR0913  (the hooks of every kind of worker)
        self,
        cache: Cache | None = None,
        *,
        refresh: bool = False,
        before_child: Callable[[], None] | None = None,
        after_child: Callable[[], None] | None = None,
        after_worker: Callable[[], None] = nothing,
        before_call: Callable[[], None] = nothing,
        around_async: AroundAsync = nullcontext,
        after_fork: Callable[[], None] = nothing,
    ) -> None:
        self.cache = cache
        self.refresh = refresh
        self.hooks = Hooks(before_child, after_child, after_worker, before_call, around_async, after_fork)

    def with_cache(self, cache: Cache | None, *, refresh: bool = False) -> Self:
        """Return a copy of this runner with another cache."""
        other = copy.copy(self)
        other.cache, other.refresh = cache, refresh
        return other

    def run(  # noqa: PLR0913  (the options of a run)
        self,
        evaluator: BaseEvaluator,
        concurrency: int = 1,
        *,
        workers: WorkerKind | None = None,
        selection: Selection = _ALL,
        limits: Limits = _AS_IT_SAYS,
        fail_fast: bool = False,
        listener: Listener | None = None,
        stop: StopToken | None = None,
        skip: Collection[tuple[str, int]] = (),
    ) -> EvaluationResults:
        """Run one evaluator.

        Args:
            evaluator: The evaluator.
            concurrency: How many items are in flight at most, from 1.
            workers: `"inline"`, `"threads"`, `"async"` or `"processes"`. By default inline for a concurrency of 1, else
                `async` where `run` is an `async def`, else threads.
            selection: Which items run; all by default.
            limits: Time limit, repeats and retries, where they go before what items and evaluator say.
            fail_fast: Stop after the first item that fails or breaks.
            listener: Receives each result; `start` and `output` are not called, they belong to a whole run.
            stop: Set it from elsewhere to stop the run.
            skip: What is not executed, because its result is there already: `item_key` and repeat of each.

        Returns:
            The results. What broke between items, such as a generator of items, is their `error`.

        Raises:
            Exception: Whatever `set_up` or `get_dataset` raises.
            DatasetError: The dataset has problems, or is empty.
            ConfigurationError: An option is out of range.
        """
        stop = stop or StopToken()
        crew = self._crew(concurrency, workers, stop)
        with signals_stop(stop):
            with stop.interruptible():
                prepared = prepare(set_up(evaluator, crew), selection, limits, skip)
            return evaluate(prepared, listener or Listener(), stop, RunOptions(fail_fast))

    def stream(  # noqa: PLR0913  (as `run`)
        self,
        evaluator: BaseEvaluator,
        concurrency: int = 1,
        *,
        workers: WorkerKind | None = None,
        selection: Selection = _ALL,
        limits: Limits = _AS_IT_SAYS,
        stop: StopToken | None = None,
    ) -> Generator[ItemResult, None, None]:
        """Run one evaluator and yield its results in dataset order as they come, without keeping them.

        Parameters and errors are those of `run`; signals are the caller's. Closing the iterator stops the run.
        """
        stop = stop or StopToken()
        prepared = prepare(set_up(evaluator, self._crew(concurrency, workers, stop)), selection, limits)
        results = _streamed(prepared, stop)
        next(results)  # begun, so that closing it tears the evaluator down even when nobody took a result
        return cast("Generator[ItemResult, None, None]", results)

    def _crew(self, concurrency: int, workers: WorkerKind | None, stop: StopToken) -> Crew:
        return Crew(concurrency, workers, self.hooks, stop, self.cache, self.refresh)

    def prepare_run(  # noqa: PLR0913  (as `run`)
        self,
        evaluators: Iterable[BaseEvaluator | BrokenEvaluator],
        concurrency: int = 1,
        *,
        workers: WorkerKind | None = None,
        selection: Selection = _ALL,
        limits: Limits = _AS_IT_SAYS,
        stop: StopToken | None = None,
        skip: Collection[tuple[str, int]] = (),
        own_concurrency: bool = False,
        around_fork: AroundFork = nullcontext,
    ) -> PreparedRun:
        """Get several evaluators ready, so that everything that can be wrong is known before the first item.

        Args:
            evaluators: The evaluators, and those known to be broken, in the order in which they run.
            concurrency: As in `run`.
            workers: As in `run`.
            selection: As in `run`, for each evaluator.
            limits: As in `run`.
            stop: As in `run`.
            skip: As in `run`, for each evaluator.
            own_concurrency: Have the `concurrency` of an evaluator go before, where it has one, as suites do.
            around_fork: Gives a context manager that is around the fork of process workers: beside it no thread may be.

        Returns:
            The run with its plan; execute it or close it.
        """
        crew = self._crew(concurrency, workers, stop or StopToken())
        crew = replace(crew, own=own_concurrency, around_fork=around_fork)
        return PreparedRun.of(evaluators, crew, selection, limits, skip)


def _streamed(prepared: PreparedEvaluator, stop: StopToken) -> Generator[ItemResult | None, None, None]:
    """Yield `None` first, then the results."""
    with ExitStack() as stack:
        stack.callback(prepared.evaluator.tear_down)
        with ExitStack() as unused:
            unused.callback(prepared.opened.pool.close, abandon=True)
            yield None
            unused.pop_all()
        opened = prepared.opened
        yield from Scheduler(opened.pool, stop, lambda result: None, opened.outputs).run(prepared.tasks())
