"""Cases of ExactMatch, FuzzyMatch and Contains: options, text, outcome, score, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neuron_evals.core import assertions
from neuron_evals.core.exceptions import InvalidArgument

CASES = json.loads(Path(__file__).with_name("nous_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[f"{case['assertion']}-{case['why']}" for case in CASES])
def test_case(case):
    cls = getattr(assertions, case["assertion"])
    if case["outcome"] == "error":
        with pytest.raises((InvalidArgument, TypeError)):  # TypeError: a constructor knows no such option
            cls(**case["options"])
        return
    result = cls(**case["options"]).evaluate(case["actual"])
    assert result.passed is (case["outcome"] == "passed"), result.message
    assert result.score == pytest.approx(case["score"], abs=1e-5)
    assert bool(result.message) is not result.passed
