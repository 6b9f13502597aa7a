"""Which stored run a result belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.results import PlannedEvaluator
from neuron_evals.models import EvalRun
from neuron_evals.outputs.storing import Store

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult


@dataclass(slots=True)
class StoredRun:
    """A run that is being stored.

    Attributes:
        planned: Its evaluator.
        run: Its row.
        store: Where its results go.
        open: Whether it is still to be closed.
        in_flight: How many of its results were handed on as finished, and not yet in dataset order.
        last: Position and repeat of the last one in dataset order.
    """

    planned: PlannedEvaluator
    run: EvalRun
    store: Store
    open: bool = True
    in_flight: int = 0
    last: tuple[int, int] = (-1, -1)

    def takes(self, result: ItemResult) -> bool:
        """Return whether a result can be its: when all have come in dataset order, only later ones can."""
        if self.planned.error is not None or self.planned.evaluator_class != result.evaluator_class:
            return False
        return self.in_flight > 0 or (result.index, result.repeat) > self.last


class Course:
    """The runs of one command, of which one after the other gets its results.

    Args:
        runs: The runs in the order of the plan.
    """

    def __init__(self, runs: Sequence[StoredRun] = ()) -> None:
        self.runs = tuple(runs)
        self._at = 0

    def finished(self, result: ItemResult) -> StoredRun:
        """Take a result as it ends, and return its run.

        Raises:
            OutputError: The plan has no such evaluator.
        """
        for at in range(self._at, len(self.runs)):
            run = self.runs[at]
            if run.takes(result):
                self._at = at
                run.in_flight += 1
                return run
        msg = f"a result of {result.evaluator_class} came, which is not in the plan"
        raise OutputError(msg)

    def item(self, result: ItemResult) -> None:
        """Take a result in dataset order."""
        run = self.runs[self._at]
        run.in_flight -= 1
        run.last = (result.index, result.repeat)

    def stopped_early(self, position: int, report: EvaluationReport) -> bool:
        """Return whether a run did not come to its end because the command was stopped.

        Args:
            position: Position of the run in the plan.
            report: The report of the command.
        """
        if report.stopped is None:
            return False
        if report.evaluators[position].cancelled_count:
            return True
        # Where the dataset does not tell its length, items that did not run have no result.
        return self.runs[position].planned.total is None and position >= self._at
