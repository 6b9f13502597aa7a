"""A classifier for tests: it answers what it was told to, in order, and remembers what it was asked."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals.core.classifiers.answers import ClassificationResult
from neuron_evals.core.classifiers.contract import BaseClassifier, ClassificationRequest
from neuron_evals.core.exceptions import ClassifierError


class FakeClassifier(BaseClassifier):
    """Answers with the given answers, one mapping for each call.

    Args:
        answers: Each is a mapping from the id of a question to its answer, as `ClassificationResult` takes it; or an
            exception, raised. An answer that cannot be used is used up.

    Attributes:
        requests: What was asked, in order, also where there was no answer.
    """

    model = "fake"

    def __init__(self, answers: Iterable[Mapping[str, Any] | Exception] = ()) -> None:
        self.requests: list[ClassificationRequest] = []
        self._answers = deque(answers)
        self._lock = threading.Lock()

    @property
    def call_count(self) -> int:
        """How often it was asked."""
        return len(self.requests)

    def classify(self, request: ClassificationRequest) -> ClassificationResult:
        """Return the next answers.

        Raises:
            ClassifierError: There are none left, or they do not fit the questions.
        """
        with self._lock:
            self.requests.append(request)
            asked = len(self.requests)
            given = self._answers.popleft() if self._answers else None
        if given is None:
            msg = f"FakeClassifier: its queue of answers is empty at call {asked}"
            raise ClassifierError(msg)
        if isinstance(given, Exception):
            raise given
        return ClassificationResult(request.questions, given)

    async def aclassify(self, request: ClassificationRequest) -> ClassificationResult:
        """Return the next answers; like `classify`, for async code."""
        return self.classify(request)
