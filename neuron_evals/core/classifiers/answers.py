"""What a classifier answers: probabilities, checked and brought to a sum of 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from neuron_evals.core.classifiers.definitions import Boolean, Definition, Score
from neuron_evals.core.exceptions import ClassifierError, InvalidArgument

_TOLERANCE = 1e-6
"""How far the sum of probabilities may be from 1."""


@dataclass(frozen=True, slots=True)
class BooleanAnswer:
    """The answer to a `Boolean`.

    Attributes:
        probability: Probability of yes, 0 to 1; that of no is the rest.
    """

    probability: float


@dataclass(frozen=True, slots=True)
class ScoreAnswer:
    """The answer to a `Score`.

    Attributes:
        probabilities: Probability of each level, the lowest first; their sum is 1.
    """

    probabilities: tuple[float, ...]

    @property
    def value(self) -> float:
        """The expected level, counted from 0."""
        return math.fsum(position * share for position, share in enumerate(self.probabilities))


@dataclass(frozen=True, slots=True)
class ChoiceAnswer:
    """The answer to a `Choice`.

    Attributes:
        probabilities: Name of each option -> its probability, in the order of the definition; their sum is 1.
    """

    probabilities: Mapping[str, float]

    @property
    def value(self) -> str:
        """The most probable option; of several, the one that the definition names first."""
        return max(self.probabilities, key=lambda name: self.probabilities[name])


_Kind = TypeVar("_Kind", BooleanAnswer, ScoreAnswer, ChoiceAnswer)
Answer = BooleanAnswer | ScoreAnswer | ChoiceAnswer


class ClassificationResult:
    """The answers to the questions of one request, by id.

    Args:
        questions: Id -> definition.
        answers: Id -> what the classifier gave: the probability of yes for a `Boolean`, a list of probabilities in the
            order of the levels for a `Score`, a mapping from option to probability for a `Choice`.

    Raises:
        ClassifierError: There is not exactly one answer to each question, or one is no probability.
    """

    def __init__(self, questions: Mapping[str, Definition], answers: Mapping[str, Any]) -> None:
        missing, unasked = sorted(set(questions) - set(answers)), sorted(set(answers) - set(questions))
        if missing or unasked:
            wrong = f"no answer to {missing[0]!r}" if missing else f"an answer to {unasked[0]!r}, which was not asked"
            msg = f"the classifier gave {wrong}"
            raise ClassifierError(msg)
        self.answers: Mapping[str, Answer] = {
            name: _answer(name, definition, answers[name]) for name, definition in questions.items()
        }

    def boolean(self, name: str) -> BooleanAnswer:
        """Return the answer to the `Boolean` with an id.

        Raises:
            InvalidArgument: There is no such question.
        """
        return self._of(name, BooleanAnswer)

    def score(self, name: str) -> ScoreAnswer:
        """Return the answer to the `Score` with an id.

        Raises:
            InvalidArgument: There is no such question.
        """
        return self._of(name, ScoreAnswer)

    def choice(self, name: str) -> ChoiceAnswer:
        """Return the answer to the `Choice` with an id.

        Raises:
            InvalidArgument: There is no such question.
        """
        return self._of(name, ChoiceAnswer)

    def _of(self, name: str, kind: type[_Kind]) -> _Kind:
        answer = self.answers.get(name)
        if isinstance(answer, kind):
            return answer
        wanted = kind.__name__.removesuffix("Answer")
        found = "nothing" if answer is None else f"a {type(answer).__name__.removesuffix('Answer')}"
        msg = f"the question {name!r} is no {wanted}: {found} was asked under this id"
        raise InvalidArgument(msg)


def _answer(name: str, definition: Definition, given: Any) -> Answer:
    if isinstance(definition, Boolean):
        if not _is_probability(given):
            raise _unusable(name, f"the probability of yes must be a number from 0 to 1, got {given!r}")
        return BooleanAnswer(float(given))
    if isinstance(definition, Score):
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            raise _unusable(name, f"a list of probabilities is wanted, got {type(given).__name__}")
        if len(given) != len(definition.levels):
            raise _unusable(name, f"{len(given)} probabilities for {len(definition.levels)} levels")
        return ScoreAnswer(tuple(_distribution(name, given)))
    if not isinstance(given, Mapping) or set(given) != set(definition.options):
        raise _unusable(name, "a probability for each option, and for nothing else, is wanted")
    shares = _distribution(name, [given[option] for option in definition.options])
    return ChoiceAnswer(dict(zip(definition.options, shares, strict=True)))


def _distribution(name: str, given: Sequence[Any]) -> list[float]:
    for share in given:
        if not _is_probability(share):
            raise _unusable(name, f"a probability is a number from 0 to 1, got {share!r}")
    total = math.fsum(given)
    if abs(total - 1) > _TOLERANCE:
        raise _unusable(name, f"the probabilities sum to {total:.6g}, not to 1")
    return [share / total for share in given]


def _is_probability(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1


def _unusable(name: str, problem: str) -> ClassifierError:
    return ClassifierError(f"the answer to {name!r} cannot be used: {problem}", {"question": name})
