from __future__ import annotations

import asyncio

import pytest

from neuron_evals.core.classifiers import (
    BaseClassifier,
    Boolean,
    ClassificationRequest,
    ClassificationResult,
    FakeClassifier,
)
from neuron_evals.core.exceptions import ClassifierError

REQUEST = ClassificationRequest("text", {"q": Boolean("Is it?")})


def test_answers__given_in_order_and_requests_remembered():
    fake = FakeClassifier([{"q": 0.1}, {"q": 0.9}])
    assert [fake.classify(REQUEST).boolean("q").probability for _ in range(2)] == [0.1, 0.9]
    assert fake.requests == [REQUEST, REQUEST]


def test_queue_empty__error_and_the_call_counts():
    fake = FakeClassifier()
    with pytest.raises(ClassifierError, match="queue of answers is empty at call 1"):
        fake.classify(REQUEST)
    assert fake.call_count == 1


def test_answer_that_cannot_be_used__is_used_up():
    fake = FakeClassifier([{"q": 2}, {"q": 1}])
    with pytest.raises(ClassifierError):
        fake.classify(REQUEST)
    assert fake.classify(REQUEST).boolean("q").probability == 1


def test_exception__raised():
    with pytest.raises(RuntimeError, match="down"):
        FakeClassifier([RuntimeError("down")]).classify(REQUEST)


def test_classifier_of_a_project__awaited_without_more_than_classify():
    class Sure(BaseClassifier):
        def classify(self, request):
            return ClassificationResult(request.questions, dict.fromkeys(request.questions, 1))

    assert asyncio.run(Sure().aclassify(REQUEST)).boolean("q").probability == 1
    assert Sure().problems() == []
