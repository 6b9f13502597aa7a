"""The statistics that a report of one evaluator and a report of one command share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from neuron_evals.core.report.repeated import RepeatFigures
from neuron_evals.core.results import Check, ItemResult, Status, Verdict
from neuron_evals.core.statistics import repeated_interval, wilson_interval

if TYPE_CHECKING:
    from neuron_evals.core.caches import CacheCounts
    from neuron_evals.core.report.metrics_summary import MetricsSummary
    from neuron_evals.core.report.recorded import MetricStatistics
    from neuron_evals.core.report.spending import Spending, TimeSplit
    from neuron_evals.core.report.tally import ScoreStatistics, Tally


class Figures(RepeatFigures):
    """Figures over results. Unknown is `None`, never 0: a rate of nothing, a score nobody gave.

    Attributes:
        tally: What was counted.
        results: The results; empty when they were not kept, and counted all the same.
        cache: What was counted of the cache of outputs; `None` when there was none.
        left_out: How many items of the datasets did not run because tags, a filter or a limit left them out; `None`
            when a dataset does not tell.
        resumed: How many results there were before, of a run that was gone on with; they are not counted here.
    """

    tally: Tally
    results: tuple[ItemResult, ...]
    cache: CacheCounts | None
    left_out: int | None
    resumed: int

    @property
    def total_count(self) -> int:
        """Number of results, whatever their status."""
        return self.tally.statuses.total()

    @property
    def passed_count(self) -> int:
        """Number of items that passed."""
        return self.tally.statuses[Status.PASSED]

    @property
    def failed_count(self) -> int:
        """Number of items in which the agent was wrong; errors are not among them."""
        return self.tally.statuses[Status.FAILED]

    @property
    def error_count(self) -> int:
        """Number of items in which something broke."""
        return self.tally.statuses[Status.ERROR]

    @property
    def skipped_count(self) -> int:
        """Number of items to which no check applied."""
        return self.tally.statuses[Status.SKIPPED]

    @property
    def cancelled_count(self) -> int:
        """Number of items that did not run to their end because the run stopped."""
        return self.tally.statuses[Status.CANCELLED]

    @property
    def pass_count(self) -> int:
        """Nous.Eval's name of `passed_count`."""
        return self.passed_count

    @property
    def fail_count(self) -> int:
        """Nous.Eval's name of `failed_count`; unlike there, errors are not among them."""
        return self.failed_count

    @property
    def pass_rate(self) -> float | None:
        """Nous.Eval's name of `success_rate`; unlike there, `None` when nothing counted."""
        return self.success_rate

    @property
    def test_results(self) -> tuple[ItemResult, ...]:
        """Nous.Eval's name of `results`."""
        return self.results

    @property
    def judged_count(self) -> int:
        """Number of items that count in the success rate: passed, failed and error."""
        return self.passed_count + self.failed_count + self.error_count

    @property
    def judged_item_count(self) -> int:
        """Number of items of which at least one execution counts in the success rate."""
        return self.tally.repeats.shares.total()

    @property
    def success_rate(self) -> float | None:
        """Passed / (passed + failed + error), 0 to 1; `None` when nothing counted.

        With repeats it is the mean of each item's share.
        """
        if not self.judged_count:
            return None
        if not self.repeated:
            return self.passed_count / self.judged_count
        shares = self.tally.repeats.shares
        return math.fsum(count * passed / judged for (passed, judged), count in shares.items()) / sum(shares.values())

    @property
    def success_rate_interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval of the success rate, as fractions; `None` when nothing counted.

        With repeats it is clustered by item, as the repeats of an item resemble each other.
        """
        if self.repeated:
            return repeated_interval(self.tally.repeats.shares)
        return wilson_interval(self.passed_count, self.judged_count)

    @property
    def scored_count(self) -> int:
        """Number of items that have a score."""
        return self.tally.item_scores

    @property
    def aggregate_score(self) -> float | None:
        """Mean score of the items that have one (see `scored_count`); `None` when none has."""
        return self.tally.score_sum / self.tally.item_scores if self.tally.item_scores else None

    @property
    def average_execution_time(self) -> float | None:
        """Mean seconds an item took; `None` when none ran. Cached runs are left out.

        Under concurrency this is not a share of the wall clock.
        """
        return math.fsum(self.tally.times) / len(self.tally.times) if self.tally.times else None

    @cached_property
    def execution_time_percentiles(self) -> dict[str, float | None]:
        """Seconds an item took, at p50, p95 and p99 (linear interpolation); cached runs are left out."""
        return self.tally.percentiles()

    @property
    def cached_run_count(self) -> int:
        """Number of items whose output came from the cache."""
        return self.tally.cached

    @property
    def retried_count(self) -> int:
        """Number of items that were tried more than once, whatever came of it."""
        return self.tally.retried

    @property
    def retry_count(self) -> int:
        """How often they were tried again, all together."""
        return self.tally.retries

    @property
    def agent_spending(self) -> Spending:
        """Tokens and cost of the agent. Cached runs are left out: they cost this run nothing."""
        return self.tally.used.agent.spending()

    @property
    def judge_spending(self) -> Spending:
        """Tokens and cost of the judges, over the items that one judged."""
        return self.tally.used.judges.spending()

    @property
    def simulator_spending(self) -> Spending:
        """Tokens and cost of the simulated users, over the items in which one spoke. Cached runs are left out."""
        return self.tally.used.simulators.spending()

    @cached_property
    def metrics_summary(self) -> MetricsSummary:
        """What was measured of the agent: latency, tokens, cost, tool calls, under the names of Nous.Eval."""
        return self.tally.measured.summary(self.agent_spending)

    @property
    def time_split(self) -> TimeSplit:
        """Seconds of all items by agent, tools, judges and simulated users; of cached ones those of judges only."""
        return self.tally.used.time_split()

    @property
    def total_assertions(self) -> int:
        """Number of checks."""
        return self.tally.overall.verdicts.total()

    @property
    def assertions_passed(self) -> int:
        """Number of checks that passed."""
        return self.tally.overall.verdicts[Verdict.PASSED]

    @property
    def assertions_failed(self) -> int:
        """Number of checks that failed."""
        return self.tally.overall.verdicts[Verdict.FAILED]

    @property
    def assertions_broken(self) -> int:
        """Number of checks that broke."""
        return self.tally.overall.verdicts[Verdict.ERROR]

    @property
    def assertions_skipped(self) -> int:
        """Number of checks that did not apply."""
        return self.tally.overall.verdicts[Verdict.SKIPPED]

    @property
    def assertion_success_rate(self) -> float | None:
        """Passed / (passed + failed + broken) checks, 0 to 1; `None` when there is none."""
        counted = self.assertions_passed + self.assertions_failed + self.assertions_broken
        return self.assertions_passed / counted if counted else None

    @property
    def vacuous_checks(self) -> int:
        """Number of checks that every output passes, or none can."""
        return self.tally.vacuous

    @cached_property
    def score_statistics(self) -> dict[str, ScoreStatistics]:
        """Statistics of the checks' scores by label, in the order in which the labels were first used."""
        return {label: tally.statistics() for label, tally in self.tally.labels.items()}

    @cached_property
    def overall_score_statistics(self) -> ScoreStatistics:
        """Statistics of the scores of all checks."""
        return self.tally.overall.statistics()

    @cached_property
    def metric_statistics(self) -> dict[str, MetricStatistics]:
        """Statistics of the figures that the project records itself, in the order in which they were first recorded."""
        return self.tally.recorded.statistics()

    @property
    def failed_results(self) -> tuple[ItemResult, ...]:
        """The results with the status `failed`."""
        return _with_status(self.results, Status.FAILED)

    @property
    def error_results(self) -> tuple[ItemResult, ...]:
        """The results with the status `error`."""
        return _with_status(self.results, Status.ERROR)

    @property
    def assertion_failures(self) -> tuple[Check, ...]:
        """The failed checks of all results."""
        return tuple(check for result in self.results for check in result.failed_checks)


def _with_status(results: Iterable[ItemResult], status: Status) -> tuple[ItemResult, ...]:
    return tuple(result for result in results if result.status is status)
