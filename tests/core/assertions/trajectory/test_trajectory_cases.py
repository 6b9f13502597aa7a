"""Cases of the assertions about tool calls, as the documents define them: options, conversation, outcome, why."""

from __future__ import annotations

import json
import operator
from pathlib import Path

import pytest

from neuron_evals.core import assertions
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from tests.core.assertions.trajectory.conversations import as_trajectory

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
OPERATORS = {"<": operator.lt, "<=": operator.le}


def options_of(case):
    if "predicate" not in case:
        return case["options"]
    name, sign, bound = case["predicate"]
    return {**case["options"], "arguments": lambda given: OPERATORS[sign](given[name], bound)}


@pytest.mark.parametrize("case", CASES, ids=[f"{case['assertion']}-{case['why']}" for case in CASES])
def test_case(case):
    cls = getattr(assertions, case["assertion"])
    actual = as_trajectory(case["conversation"]) if "conversation" in case else case["actual"]
    if case["outcome"] == "error":
        with pytest.raises((InvalidArgument, InvalidInput)):
            cls(**options_of(case)).evaluate(actual)
        return
    result = cls(**options_of(case)).evaluate(actual)
    assert result.passed is (case["outcome"] == "passed"), result.message
    assert result.score == pytest.approx(case["score"], abs=1e-9)
    assert bool(result.message) is not result.passed
