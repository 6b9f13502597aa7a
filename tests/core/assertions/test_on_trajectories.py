"""What each assertion of the package makes of a trajectory."""

from __future__ import annotations

import pytest

from neuron_evals.core import assertions
from neuron_evals.core.assertions import Not
from neuron_evals.core.embeddings import FakeEmbeddings
from neuron_evals.core.exceptions import InvalidInput
from neuron_evals.core.messages import Message
from neuron_evals.core.trajectories import Trajectory

ABOUT_THE_ANSWER = [
    assertions.Between(1, 50),
    assertions.CloseTo(42),
    assertions.Contains("42"),
    assertions.ContainsJson(),
    assertions.ExactMatch("42"),
    assertions.FuzzyMatch("42"),
    assertions.GreaterThan(1),
    assertions.IsValidJson(),
    assertions.JsonEquals(42),
    assertions.JsonPath("$"),
    assertions.MatchesRegex("42"),
    assertions.MatchesSchema({"type": "integer"}),
    assertions.NotContains("7"),
    assertions.NotEmpty(),
    assertions.NumberEquals(42),
    assertions.StringContains("42"),
    assertions.StringContainsAll(["42"]),
    assertions.StringContainsAny(["42"]),
    assertions.StringDistance("42"),
    assertions.StringEndsWith("2"),
    assertions.StringLengthBetween(1, 50),
    assertions.StringSimilarity("42", FakeEmbeddings({"42": [1.0, 0.0]})),
    assertions.StringStartsWith("4"),
]
GRADE_IT = {
    "AgentJudge",
    "ClassifierJudge",
    "CorrectnessJudge",
    "FaithfulnessJudge",
    "HelpfulnessJudge",
    "RelevanceJudge",
    "RubricJudge",
    "TaskCompletionJudge",
}
COMPARE_ANY_VALUE = {"Equals", "OneOf"}
ASK_OTHERS = {"AllOf", "AnyOf", "Not", "Weighted"}


@pytest.mark.parametrize("assertion", ABOUT_THE_ANSWER, ids=lambda assertion: type(assertion).__name__)
def test_assertion_about_an_answer__says_to_use_final_answer(assertion):
    trajectory = Trajectory([Message("user", "What is the answer?"), Message("assistant", "42")])
    for asked in (assertion, Not(assertion)):
        with pytest.raises(InvalidInput, match=r"Trajectory.*; give it trajectory\.final_answer\(\)$"):
            asked.evaluate(trajectory)


def test_every_assertion__has_its_place_in_this_module():
    others = GRADE_IT | COMPARE_ANY_VALUE | ASK_OTHERS
    views = {name: getattr(assertions, name).accepts for name in set(assertions.__all__) - others}
    about_the_answer = {name for name, view in views.items() if view == "text"}
    assert about_the_answer == {type(assertion).__name__ for assertion in ABOUT_THE_ANSWER}
    assert set(views.values()) == {"text", "trajectory", "record"}
