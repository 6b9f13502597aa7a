from __future__ import annotations

import asyncio
import math

import pytest

from neuron_evals.core.assertions import ClassifierJudge
from neuron_evals.core.checking import Recorder
from neuron_evals.core.classifiers import Boolean, Choice, FakeClassifier, Score
from neuron_evals.core.exceptions import ClassifierError, InvalidArgument, InvalidInput
from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.metrics import collecting
from neuron_evals.core.results import Verdict
from neuron_evals.core.trajectories import Trajectory

RELEVANT = Boolean("Is the response relevant?")
COMPLETE = Score("How complete is actual?", ["None.", "Partial.", "Full."])
FIVE = Score("grade", ["a", "b", "c", "d", "e"])


def fake(answer):
    return FakeClassifier([{"judgment": answer}])


@pytest.mark.parametrize(
    ("criteria", "answer", "options", "passed", "score"),
    [
        (RELEVANT, 0.6, {"threshold": 0.7}, False, 0.6),
        (RELEVANT, 0.0, {"threshold": 0.0}, True, 0.0),
        (RELEVANT, 1.0, {"threshold": 1.0}, True, 1.0),
        (RELEVANT, 0.7, {}, True, 0.7),
        (RELEVANT, 0.69, {}, False, 0.69),
        (RELEVANT, 0.95, {"threshold": 0.9, "reference": "Paris"}, True, 0.95),
        (COMPLETE, [0.0, 0.0, 1.0], {"threshold": 1.0}, True, 1.0),
        (COMPLETE, [1.0, 0.0, 0.0], {"threshold": 0.0}, True, 0.0),
        (COMPLETE, [0.0, 0.5, 0.5], {}, True, 0.75),
        (FIVE, [0.0, 0.0, 0.0, 0.5, 0.5], {"threshold": 0.8}, True, 0.875),
        (FIVE, [0.2, 0.2, 0.2, 0.2, 0.2], {"threshold": 0.6}, False, 0.5),
    ],
)
def test_answer__passes_from_the_threshold_on(criteria, answer, options, passed, score):
    result = ClassifierJudge(fake(answer), criteria, **options).evaluate("The response")
    assert result.passed is passed
    assert result.score == pytest.approx(score, abs=1e-9)


def test_context_and_message__say_what_the_verdict_is_made_from():
    result = ClassifierJudge(fake(0.6), RELEVANT, reference="Paris").evaluate("x")
    assert result.message == "probability of yes 0.6 is below the threshold 0.7"
    assert result.context["probabilities"] == {"false": 0.4, "true": 0.6}
    assert (result.context["type"], result.context["criteria"]) == ("boolean", "Is the response relevant?")
    assert (result.context["threshold"], result.context["reference"], result.context["model"]) == (0.7, "Paris", "fake")
    result = ClassifierJudge(fake([0.0, 0.5, 0.5]), COMPLETE).evaluate("x")
    assert result.message == "normalised score 0.75 meets the threshold 0.7"
    assert result.context["probabilities"] == [0.0, 0.5, 0.5]
    assert result.context["levels"] == ["None.", "Partial.", "Full."]


@pytest.mark.parametrize(("reference", "sent"), [(None, {"actual": "x"}), ("", {"actual": "x", "reference": ""})])
def test_request__one_question_with_the_output_and_the_reference_if_any(reference, sent):
    classifier = fake(1.0)
    ClassifierJudge(classifier, RELEVANT, reference=reference).evaluate("x")
    (request,) = classifier.requests
    assert (request.input, dict(request.questions)) == (sent, {"judgment": RELEVANT})


def test_several_criteria__asked_in_one_request_all_must_pass():
    classifier = FakeClassifier([{"relevant": 0.9, "complete": [1.0, 0.0, 0.0]}])
    result = ClassifierJudge(classifier, {"relevant": RELEVANT, "complete": COMPLETE}).evaluate("x")
    assert classifier.call_count == 1
    assert (result.passed, result.score) == (False, 0.45)
    assert result.message == (
        "relevant: probability of yes 0.9 meets the threshold 0.7; "
        "complete: normalised score 0 is below the threshold 0.7"
    )
    assert result.context["questions"]["complete"]["probabilities"] == [1.0, 0.0, 0.0]


def test_a_criterion_for_each_turn_and_none_is_met__fails_with_a_score_of_zero():
    turns = [f"turn {number}" for number in range(3)]
    classifier = FakeClassifier([dict.fromkeys(turns, 0.0)])
    trajectory = Trajectory([Message("user", "hi"), Message("assistant", "no")])
    result = ClassifierJudge(classifier, dict.fromkeys(turns, RELEVANT)).evaluate(trajectory)
    assert (result.passed, result.score) == (False, 0.0)


@pytest.mark.parametrize("is_async", [False, True])
def test_classifier__counts_as_a_judge_whose_tokens_and_cost_are_unknown(is_async):
    judge = ClassifierJudge(fake(1.0), RELEVANT)
    with collecting() as collected:
        result = asyncio.run(judge.aevaluate("x")) if is_async else judge.evaluate("x")
    (call,) = collected.model_calls
    assert (call.kind, call.usage, call.cost, call.seconds) == ("judge", None, None, result.context["seconds"])
    assert call.model == judge.classifier.model


def test_trajectory__classified_as_its_transcript():
    classifier = fake(1.0)
    trajectory = Trajectory([Message("assistant", "hello", [ToolCall("refund", {"order": 7}, stubbed=True)])])
    ClassifierJudge(classifier, RELEVANT).evaluate(trajectory)
    assert classifier.requests[0].input == {"actual": 'Assistant: hello\nTool call: refund({"order":7})'}


@pytest.mark.parametrize("actual", [None, True, [], {"a": 1}, 5])
def test_other_input__refused_before_the_classifier_is_asked(actual):
    classifier = fake(0.9)
    with pytest.raises(InvalidInput):
        ClassifierJudge(classifier, RELEVANT).evaluate(actual)
    assert not classifier.call_count


@pytest.mark.parametrize("answer", [[0.5, 0.5], [1.2, -0.2, 0.0], 0.5])
def test_bad_distribution__error_check_not_a_grade(answer):
    recorder = Recorder("tests.Evaluator")
    recorder.check(ClassifierJudge(fake(answer), COMPLETE), "x", None, None)
    (check,) = recorder.checks
    assert (check.verdict, check.score, check.context) == (Verdict.ERROR, None, {"question": "judgment"})


@pytest.mark.parametrize(
    "options",
    [
        *({"threshold": value} for value in (-0.1, 1.5, math.nan, math.inf, -math.inf, "1", None)),
        {"criteria": "Is it?"},
        {"criteria": Choice("q", {"a": "x", "b": "y"})},
        {"criteria": {}},
        {"criteria": {"a": "text"}},
        {"reference": 5},
        {"classifier": "fake"},
        {"classifier": FakeClassifier},
    ],
)
def test_option_that_means_nothing__refused(options):
    with pytest.raises(InvalidArgument, match="ClassifierJudge: "):
        ClassifierJudge(**{"classifier": fake(0.9), "criteria": RELEVANT, **options})


def test_awaited__the_same():
    assert asyncio.run(ClassifierJudge(fake(0.9), RELEVANT).aevaluate("x")).score == 0.9


def test_queue_empty__raises():
    with pytest.raises(ClassifierError, match="empty"):
        ClassifierJudge(FakeClassifier(), RELEVANT).evaluate("x")
