"""What a command or call is about to run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlannedEvaluator:
    """One evaluator of a plan.

    Attributes:
        evaluator_class: Full dotted name of the evaluator.
        total: Number of results it will give; `None` when the dataset cannot tell before it was read.
        error: Why it cannot run at all; `None` when it can.
        namespace: The evaluator's grouping label, if it has one.
        workers: Kind of its workers: `inline`, `threads`, `async` or `processes`; `None` when it cannot run.
    """

    evaluator_class: str
    total: int | None = None
    error: str | None = None
    namespace: str | None = None
    workers: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What one command or call is about to run; given to output drivers before the first item.

    Attributes:
        evaluators: The evaluators in the order in which they run.
        concurrency: How many items are in flight at most.
        notices: What a person should know of how it runs, such as workers that are not to be had here.
    """

    evaluators: tuple[PlannedEvaluator, ...]
    concurrency: int = 1
    notices: tuple[str, ...] = ()

    @property
    def workers(self) -> str:
        """The kinds of workers, with commas between them."""
        return ", ".join(dict.fromkeys(planned.workers for planned in self.evaluators if planned.workers is not None))

    @property
    def total(self) -> int | None:
        """Number of results to come; `None` when one of the datasets cannot tell."""
        total = 0
        for evaluator in self.evaluators:
            if evaluator.error is not None:
                continue
            if evaluator.total is None:
                return None
            total += evaluator.total
        return total
