from __future__ import annotations

import math
from decimal import Decimal

import pytest

from neuron_evals.core.assertions import AllOf, MaxCost, MaxTokens, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.messages import Usage
from neuron_evals.core.results import Record


@pytest.mark.parametrize(("used", "passed"), [((90, 10), True), ((91, 10), False), ((0, 0), True)])
def test_tokens_up_to_the_limit__pass(used, passed):
    result = MaxTokens(100).evaluate(Record(usage=Usage(input=used[0], output=used[1])))
    assert (result.passed, result.score, result.context) == (passed, float(passed), {"tokens": sum(used)})


@pytest.mark.parametrize("usage", [None, Usage(), Usage(input=5), Usage(output=5)])
def test_unknown_tokens__skipped_and_not_taken_for_0(usage):
    result = MaxTokens(100).evaluate(Record(usage=usage))
    assert (result.skipped, result.passed, result.score) == (True, False, None)
    assert result.message == "the number of tokens is unknown"


@pytest.mark.parametrize(
    ("cost", "limit", "passed"),
    [
        (0.02, 0.02, True),
        (0.0200001, 0.02, False),
        (Decimal("0.1"), 0.1, True),
        (0.1, Decimal("0.1"), True),
        (Decimal("0.10000000001"), 0.1, False),
        (0.0, 0, True),
        (0.01, 0, False),
    ],
)
def test_cost_up_to_the_limit__passes(cost, limit, passed):
    result = MaxCost(limit).evaluate(Record(cost=cost))
    assert (result.passed, result.score) == (passed, float(passed))


def test_unknown_cost__skipped_and_not_taken_for_0():
    result = MaxCost(1).evaluate(Record(usage=Usage(input=5, output=5)))
    assert (result.skipped, result.message) == (True, "the cost is unknown")


def test_messages__name_what_was_used_and_the_limit():
    record = Record(usage=Usage(input=1000, output=500), cost=0.25)
    assert MaxTokens(1_000).evaluate(record).message == "it used 1,500 tokens, more than 1,000"
    assert MaxCost(0.1).evaluate(record).message == "it cost 0.25, more than 0.1"
    assert Not(MaxTokens(2_000)).evaluate(record).message == "it used 1,500 tokens, and it should use more than 2,000"
    assert Not(MaxCost(1)).evaluate(record).message == "it cost 0.25, and it should cost more than 1"


@pytest.mark.parametrize("actual", ["text", 5, None, {"cost": 1}, Usage(input=1, output=1)])
@pytest.mark.parametrize("assertion", [MaxTokens(1), MaxCost(1)])
def test_anything_but_a_record__refused(assertion, actual):
    with pytest.raises(InvalidInput, match="evaluates a Record, got "):
        assertion.evaluate(actual)


@pytest.mark.parametrize("limit", [-1, 1.5, True, "1", None])
def test_limit_of_tokens_out_of_range__refused(limit):
    with pytest.raises(InvalidArgument, match="MaxTokens: limit"):
        MaxTokens(limit)


@pytest.mark.parametrize(
    "limit", [-0.1, math.inf, math.nan, True, "1", None, Decimal("nan"), Decimal("sNaN"), Decimal(-1)]
)
def test_limit_of_cost_out_of_range__refused(limit):
    with pytest.raises(InvalidArgument, match="MaxCost: limit must be a finite number"):
        MaxCost(limit)


def test_view__is_the_record_also_inside_others():
    assert MaxTokens(1).accepts == Not(MaxCost(1)).accepts == AllOf(MaxCost(1)).accepts == "record"
