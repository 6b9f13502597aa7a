"""Counting results as they come, without keeping them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from neuron_evals.core.report.metrics_summary import MetricsTally
from neuron_evals.core.report.recorded import RecordedTally
from neuron_evals.core.report.spending import UsedTally
from neuron_evals.core.report.times import Times
from neuron_evals.core.results import Check, ItemResult, Status, Verdict
from neuron_evals.core.statistics import percentile


@dataclass(frozen=True, slots=True)
class ScoreStatistics:
    """The scores of all checks that share a label.

    Attributes:
        average: Mean of the scored checks; `None` when none was scored, as are the next three.
        min: Lowest score.
        max: Highest score.
        deviation: Standard deviation of the scores (population).
        count: How many checks were scored.
        total: How many checks were made.
        passed: How many of them passed.
        failed: How many failed.
        errors: How many broke.
        skipped: How many did not apply.
    """

    average: float | None
    min: float | None
    max: float | None
    deviation: float | None
    count: int
    total: int
    passed: int
    failed: int
    errors: int
    skipped: int


class ScoreTally:
    """Running figures of the checks of one label."""

    __slots__ = ("count", "high", "low", "mean", "spread", "sum", "verdicts")

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.count = 0
        self.sum = 0.0
        # Mean and sum of squared deviations by Welford's method: a difference of large sums would lose the digits.
        self.mean = 0.0
        self.spread = 0.0
        self.low = math.inf
        self.high = -math.inf

    def add(self, check: Check) -> None:
        """Count one check."""
        self.verdicts[check.verdict] += 1
        score = check.score
        if score is not None:
            self.count += 1
            self.sum += score
            from_mean = score - self.mean
            self.mean += from_mean / self.count
            self.spread += from_mean * (score - self.mean)
            self.low = min(self.low, score)
            self.high = max(self.high, score)

    def merge(self, other: ScoreTally) -> None:
        """Count all that another tally counted."""
        self.verdicts.update(other.verdicts)
        count = self.count + other.count
        if count:
            between = other.mean - self.mean
            self.spread += other.spread + between * between * self.count * other.count / count
            self.mean += between * other.count / count
        self.count = count
        self.sum += other.sum
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)

    def statistics(self) -> ScoreStatistics:
        """Return the figures."""
        return ScoreStatistics(
            average=self.sum / self.count if self.count else None,
            min=self.low if self.count else None,
            max=self.high if self.count else None,
            deviation=math.sqrt(self.spread / self.count) if self.count else None,
            count=self.count,
            total=self.verdicts.total(),
            passed=self.verdicts[Verdict.PASSED],
            failed=self.verdicts[Verdict.FAILED],
            errors=self.verdicts[Verdict.ERROR],
            skipped=self.verdicts[Verdict.SKIPPED],
        )


@dataclass(frozen=True, slots=True)
class FlakyItem:
    """An item whose repeats did not end alike.

    Attributes:
        evaluator_class: Full dotted name of its evaluator.
        item_id: Identity of the item.
        passed: How many of its executions passed.
        judged: How many count: passed, failed and error.
    """

    evaluator_class: str
    item_id: str
    passed: int
    judged: int


class RepeatTally:
    """How often items passed in how many executions. The executions of an item must come one after the other."""

    __slots__ = ("_item", "_judged", "_passed", "flaky", "most", "shares")

    def __init__(self) -> None:
        self.shares: Counter[tuple[int, int]] = Counter()
        self.flaky: list[FlakyItem] = []
        self.most = 0
        self._item: tuple[str, int] | None = None
        self._passed = self._judged = 0

    def add(self, result: ItemResult) -> None:
        """Count one execution."""
        item = (result.evaluator_class, result.index)
        if item != self._item:
            self._item, self._passed, self._judged = item, 0, 0
        self.most = max(self.most, result.repeat + 1)
        if result.status not in _JUDGED:
            return
        before = (self._passed, self._judged)
        was_flaky = 0 < self._passed < self._judged
        self._judged += 1
        self._passed += result.status is Status.PASSED
        if before[1]:
            self.shares[before] -= 1
            if not self.shares[before]:
                del self.shares[before]
        self.shares[self._passed, self._judged] += 1
        if 0 < self._passed < self._judged:
            if was_flaky:
                self.flaky.pop()
            self.flaky.append(FlakyItem(result.evaluator_class, result.item_id, self._passed, self._judged))

    def merge(self, other: RepeatTally) -> None:
        """Count all that another tally counted; the items are others."""
        self.shares.update(other.shares)
        self.flaky.extend(other.flaky)
        self.most = max(self.most, other.most)


_JUDGED = frozenset({Status.PASSED, Status.FAILED, Status.ERROR})


class Tally:
    """Running figures of many results."""

    __slots__ = (
        "cached",
        "item_scores",
        "labels",
        "measured",
        "overall",
        "recorded",
        "repeats",
        "retried",
        "retries",
        "score_sum",
        "statuses",
        "times",
        "used",
        "vacuous",
    )

    def __init__(self, results: Iterable[ItemResult] = ()) -> None:
        self.statuses: Counter[Status] = Counter()
        self.labels: dict[str, ScoreTally] = {}
        self.overall = ScoreTally()
        self.repeats = RepeatTally()
        self.used = UsedTally()
        self.recorded = RecordedTally()
        self.measured = MetricsTally()
        self.vacuous = 0
        self.cached = 0
        self.retried = 0
        self.retries = 0
        self.item_scores = 0
        self.score_sum = 0.0
        self.times = Times()
        for result in results:
            self.add(result)

    def add(self, result: ItemResult) -> None:
        """Count one result."""
        self.statuses[result.status] += 1
        self.repeats.add(result)
        self.used.add(result)
        self.measured.add(result)
        if result.metrics:
            self.recorded.add(result.metrics)
        self.cached += result.cached_run
        self.retried += result.attempts > 1
        self.retries += result.attempts - 1
        score = result.score
        if score is not None:
            self.item_scores += 1
            self.score_sum += score
        if result.status is not Status.CANCELLED and not result.cached_run:
            self.times.append(result.execution_time)
        for check in result.checks:
            tally = self.labels.get(check.label)
            if tally is None:
                tally = self.labels[check.label] = ScoreTally()
            tally.add(check)
            self.overall.add(check)
            self.vacuous += check.vacuous

    def merge(self, other: Tally) -> None:
        """Count all that another tally counted."""
        self.statuses.update(other.statuses)
        for label, scores in other.labels.items():
            self.labels.setdefault(label, ScoreTally()).merge(scores)
        self.overall.merge(other.overall)
        self.repeats.merge(other.repeats)
        self.used.merge(other.used)
        self.recorded.merge(other.recorded)
        self.measured.merge(other.measured)
        self.vacuous += other.vacuous
        self.cached += other.cached
        self.retried += other.retried
        self.retries += other.retries
        self.item_scores += other.item_scores
        self.score_sum += other.score_sum
        self.times.extend(other.times)

    def percentiles(self) -> dict[str, float | None]:
        """Return p50, p95 and p99 of the item times, in seconds; `None` each when no item ran."""
        ordered = sorted(self.times)
        return {name: percentile(ordered, at) for name, at in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))}
