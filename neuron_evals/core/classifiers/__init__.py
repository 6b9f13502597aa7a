"""Classifiers: probabilities for yes or no, for options, and for ordered levels."""

from __future__ import annotations

from neuron_evals.core.classifiers.answers import BooleanAnswer, ChoiceAnswer, ClassificationResult, ScoreAnswer
from neuron_evals.core.classifiers.contract import BaseClassifier, ClassificationRequest
from neuron_evals.core.classifiers.definitions import Boolean, Choice, Score
from neuron_evals.core.classifiers.fake import FakeClassifier
from neuron_evals.core.classifiers.typesafeai import TypeSafeAI

__all__ = [
    "BaseClassifier",
    "Boolean",
    "BooleanAnswer",
    "Choice",
    "ChoiceAnswer",
    "ClassificationRequest",
    "ClassificationResult",
    "FakeClassifier",
    "Score",
    "ScoreAnswer",
    "TypeSafeAI",
]
