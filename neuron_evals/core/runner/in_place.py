"""`InPlaceRunner`: evaluators inside tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.datasets import as_dataset
from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.runner.course import RunOptions, evaluate
from neuron_evals.core.runner.crew import Crew, WorkerKind
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.runner.limits import Limits, Resolver
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.runner.pools.in_place import InPlacePool
from neuron_evals.core.runner.preparing import PreparedEvaluator, set_up
from neuron_evals.core.runner.runner import EvaluatorRunner
from neuron_evals.core.runner.selection import Selection

if TYPE_CHECKING:
    from neuron_evals.core.caches import RunOutputs
    from neuron_evals.core.datasets import Entry
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.report import EvaluationResults
    from neuron_evals.core.runner.pools.contract import Pool


class InPlaceRunner(EvaluatorRunner):
    """Runs items one after the other in the thread that calls it, so that they see what a test did in its transaction.

    Whatever concurrency or kind of workers is asked for, there are none. See `InPlacePool` for what that makes of time
    limits. An interruption is raised, as in any other test.
    """

    def run(
        self, evaluator: BaseEvaluator, *args: Any, stop: StopToken | None = None, **options: Any
    ) -> EvaluationResults:
        """Do what `EvaluatorRunner.run` does.

        Raises:
            KeyboardInterrupt: The run was interrupted.
        """
        stop = stop or StopToken()
        results = super().run(evaluator, *args, stop=stop, **options)
        return _uninterrupted(results, stop)

    def run_one(self, evaluator: BaseEvaluator, entry: Entry, repeat: int = 0) -> EvaluationResults:
        """Set an evaluator up, run one item of it, and tear it down.

        Args:
            evaluator: The evaluator.
            entry: The item, as its dataset gave it before.
            repeat: Which repeat of the item this is, counted from 0.

        Returns:
            The results, with one item.

        Raises:
            Exception: Whatever `set_up` raises.
            KeyboardInterrupt: The run was interrupted.
        """
        stop = StopToken()
        with signals_stop(stop):
            with stop.interruptible():
                prepared = self._only(evaluator, entry, repeat, stop)
            results = evaluate(prepared, Listener(), stop, RunOptions())
        return _uninterrupted(results, stop)

    def _only(self, evaluator: BaseEvaluator, entry: Entry, repeat: int, stop: StopToken) -> PreparedEvaluator:
        opened = set_up(evaluator, self._crew(1, None, stop))
        try:
            # It may leave behind what `run` needs.
            dataset = as_dataset(opened.evaluator.get_dataset())
            _, repeats, _ = Resolver(Limits(), evaluator).of(entry.item)
            key = item_key(entry.item_id)
            others = {(key, other) for other in range(max(repeats, repeat + 1)) if other != repeat}
            return PreparedEvaluator(opened, dataset, Selection(), Limits(), others, 1, (entry,))
        except BaseException:
            opened.release()
            raise

    def _crew(self, concurrency: int, workers: WorkerKind | None, stop: StopToken) -> Crew:
        del concurrency, workers
        return _NoCrew(1, None, self.hooks, stop, self.cache, self.refresh)


class _NoCrew(Crew):
    def pool(self, evaluator: BaseEvaluator, outputs: RunOutputs | None) -> tuple[Pool, WorkerKind]:
        del evaluator, outputs
        return InPlacePool(self.hooks, self.stop), "inline"


def _uninterrupted(results: EvaluationResults, stop: StopToken) -> EvaluationResults:
    if stop.interrupted:
        raise KeyboardInterrupt
    return results
