"""Results of many items with their statistics, and whether they are good enough."""

from __future__ import annotations

from neuron_evals.core.report.gate import Gate
from neuron_evals.core.report.metrics_summary import (
    CostSummary,
    LatencySummary,
    MetricsSummary,
    TimeStatistics,
    TokensSummary,
)
from neuron_evals.core.report.recorded import MetricStatistics
from neuron_evals.core.report.results import EvaluationReport, EvaluationResults
from neuron_evals.core.report.spending import Amount, Spending, TimeSplit
from neuron_evals.core.report.tally import FlakyItem, ScoreStatistics, Tally

__all__ = [
    "Amount",
    "CostSummary",
    "EvaluationReport",
    "EvaluationResults",
    "FlakyItem",
    "Gate",
    "LatencySummary",
    "MetricStatistics",
    "MetricsSummary",
    "ScoreStatistics",
    "Spending",
    "Tally",
    "TimeSplit",
    "TimeStatistics",
    "TokensSummary",
]
