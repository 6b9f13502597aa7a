"""The scale on which a judge gives its grade, and the score that a grade stands for."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from neuron_evals.core.exceptions import InvalidArgument

_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,5})?", re.ASCII)
_TWO = 2


class OffScale(ValueError):  # noqa: N818  (says what the grade is)
    """A grade that the scale does not have; the text says what it has."""


class Scale(ABC):
    """A scale. Its lowest grade scores 0, its highest 1."""

    key: ClassVar[str]
    """Key of the grade in the judge's reply."""

    @abstractmethod
    def score(self, grade: Any) -> float:
        """Return the score of a grade, 0 to 1.

        Args:
            grade: What the judge's reply has under `key`, or the text behind `KEY:`.

        Raises:
            OffScale: It is no grade of the scale.
        """

    @abstractmethod
    def wording(self) -> str:
        """Return what may be given, for the prompt: it ends the sentence "give a score that is"."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a grade."""


@dataclass(frozen=True)
class NumberScale(Scale):
    """All numbers from `low` to `high`, both included.

    Args:
        low: The worst grade; finite.
        high: The best grade; finite, above `low`.
    """

    low: float
    high: float
    key: ClassVar[str] = "score"

    def score(self, grade: Any) -> float:
        """Return how far the number is on the way from `low` to `high`; a number written as text is one."""
        number = _number(grade)
        if number is None:
            msg = f"the score must be a number from {self._range}"
            raise OffScale(msg)
        if not self.low <= number <= self.high:
            msg = f"the score {number:g} is not on the scale from {self._range}"
            raise OffScale(msg)
        return (number - self.low) / (self.high - self.low)

    def wording(self) -> str:
        """Return the bounds."""
        return f"a number from {self._range}, where {self.low:g} is the worst and {self.high:g} the best"

    def schema(self) -> dict[str, Any]:
        """Return a number; the bounds are told in words, because not every provider takes them in a schema."""
        return {"type": "number", "description": f"From {self._range}"}

    @property
    def _range(self) -> str:
        return f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class LabelScale(Scale):
    """Labels that each stand for a number.

    Args:
        labels: Label -> number; the lowest number scores 0, the highest 1.
    """

    labels: Mapping[str, float]
    key: ClassVar[str] = "label"

    def score(self, grade: Any) -> float:
        """Return how far the label's number is on the way from the lowest to the highest."""
        if not isinstance(grade, str) or grade not in self.labels:
            msg = f"the label must be {self._listed}"
            raise OffScale(msg)
        low, high = min(self.labels.values()), max(self.labels.values())
        return (self.labels[grade] - low) / (high - low)

    def wording(self) -> str:
        """Return the labels, worst first."""
        return f"{self._listed}, from the worst to the best"

    def schema(self) -> dict[str, Any]:
        """Return the labels as the only values."""
        return {"type": "string", "enum": list(self.labels)}

    @property
    def _listed(self) -> str:
        ordered = sorted(self.labels, key=lambda label: self.labels[label])
        return "one of " + ", ".join(f'"{label}"' for label in ordered)


def as_scale(owner: str, value: Any) -> Scale:
    """Return the scale that an option describes.

    Args:
        owner: Name of the assertion, for the error.
        value: `(lowest, highest)`, or a mapping from label to number.

    Raises:
        InvalidArgument: It is neither, or has no lowest and highest grade.
    """
    if isinstance(value, Mapping):
        if not all(isinstance(label, str) and label.strip() for label in value):
            msg = f"{owner}: the labels of a scale are texts, got {list(value)!r}"
            raise InvalidArgument(msg)
        numbers = [_finite(owner, number) for number in value.values()]
        if len(set(numbers)) < _TWO:
            msg = f"{owner}: a scale of labels needs two that stand for different numbers, got {dict(value)!r}"
            raise InvalidArgument(msg)
        return LabelScale(dict(zip(value, numbers, strict=True)))
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or len(value) != _TWO:
        msg = f"{owner}: scale is (lowest, highest) or a mapping from label to number, got {value!r}"
        raise InvalidArgument(msg)
    low, high = (_finite(owner, number) for number in value)
    if not low < high or math.isinf(high - low):
        msg = f"{owner}: scale is (lowest, highest) with the lowest first, got ({low:g}, {high:g})"
        raise InvalidArgument(msg)
    return NumberScale(low, high)


def _finite(owner: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        msg = f"{owner}: a scale is made of finite numbers, got {value!r}"
        raise InvalidArgument(msg)
    return float(value)


def _number(grade: Any) -> float | None:
    """Return a number, also one that is written as text; `None` for anything else."""
    if isinstance(grade, str):
        written = grade.strip()
        grade = float(written) if _NUMBER.fullmatch(written) else None
    if isinstance(grade, bool) or not isinstance(grade, int | float):
        return None
    try:
        return float(grade)
    except OverflowError:  # an integer beyond floating point is on no scale
        return math.inf if grade > 0 else -math.inf
