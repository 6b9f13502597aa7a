from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.results import (
    AssertionResult,
    Check,
    ItemResult,
    Plan,
    PlannedEvaluator,
    Status,
    Verdict,
    full_name,
    short_name,
)


def make_check(score: float | None = 1.0, weight: float = 1.0, verdict: Verdict = Verdict.PASSED, **rest: Any) -> Check:
    name = rest.pop("name", "StringContains")
    return Check(name=name, label=rest.pop("label", name), verdict=verdict, score=score, weight=weight, **rest)


def make_result(*checks: Check, status: Status = Status.PASSED, **rest: Any) -> ItemResult:
    return ItemResult("shop.evaluators.Support", 4, "hours", status, {"input": "When?"}, checks=checks, **rest)


@pytest.mark.parametrize(
    ("checks", "score"),
    [
        ([], None),
        ([make_check(1.0)], 1.0),
        ([make_check(0.0)], 0.0),
        ([make_check(None)], None),
        ([make_check(1.0), make_check(None)], 1.0),
        ([make_check(0.8), make_check(0.6)], 0.7),
        ([make_check(1.0, 1), make_check(None, 3, Verdict.SKIPPED)], 1.0),
        ([make_check(1.0, 0, label="tp"), make_check(0.5, 2)], 0.5),
        ([make_check(1.0, 0)], None),
        ([make_check(1.0, 3), make_check(0.0, 1, Verdict.FAILED)], 0.75),
        ([make_check(0.1)] * 10, 0.1),
    ],
)
def test_the_score_of_an_item_is_the_weighted_mean_of_what_was_scored(checks, score):
    assert make_result(*checks).score == (score if score is None else pytest.approx(score, abs=1e-12))


@pytest.mark.parametrize("status", [Status.ERROR, Status.CANCELLED])
def test_an_item_that_broke_has_no_score(status):
    assert make_result(make_check(1.0), status=status).score is None


def test_a_weight_of_0_is_recorded_and_not_counted():
    result = make_result(make_check(1.0, 0, label="tp"))
    assert result.scores == {"tp": [1.0]}
    assert result.score is None


def test_scores_are_listed_by_label_and_unknown_ones_stay_unknown():
    result = make_result(make_check(1.0), make_check(None, label="tone"), make_check(0.0))
    assert result.scores == {"StringContains": [1.0, 0.0], "tone": [None]}


@pytest.mark.parametrize(
    ("score", "kept"),
    [(None, None), (1, 1.0), (0, 0.0), (-0.3, -0.3), (1.5, 1.5), (Decimal("0.5"), 0.5), (Fraction(1, 4), 0.25)],
)
def test_a_score_is_kept_as_it_is_and_none_is_not_0(score, kept):
    for result in (AssertionResult.ok(score), AssertionResult.fail(score, "no")):
        assert result.score == kept
        assert type(result.score) is type(kept)


@pytest.mark.parametrize("score", [np.float32(0.5), np.float64(0.5), np.int64(1)])
def test_a_score_of_numpy_becomes_a_plain_one(score):
    assert type(AssertionResult.ok(score).score) is float


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, "high", [], np.array([1, 2])])
def test_a_score_that_is_no_finite_number_is_refused(score):
    with pytest.raises(InvalidArgument, match="a score is a finite number or None, got"):
        AssertionResult.ok(score)


def test_the_three_ways_to_make_a_result():
    assert AssertionResult.ok() == AssertionResult(passed=True, score=1.0)
    assert AssertionResult.fail(0.4, "rude") == AssertionResult(passed=False, score=0.4, message="rude")
    skipped = AssertionResult.skip("no network", {"host": "a"})
    assert (skipped.passed, skipped.score, skipped.skipped, skipped.message) == (False, None, True, "no network")
    assert skipped.context == {"host": "a"}


