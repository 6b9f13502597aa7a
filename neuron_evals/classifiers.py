"""Classifiers: what they are asked, who asks, and the probabilities they answer."""

from __future__ import annotations

from neuron_evals.core.classifiers import (
    BaseClassifier,
    Boolean,
    BooleanAnswer,
    Choice,
    ChoiceAnswer,
    ClassificationRequest,
    ClassificationResult,
    FakeClassifier,
    Score,
    ScoreAnswer,
    TypeSafeAI,
)

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
