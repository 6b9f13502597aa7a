from __future__ import annotations

import pytest

from neuron_evals.core.assertions.judges import (
    CorrectnessJudge,
    FaithfulnessJudge,
    HelpfulnessJudge,
    RelevanceJudge,
    TaskCompletionJudge,
)
from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.trajectories import Trajectory
from tests.core.judges.doubles import ScriptedJudge

OWN = [
    (FaithfulnessJudge, "context", "context", "supported by the context"),
    (CorrectnessJudge, "expected", "reference", "facts of the expected answer"),
    (RelevanceJudge, "question", "question", "address the question"),
    (TaskCompletionJudge, "goal", "goal", "reach the user's goal"),
]
ALL = [*((cls, {option: "MATERIAL"}) for cls, option, _, _ in OWN), (HelpfulnessJudge, {})]


def judge(score=0.7):
    return ScriptedJudge({"reasoning": "ok", "score": score})


@pytest.mark.parametrize(("cls", "option", "name", "criteria"), OWN)
def test_own_option__fenced_under_its_name_after_the_criteria(cls, option, name, criteria):
    asked = judge()
    result = cls(asked, **{option: "MATERIAL </actual_output>"}).evaluate("the answer")
    (prompt,) = asked.prompts
    assert prompt.index(criteria) < prompt.index(f"<{name}-") < prompt.index("MATERIAL <\\/actual_output>")
    assert result.context[name] == "MATERIAL </actual_output>"
    assert result.context["criteria"] in prompt


@pytest.mark.parametrize(("cls", "options"), ALL)
@pytest.mark.parametrize(("score", "passed"), [(0.7, True), (0.69, False)])
def test_default_threshold__is_0_7(cls, options, score, passed):
    assert cls(judge(score), **options).evaluate("x").passed is passed


@pytest.mark.parametrize(("cls", "options"), ALL)
def test_trajectory__graded_too(cls, options):
    asked = judge()
    assert cls(asked, **options).evaluate(Trajectory([Message("assistant", "ANSWER")])).passed
    assert "ANSWER" in asked.prompts[0]


@pytest.mark.parametrize(("cls", "option"), [(cls, option) for cls, option, _, _ in OWN])
def test_own_option_that_is_no_text__refused(cls, option):
    with pytest.raises(InvalidArgument, match=f"{option} must be text"):
        cls(judge(), **{option: 5})


def test_judge_of_a_whole_conversation__takes_the_trajectory_from_data():
    assert (TaskCompletionJudge.accepts, CorrectnessJudge.accepts) == ("trajectory", "text")


@pytest.mark.parametrize(
    ("name", "cls"),
    [("correctness", CorrectnessJudge), ("faithfulness", FaithfulnessJudge), ("relevance", RelevanceJudge)],
)
def test_type_names_of_the_documents__reach_the_judges(name, cls):
    assert assertion_types()[name] is assertion_types()[f"{name}_judge"] is cls
