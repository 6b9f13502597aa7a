"""`EvaluationResults`: what one evaluator gave. `EvaluationReport`: what one command or call gave."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Self

from neuron_evals.core.caches.counts import CacheCounts
from neuron_evals.core.report.figures import Figures
from neuron_evals.core.report.tally import Tally
from neuron_evals.core.results import ItemResult, short_name

if TYPE_CHECKING:
    from datetime import datetime


class EvaluationResults(Figures):
    """The results of one evaluator with their statistics.

    Attributes:
        evaluator_class: Full dotted name of the evaluator; the file's name when the file could not be imported.
        results: The results in dataset order; empty when they were not kept.
        error: Why the evaluator could not run, or not to its end; `None` when it did. What came before is kept.
        traceback: The traceback of `error`; empty when there is none.
        namespace: The evaluator's grouping label, if it has one.
        started_at: When its first item could start (aware, UTC); `None` when it never could.
        finished_at: When its last item ended.
        duration: Wall-clock seconds between the two, by a clock that is never set back.
        cache: What was counted of the cache of outputs; `None` when there was none.
        fake: Whether the agent was replaced by one with canned replies, so that nothing here tells how good it is.
        left_out: How many items of its dataset the selection left out; `None` when the dataset does not tell.
        resumed: How many of its results there were before, which are not counted here.
    """

    def __init__(  # noqa: PLR0913  (a record of what was measured; every field but the first has a default)
        self,
        evaluator_class: str,
        results: Iterable[ItemResult] = (),
        *,
        tally: Tally | None = None,
        error: str | None = None,
        traceback: str = "",
        namespace: str | None = None,
        started_at: datetime | None = None,
        finished_at: datetime | None = None,
        duration: float = 0.0,
        cache: CacheCounts | None = None,
        fake: bool = False,
        left_out: int | None = 0,
        resumed: int = 0,
    ) -> None:
        self.cache = cache
        self.left_out = left_out
        self.resumed = resumed
        self.fake = fake
        self.evaluator_class = evaluator_class
        self.results = tuple(results)
        self.tally = Tally(self.results) if tally is None else tally
        self.error = error
        self.traceback = traceback
        self.namespace = namespace
        self.started_at = started_at
        self.finished_at = finished_at
        self.duration = duration

    @property
    def short_evaluator_class(self) -> str:
        """The evaluator's name without its module."""
        return short_name(self.evaluator_class)

    @property
    def suite_name(self) -> str:
        """The name of the suite, under Nous.Eval's name; of an evaluator from code its `evaluator_class`."""
        return self.evaluator_class.removeprefix("suite ")

    @property
    def has_failures(self) -> bool:
        """Whether an item failed or broke, or the evaluator itself did."""
        return self.error is not None or self.failed_count + self.error_count > 0


class EvaluationReport(Figures):
    """The results of all evaluators of one command or call.

    Attributes:
        evaluators: The results by evaluator, in the order in which they ran.
        started_at: When the first evaluator was prepared (aware, UTC).
        finished_at: When the last one ended.
        duration: Wall-clock seconds between the two.
        stopped: Why the run ended early (`"interrupted"`, `"fail-fast"`, what a driver said); `None` when it did not.
        interrupted: Whether a person or the system interrupted it.
        selection: Which items were asked for, as the options of the commands, such as `--tag smoke`; empty for all.
        absent: The evaluators of which the selection, or what there was before, left no item.
    """

    def __init__(  # noqa: PLR0913  (as above)
        self,
        evaluators: Iterable[EvaluationResults],
        *,
        started_at: datetime,
        finished_at: datetime,
        duration: float = 0.0,
        stopped: str | None = None,
        interrupted: bool = False,
        selection: str = "",
        absent: Iterable[EvaluationResults] = (),
    ) -> None:
        self.selection = selection
        self.absent = tuple(absent)
        self.evaluators = tuple(evaluators)
        self.started_at = started_at
        self.finished_at = finished_at
        self.duration = duration
        self.stopped = stopped
        self.interrupted = interrupted

    @cached_property
    def tally(self) -> Tally:  # type: ignore[override]  # computed here, given there
        """The figures of all evaluators together."""
        total = Tally()
        for evaluator in self.evaluators:
            total.merge(evaluator.tally)
        return total

    @cached_property
    def results(self) -> tuple[ItemResult, ...]:  # type: ignore[override]  # as tally
        """The results of all evaluators, one evaluator after the other."""
        return tuple(result for evaluator in self.evaluators for result in evaluator.results)

    @cached_property
    def cache(self) -> CacheCounts | None:  # type: ignore[override]  # as tally
        """What was counted of the cache by all evaluators together; `None` when none had one."""
        counted = [evaluator.cache for evaluator in self.evaluators if evaluator.cache is not None]
        return CacheCounts.total(counted) if counted else None

    @cached_property
    def left_out(self) -> int | None:  # type: ignore[override]  # as tally
        """How many items the selection left out, of all evaluators; `None` when a dataset does not tell."""
        counts = [results.left_out for results in (*self.evaluators, *self.absent)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    @cached_property
    def resumed(self) -> int:  # type: ignore[override]  # as tally
        """How many results there were before, which are not counted here."""
        return sum(results.resumed for results in (*self.evaluators, *self.absent))

    @property
    def fake(self) -> bool:
        """Whether the agent of an evaluator was replaced by one with canned replies."""
        return any(evaluator.fake for evaluator in self.evaluators)

    @property
    def suite_name(self) -> str | None:
        """The `suite_name` of its evaluator; `None` when there is none, or more than one."""
        return self.evaluators[0].suite_name if len(self.evaluators) == 1 else None

    @property
    def broken_evaluators(self) -> tuple[EvaluationResults, ...]:
        """The evaluators that could not run, or not to their end."""
        return tuple(evaluator for evaluator in self.evaluators if evaluator.error is not None)

    @property
    def has_failures(self) -> bool:
        """Whether an item failed or broke, or an evaluator did."""
        return any(evaluator.has_failures for evaluator in self.evaluators)

    @classmethod
    def of(cls, results: EvaluationResults, *, stopped: str | None = None, interrupted: bool = False) -> Self:
        """Return the report of a single evaluator.

        Args:
            results: Its results.
            stopped: Why the run ended early; `None` when it did not.
            interrupted: Whether a person or the system interrupted it.

        Raises:
            ValueError: The evaluator never started.
        """
        if results.started_at is None or results.finished_at is None:
            msg = f"{results.evaluator_class} never started, so there is no report of it"
            raise ValueError(msg)
        return cls(
            [results],
            started_at=results.started_at,
            finished_at=results.finished_at,
            duration=results.duration,
            stopped=stopped,
            interrupted=interrupted,
        )