@pytest.mark.parametrize(
    ("check", "description"),
    [
        (
            make_check(0.0, verdict=Verdict.FAILED, message='no "9"', evaluator_class="shop.Support", line=31),
            'Support:31 -> StringContains: no "9"',
        ),
        (
            make_check(0.0, message="rude", label="tone", name="AgentJudge", evaluator_class="shop.Support", line=2),
            "Support:2 -> AgentJudge (tone): rude",
        ),
        (make_check(message="", evaluator_class="shop.Support", line=7), "Support:7 -> StringContains"),
        (make_check(message="x", evaluator_class="shop.Support"), "Support -> StringContains: x"),
        (make_check(message="x", line=3), "?:3 -> StringContains: x"),
    ],
)
def test_a_full_description_says_where_and_what(check, description):
    assert check.full_description == description


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_a_check_with_the_verdict_passed_passed(verdict):
    assert make_check(verdict=verdict).passed is (verdict == "passed")


@pytest.mark.parametrize("status", list(Status))
def test_only_an_item_with_the_status_passed_passed(status):
    assert make_result(status=status).passed is (status == "passed")


def test_the_reason_of_an_item_joins_those_of_the_checks_that_did_not_pass():
    result = make_result(
        make_check(message="fine"),
        make_check(0.0, verdict=Verdict.FAILED, message='no "9"'),
        make_check(None, verdict=Verdict.ERROR, message="judge down", label="tone"),
        make_check(None, verdict=Verdict.SKIPPED, message="no network", label="links"),
        status=Status.ERROR,
    )
    assert result.reason == 'StringContains: no "9"; tone: judge down; links: no network'
    assert [check.message for check in result.failed_checks] == ['no "9"']


def test_what_broke_the_item_is_its_reason():
    failed = make_check(0.0, verdict=Verdict.FAILED, message="no")
    assert make_result(failed, status=Status.ERROR, error="KeyError: 'id' (a.py:3)").reason == "KeyError: 'id' (a.py:3)"


def test_a_passed_item_has_no_reason():
    assert make_result(make_check(message="fine")).reason == ""


def test_an_item_explains_itself_check_by_check():
    result = make_result(
        make_check(message="", evaluator_class="shop.Support", line=7),
        make_check(0.0, verdict=Verdict.FAILED, message='no "9"', evaluator_class="shop.Support", line=8),
        status=Status.ERROR,
        error="KeyError: 'id' (a.py:3)",
    )
    assert result.explain().splitlines() == [
        "Support #4 (hours): error",
        "  error: KeyError: 'id' (a.py:3)",
        "  passed: Support:7 -> StringContains",
        '  failed: Support:8 -> StringContains: no "9"',
    ]


def test_an_explanation_cannot_be_forged_by_what_a_model_said():
    check = make_check(
        0.0, verdict=Verdict.FAILED, message="no\n  passed: it did\x1b[2J", evaluator_class="shop.Support"
    )
    broken = make_result(check, status=Status.ERROR, error="ValueError: a\n  passed: b\u202e")
    assert broken.explain().splitlines() == [
        "Support #4 (hours): error",
        "  error: ValueError: a",
        "        passed: b\\u202e",
        "  failed: Support -> StringContains: no",
        "        passed: it did\\x1b[2J",
    ]


def test_an_item_that_passed_explains_itself_too():
    assert make_result().explain() == "Support #4 (hours): passed"


@pytest.mark.parametrize(
    ("evaluators", "total"),
    [
        ([], 0),
        ([PlannedEvaluator("a.A", 3), PlannedEvaluator("a.B", 4)], 7),
        ([PlannedEvaluator("a.A", 3), PlannedEvaluator("a.B")], None),
        ([PlannedEvaluator("a.A", 3), PlannedEvaluator("a.B", error="broken file")], 3),
        ([PlannedEvaluator("a.A", 0)], 0),
    ],
)
def test_the_total_of_a_plan_is_unknown_when_one_dataset_cannot_tell(evaluators, total):
    assert Plan(tuple(evaluators)).total == total


def test_names_of_classes():
    assert short_name("shop.evaluators.Support") == "Support"
    assert short_name("Support") == "Support"
    assert short_name("") == ""
    assert short_name("suite v1.2") == "suite v1.2"
    assert full_name(Status) == "neuron_evals.core.results.items.Status"
