from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from neuron_evals.core.report import EvaluationReport, EvaluationResults


@pytest.fixture
def report_of() -> Callable[..., EvaluationReport]:
    """A report of one evaluator for each list of results."""
    moment = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def build(*lists, **fields):
        evaluators = [EvaluationResults(f"shop.E{number}", results) for number, results in enumerate(lists)]
        return EvaluationReport(evaluators, started_at=moment, finished_at=moment, **fields)

    return build
