"""`ClassifierJudge`: a classifier's probabilities decide."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.assertions.options import require_text
from neuron_evals.core.checking import Assertion
from neuron_evals.core.classifiers import (
    BaseClassifier,
    Boolean,
    ClassificationRequest,
    ClassificationResult,
    Score,
)
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.metrics import record_usage, usage_kind
from neuron_evals.core.results import AssertionResult
from neuron_evals.core.trajectories import Trajectory

_ONLY = "judgment"


@dataclass(frozen=True)
class ClassifierJudge(Assertion):
    """Passes when a classifier's score reaches the threshold.

    The score of a `Boolean` is the probability of yes; that of a `Score` is the expected level's position, 0 for the
    lowest and 1 for the highest. Several criteria are asked in one request: all of them must reach the threshold, and
    the score is their mean. It takes text or a `Trajectory`.

    Args:
        classifier: Who answers.
        criteria: A `Boolean` or `Score`, or several by a name of their own.
        threshold: Lowest score that passes, 0 to 1.
        reference: The expected output, if there is one; the classifier gets it beside the output.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    classifier: BaseClassifier = field(repr=False)
    criteria: Boolean | Score | Mapping[str, Boolean | Score]
    threshold: float = 0.7
    reference: str | None = None

    def __post_init__(self) -> None:
        if not callable(getattr(self.classifier, "classify", None)) or isinstance(self.classifier, type):
            msg = f"{self.assertion_name}: classifier must be a classifier, got {type(self.classifier).__name__}"
            raise InvalidArgument(msg)
        questions = self._questions()
        if not questions or not all(isinstance(asked, Boolean | Score) for asked in questions.values()):
            msg = f"{self.assertion_name}: criteria must be a Boolean or Score, or a mapping from names to these"
            raise InvalidArgument(msg)
        self._threshold(self.threshold)
        if self.reference is not None:
            require_text(self.assertion_name, "reference", self.reference)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return the score and the probabilities it was made from.

        Raises:
            InvalidInput: `actual` is neither text nor a trajectory; nothing was asked.
            ClassifierError: The classifier gave no answer that can be used.
        """
        request = self._request(actual)
        started = time.perf_counter()
        answered = self.classifier.classify(request)
        return self._result(answered, _recorded(self.classifier.model, started))

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does."""
        request = self._request(actual)
        started = time.perf_counter()
        answered = await self.classifier.aclassify(request)
        return self._result(answered, _recorded(self.classifier.model, started))

    def _questions(self) -> Mapping[str, Boolean | Score]:
        return self.criteria if isinstance(self.criteria, Mapping) else {_ONLY: self.criteria}

    def _request(self, actual: Any) -> ClassificationRequest:
        if not isinstance(actual, str | Trajectory):
            msg = f"{self.assertion_name} evaluates text or a Trajectory, got {type(actual).__name__}"
            raise InvalidInput(msg)
        shown = {"actual": actual if isinstance(actual, str) else actual.to_transcript(mark_stubs=False)}
        if self.reference is not None:
            shown["reference"] = self.reference
        return ClassificationRequest(shown, self._questions())

    def _result(self, answered: ClassificationResult, seconds: float) -> AssertionResult:
        found = {name: _found(asked, name, answered) for name, asked in self._questions().items()}
        context: dict[str, Any] = {
            "threshold": self.threshold,
            "reference": self.reference,
            "model": self.classifier.model,
            "seconds": seconds,
        }
        if isinstance(self.criteria, Mapping):
            context["questions"] = found
        else:
            context |= found[_ONLY]
        scores = [details["score"] for details in found.values()]
        message = "; ".join(self._reason(name, details) for name, details in found.items())
        return AssertionResult(min(scores) >= self.threshold, statistics.mean(scores), message, context)

    def _reason(self, name: str, details: Mapping[str, Any]) -> str:
        metric = "probability of yes" if details["type"] == "boolean" else "normalised score"
        outcome = "meets" if details["score"] >= self.threshold else "is below"
        owner = f"{name}: " if isinstance(self.criteria, Mapping) else ""
        return f"{owner}{metric} {details['score']:.10g} {outcome} the threshold {self.threshold:g}"


def _recorded(model: str | None, started: float) -> float:
    """Return the seconds since `started`, and record them as those of a judge; its tokens and cost are unknown."""
    seconds = time.perf_counter() - started
    with usage_kind("judge"):
        record_usage(model=model, seconds=seconds)
    return seconds


def _found(asked: Boolean | Score, name: str, answered: ClassificationResult) -> dict[str, Any]:
    """Return the score of one question, with what it was made from."""
    if isinstance(asked, Boolean):
        yes = answered.boolean(name).probability
        probabilities = {"false": 1 - yes, "true": yes}
        return {"type": "boolean", "criteria": asked.instructions, "score": yes, "probabilities": probabilities}
    answer = answered.score(name)
    return {
        "type": "score",
        "criteria": asked.instructions,
        "score": answer.value / (len(asked.levels) - 1),
        "probabilities": list(answer.probabilities),
        "levels": list(asked.levels),
    }
