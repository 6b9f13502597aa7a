"""The assertions that come with the package, one file per family.

The registry of type names is in `neuron_evals.core.assertions.registry`.
"""

from __future__ import annotations

from neuron_evals.core.assertions.budgets import MaxCost, MaxDuration, MaxTokens
from neuron_evals.core.assertions.classifier import ClassifierJudge
from neuron_evals.core.assertions.closeness import CloseTo, NumberEquals
from neuron_evals.core.assertions.combining import AllOf, AnyOf
from neuron_evals.core.assertions.contains import NotContains, StringContains, StringContainsAll, StringContainsAny
from neuron_evals.core.assertions.distance import StringDistance
from neuron_evals.core.assertions.json_values import ContainsJson, JsonEquals, JsonPath
from neuron_evals.core.assertions.judges import (
    AgentJudge,
    CorrectnessJudge,
    FaithfulnessJudge,
    HelpfulnessJudge,
    RelevanceJudge,
    RubricJudge,
    TaskCompletionJudge,
)
from neuron_evals.core.assertions.matching import ExactMatch, FuzzyMatch
from neuron_evals.core.assertions.nous_contains import Contains
from neuron_evals.core.assertions.numeric import Between, GreaterThan
from neuron_evals.core.assertions.pattern import MatchesRegex
from neuron_evals.core.assertions.schema import MatchesSchema
from neuron_evals.core.assertions.similarity import StringSimilarity
from neuron_evals.core.assertions.structure import IsValidJson
from neuron_evals.core.assertions.text import StringEndsWith, StringLengthBetween, StringStartsWith
from neuron_evals.core.assertions.trajectory import (
    ToolCallCount,
    ToolUsage,
    ToolWasApproved,
    ToolWasCalled,
    ToolWasNotCalled,
    ToolWasRejected,
    TrajectoryMatches,
)
from neuron_evals.core.assertions.values import Equals, NotEmpty, OneOf
from neuron_evals.core.assertions.wrapping import Not, Weighted

__all__ = [
    "AgentJudge",
    "AllOf",
    "AnyOf",
    "Between",
    "ClassifierJudge",
    "CloseTo",
    "Contains",
    "ContainsJson",
    "CorrectnessJudge",
    "Equals",
    "ExactMatch",
    "FaithfulnessJudge",
    "FuzzyMatch",
    "GreaterThan",
    "HelpfulnessJudge",
    "IsValidJson",
    "JsonEquals",
    "JsonPath",
    "MatchesRegex",
    "MatchesSchema",
    "MaxCost",
    "MaxDuration",
    "MaxTokens",
    "Not",
    "NotContains",
    "NotEmpty",
    "NumberEquals",
    "OneOf",
    "RelevanceJudge",
    "RubricJudge",
    "StringContains",
    "StringContainsAll",
    "StringContainsAny",
    "StringDistance",
    "StringEndsWith",
    "StringLengthBetween",
    "StringSimilarity",
    "StringStartsWith",
    "TaskCompletionJudge",
    "ToolCallCount",
    "ToolUsage",
    "ToolWasApproved",
    "ToolWasCalled",
    "ToolWasNotCalled",
    "ToolWasRejected",
    "TrajectoryMatches",
    "Weighted",
]
