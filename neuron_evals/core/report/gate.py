"""When a report is good enough: the gate and the exit status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import ConfigurationError

if TYPE_CHECKING:
    from neuron_evals.core.report.results import EvaluationReport

PASSED = 0
FAILED = 1
NOTHING_JUDGED = 2
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Gate:
    """What a report must reach.

    Attributes:
        min_success_rate: Lowest success rate that is good enough, 0 to 1; `None` asks that every item passes.
        max_error_rate: Largest share of errors among the items that count, 0 to 1.
    """

    min_success_rate: float | None = None
    max_error_rate: float = 0.0

    def __post_init__(self) -> None:
        """Refuse rates outside 0 to 1."""
        for name, value in (("min_success_rate", self.min_success_rate), ("max_error_rate", self.max_error_rate)):
            if value is not None and not 0 <= value <= 1:
                msg = f"{name} is a fraction from 0 to 1, got {value}"
                raise ConfigurationError(msg)

    def problems(self, report: EvaluationReport) -> list[str]:
        """Return why the report is not good enough, a line each; empty when it is."""
        problems = [f"{results.evaluator_class}: {results.error}" for results in report.broken_evaluators]
        rate, counted = report.success_rate, report.judged_count
        if rate is None:
            return [*problems, "nothing was judged"]
        if report.error_count / counted > self.max_error_rate:
            problems.append(f"{report.error_count} of {counted} items broke (allowed: {self.max_error_rate:.2%})")
        if self.min_success_rate is None:
            if report.failed_count:
                problems.append(f"{report.failed_count} of {counted} items failed")
        elif rate < self.min_success_rate:
            problems.append(f"success rate {rate:.4f} is below {self.min_success_rate}")
        if report.stopped is not None:
            problems.append(f"stopped early: {report.stopped}")
        return problems

    def exit_status(self, report: EvaluationReport) -> int:
        """Return 0 when the gate holds, 1 when it does not, 2 when nothing was judged, 130 when interrupted."""
        if report.interrupted:
            return INTERRUPTED
        if report.success_rate is None:
            return NOTHING_JUDGED
        return FAILED if self.problems(report) else PASSED
