"""Type names of assertions: how data (suites, settings) names a class without importing it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

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
from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import ConfigurationError

_TYPE_NAME = re.compile(r"[a-z][a-z0-9_]*")
_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")

# `Contains` has none: data means `StringContains` by `contains`, and reaches `Contains` by its `eval_type`.
_BUILT_IN: tuple[type[Assertion], ...] = (
    AgentJudge,
    AllOf,
    AnyOf,
    Between,
    ClassifierJudge,
    CloseTo,
    ContainsJson,
    CorrectnessJudge,
    Equals,
    ExactMatch,
    FaithfulnessJudge,
    FuzzyMatch,
    GreaterThan,
    HelpfulnessJudge,
    IsValidJson,
    JsonEquals,
    JsonPath,
    MatchesRegex,
    MatchesSchema,
    MaxCost,
    MaxDuration,
    MaxTokens,
    Not,
    NotContains,
    NotEmpty,
    NumberEquals,
    OneOf,
    RelevanceJudge,
    RubricJudge,
    StringContains,
    StringContainsAll,
    StringContainsAny,
    StringDistance,
    StringEndsWith,
    StringLengthBetween,
    StringSimilarity,
    StringStartsWith,
    TaskCompletionJudge,
    ToolCallCount,
    ToolUsage,
    ToolWasApproved,
    ToolWasCalled,
    ToolWasNotCalled,
    ToolWasRejected,
    TrajectoryMatches,
    Weighted,
)

# Names of the Studio documents that are not the class name in snake case.
_DOCUMENTS: Mapping[str, type[Assertion]] = {
    "contains": StringContains,
    "contains_all": StringContainsAll,
    "contains_any": StringContainsAny,
    "correctness": CorrectnessJudge,
    "criteria": AgentJudge,
    "faithfulness": FaithfulnessJudge,
    "helpfulness": HelpfulnessJudge,
    "regex": MatchesRegex,
    "relevance": RelevanceJudge,
}


@dataclass(frozen=True)
class _Entry:
    cls: type[Assertion]
    origin: str


_entries: dict[str, _Entry] = {}


def type_name(cls: type[Assertion]) -> str:
    """Return the type name that a class has by default: its name in snake case, such as `string_contains`."""
    return _WORD_START.sub("_", cls.__name__).lower()


def register(name: str, cls: type[Assertion], origin: str | None = None) -> None:
    """Give an assertion class a type name.

    Args:
        name: The type name: lower-case letters, digits and underscores, beginning with a letter.
        cls: A class that derives from `Assertion` and implements it.
        origin: Where the name was given, for the error when it is taken; the class by default.

    Raises:
        ConfigurationError: The name is malformed or taken, or `cls` is no such class.
    """
    if not _TYPE_NAME.fullmatch(name):
        msg = f"an assertion type name has lower-case letters, digits and underscores, got {name!r}"
        raise ConfigurationError(msg)
    candidate: Any = cls
    if not (isinstance(candidate, type) and issubclass(candidate, Assertion)) or inspect.isabstract(candidate):
        msg = (
            f"assertion type {name!r}: {candidate!r} is no class that derives from Assertion and implements evaluate()"
        )
        raise ConfigurationError(msg)
    place = f"{cls.__module__}.{cls.__qualname__}"
    if origin is not None:
        place = f"{place} ({origin})"
    taken = _entries.get(name)
    if taken is not None:
        msg = f"assertion type {name!r} is registered twice: by {taken.origin} and by {place}; choose another name"
        raise ConfigurationError(msg)
    _entries[name] = _Entry(cls, place)


def assertion_types() -> Mapping[str, type[Assertion]]:
    """Return the registered classes by type name."""
    return MappingProxyType({name: entry.cls for name, entry in sorted(_entries.items())})


for _cls in _BUILT_IN:
    register(type_name(_cls), _cls)
for _name, _cls in _DOCUMENTS.items():
    register(_name, _cls)
