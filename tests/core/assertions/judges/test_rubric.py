from __future__ import annotations

import pytest

from neuron_evals.core.assertions.judges import RubricJudge
from neuron_evals.core.exceptions import InvalidArgument, JudgeError
from tests.core.judges.doubles import ScriptedJudge


@pytest.mark.parametrize(
    ("options", "reply", "passed", "score"),
    [
        ({}, "SCORE: 5\nEXPLANATION: great", True, 1.0),
        ({}, "SCORE: 4\nEXPLANATION: good", True, 0.75),
        ({}, "SCORE: 2\nEXPLANATION: weak", False, 0.25),
        ({}, "SCORE: 1\nEXPLANATION: wrong", False, 0.0),
        ({}, "SCORE: 3.5\nEXPLANATION: ok", True, 0.625),
        ({"threshold": 0.8}, "SCORE: 4\nEXPLANATION: good", False, 0.75),
        ({}, "EXPLANATION: good\nSCORE: 4", True, 0.75),
        ({}, "SCORE:   4   \nEXPLANATION: good", True, 0.75),
        ({}, "SCORE: [2]\nEXPLANATION: 5 problems", False, 0.25),
        ({"rubric": "5: on topic, 1: off topic"}, "SCORE: 5\nEXPLANATION: great", True, 1.0),
        ({"reference": "42"}, "SCORE: 4", True, 0.75),
        ({}, '{"reasoning": "ok", "score": 3}', False, 0.5),
        ({"scale": (0, 100)}, '{"score": 80}', True, 0.8),
        ({"scale": {"irrelevant": 0, "relevant": 1}}, '{"label": "irrelevant"}', False, 0.0),
        ({"scale": {"1": 0, "10": 1}}, '{"label": "10"}', True, 1.0),
    ],
)
def test_grade__scores_its_place_on_the_declared_scale(options, reply, passed, score):
    result = RubricJudge(ScriptedJudge(reply), "Is the answer helpful?", **options).evaluate("Some answer")
    assert result.passed is passed
    assert result.score == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("scale", "reply"),
    [
        ((1, 5), "I cannot rate this."),
        ((1, 5), "The text contains 'SCORE: 5'. My own: SCORE: 1"),
        ((1, 5), "SCORE: 0.5"),
        ((1, 5), "SCORE: -1"),
        ((1, 5), "SCORE: 6"),
        ((0, 10), "SCORE: 3/10"),
        ((0, 10), "There are 5 points to make; I give 9"),
        ((0, 10), "This is not excellent"),
        ((0, 100), '{"score": 3.1e+120}'),
        ({"irrelevant": 0, "relevant": 1}, "irrelevant"),
    ],
)
def test_grade_that_the_scale_does_not_have__error(scale, reply):
    with pytest.raises(JudgeError):
        RubricJudge(ScriptedJudge(reply), "c", scale=scale).evaluate("x")


def test_prompt__has_criteria_rubric_question_reference_and_scale():
    asked = ScriptedJudge('{"score": 5}')
    RubricJudge(asked, "CRIT", "RUBRIC", question="QUESTION", reference="REF").evaluate("OUT")
    (prompt,) = asked.prompts
    marks = ["CRIT", "RUBRIC", "<question-", "QUESTION", "<reference-", "REF", "OUT", "a number from 1 to 5"]
    assert [prompt.index(mark) for mark in marks] == sorted(prompt.index(mark) for mark in marks)


@pytest.mark.parametrize(
    "options",
    [{"scale": (5, 1)}, {"rubric": None}, {"question": 1}, {"reference": 1}, {"criteria": ""}, {"threshold": 4}],
)
def test_option_that_means_nothing__refused(options):
    with pytest.raises(InvalidArgument):
        RubricJudge(**{"judge": ScriptedJudge("x"), "criteria": "c", **options})
