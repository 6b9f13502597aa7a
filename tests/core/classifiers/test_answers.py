from __future__ import annotations

import math

import pytest

from neuron_evals.core.classifiers import Boolean, Choice, ClassificationResult, Score
from neuron_evals.core.exceptions import ClassifierError, InvalidArgument

YES = Boolean("Is it?")
LEVELS = Score("How much?", ["none", "some", "all"])
OPTIONS = Choice("Which?", {"a": "first", "b": "second"})


def test_answers__read_by_kind_and_brought_to_a_sum_of_1():
    result = ClassificationResult(
        {"yes": YES, "level": LEVELS, "option": OPTIONS},
        {"yes": 0.25, "level": [0.0, 0.5, 0.5000001], "option": {"b": 0.5, "a": 0.5}},
    )
    assert result.boolean("yes").probability == 0.25
    assert result.score("level").value == pytest.approx(1.5, abs=1e-6)
    assert math.fsum(result.score("level").probabilities) == pytest.approx(1, abs=1e-15)
    assert result.choice("option").value == "a"
    assert list(result.choice("option").probabilities) == ["a", "b"]


def test_most_probable_option__is_the_choice():
    assert ClassificationResult({"q": OPTIONS}, {"q": {"a": 0.4, "b": 0.6}}).choice("q").value == "b"


@pytest.mark.parametrize(
    ("definition", "given"),
    [
        *((YES, given) for given in (1.1, -0.1, math.nan, math.inf, True, "0.5", None, [0.5, 0.5])),
        (LEVELS, [0.5, 0.5]),
        (LEVELS, [1.2, -0.2, 0.0]),
        (LEVELS, [0.5, 0.5, 0.5]),
        (LEVELS, [0.0, 0.0, 0.0]),
        (LEVELS, [True, 0.0, 0.0]),
        (LEVELS, {"none": 1.0, "some": 0.0, "all": 0.0}),
        (LEVELS, "100"),
        (OPTIONS, {"a": 1.0}),
        (OPTIONS, {"a": 0.5, "b": 0.5, "c": 0.0}),
        (OPTIONS, [0.5, 0.5]),
    ],
)
def test_answer_that_is_no_probability__error_that_names_the_question(definition, given):
    with pytest.raises(ClassifierError, match="'q' cannot be used"):
        ClassificationResult({"q": definition}, {"q": given})


@pytest.mark.parametrize(
    ("answers", "problem"), [({}, "no answer to 'q'"), ({"q": 1, "r": 1}, "an answer to 'r', which was not asked")]
)
def test_not_exactly_one_answer_to_each_question__error(answers, problem):
    with pytest.raises(ClassifierError, match=problem):
        ClassificationResult({"q": YES}, answers)


def test_answer_of_another_kind_or_question__refused():
    result = ClassificationResult({"q": YES}, {"q": 1})
    with pytest.raises(InvalidArgument, match="'q' is no Score: a Boolean was asked"):
        result.score("q")
    with pytest.raises(InvalidArgument, match="'r' is no Choice: nothing was asked"):
        result.choice("r")
