"""What one assertion says about one value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from neuron_evals.core.exceptions import InvalidArgument

_NO_CONTEXT: Mapping[str, Any] = {}


def finite_score(score: float | None, owner: str) -> float | None:
    """Return `score` as a float, or `None` for "not scored".

    Raises:
        InvalidArgument: `score` is no number, or is NaN or infinite. An unknown score is `None`.
    """
    if score is None:
        return None
    try:
        number = float(score)
    except (TypeError, ValueError):
        msg = f"{owner}: a score is a finite number or None, got {type(score).__name__}"
        raise InvalidArgument(msg) from None
    if not math.isfinite(number):
        msg = f"{owner}: a score is a finite number or None, got {number}"
        raise InvalidArgument(msg)
    return number


def _truth(value: object) -> bool:
    """Return a boolean of another library, such as numpy's, as Python's; refuse all else."""
    if isinstance(value, bool):
        return value
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, bool):
        return plain
    msg = f"AssertionResult: passed is True or False, got {type(value).__name__}"
    raise InvalidArgument(msg)


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """What one assertion says about one value. Make it with `ok`, `fail` or `skip`.

    Verdict and score are independent: a failed assertion may carry a positive score, a passed one may carry 0.

    Attributes:
        passed: Whether the value is as the assertion wants it.
        score: A finite number, usually 0 to 1; `None` when it was not scored.
        message: Why; for people.
        context: Details for reports, made of JSON values.
        skipped: The assertion could not apply to this value; `message` says why.
    """

    passed: bool
    score: float | None
    message: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    skipped: bool = False

    def __post_init__(self) -> None:
        """Refuse a verdict that is neither true nor false, and a score that is no finite number."""
        object.__setattr__(self, "passed", _truth(self.passed))
        object.__setattr__(self, "score", finite_score(self.score, "AssertionResult"))

    @classmethod
    def ok(cls, score: float | None = 1.0, message: str = "", context: Mapping[str, Any] = _NO_CONTEXT) -> Self:
        """Return a result that passed."""
        return cls(passed=True, score=score, message=message, context=context)

    @classmethod
    def fail(cls, score: float | None, message: str, context: Mapping[str, Any] = _NO_CONTEXT) -> Self:
        """Return a result that failed."""
        return cls(passed=False, score=score, message=message, context=context)

    @classmethod
    def skip(cls, reason: str, context: Mapping[str, Any] = _NO_CONTEXT) -> Self:
        """Return a result that says the assertion could not apply; it counts neither as passed nor as failed."""
        return cls(passed=False, score=None, message=reason, context=context, skipped=True)
