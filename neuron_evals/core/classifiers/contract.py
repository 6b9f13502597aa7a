"""What every classifier offers: a request in, probabilities out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents.bridging import call_plain
from neuron_evals.core.classifiers.definitions import Definition
from neuron_evals.core.exceptions import InvalidArgument

if TYPE_CHECKING:
    from neuron_evals.core.classifiers.answers import ClassificationResult


@dataclass(frozen=True)
class ClassificationRequest:
    """Questions about one input.

    Attributes:
        input: Text, or JSON values.
        questions: Id -> definition; one or more, no id empty.

    Raises:
        InvalidArgument: There is no question, or something else among them.
    """

    input: Any
    questions: Mapping[str, Definition]

    def __post_init__(self) -> None:
        questions: Any = self.questions
        if not isinstance(questions, Mapping) or not questions:
            msg = "ClassificationRequest: questions is a mapping from id to definition, with at least one"
            raise InvalidArgument(msg)
        for name, definition in questions.items():
            if not isinstance(name, str) or not name or not isinstance(definition, Definition):
                msg = (
                    f"ClassificationRequest: questions[{name!r}] must be a Boolean, Score or Choice under an id of text"
                )
                raise InvalidArgument(msg)
        object.__setattr__(self, "questions", dict(questions))


class BaseClassifier(ABC):
    """Base of the classifiers. One object serves any number of threads and event loops at once.

    Attributes:
        model: Name of the model; `None` when there is none.
    """

    model: str | None = None

    @abstractmethod
    def classify(self, request: ClassificationRequest) -> ClassificationResult:
        """Return an answer to each question.

        Raises:
            ClassifierError: There is none, or one that is no probability.
        """

    async def aclassify(self, request: ClassificationRequest) -> ClassificationResult:
        """Do what `classify` does, for async code; in a thread unless it is overridden."""
        return await call_plain(self.classify, request)

    def problems(self) -> list[str]:
        """Return what would make every call fail, a line each, without calling anything."""
        return []
