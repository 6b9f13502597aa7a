"""Assertions about what an execution took; they take a `Record`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion, View
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult, Record


@dataclass(frozen=True)
class MaxDuration(Assertion):
    """Passes when the execution took at most `seconds`. Skipped when its duration is unknown.

    Args:
        seconds: Longest duration; a finite number above 0.

    Raises:
        InvalidArgument: `seconds` is out of range.
    """

    accepts: ClassVar[View] = "record"

    seconds: float

    def __post_init__(self) -> None:
        seconds: Any = self.seconds
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            msg = f"{self.name}: seconds must be a finite number above 0, got {shown(seconds)}"
            raise InvalidArgument(msg)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the duration is within the limit, else 0.

        Raises:
            InvalidInput: `actual` is no `Record`.
        """
        if not isinstance(actual, Record):
            msg = f"{self.name} evaluates a Record, got {type(actual).__name__}"
            raise InvalidInput(msg)
        if actual.duration is None:
            return AssertionResult.skip("the duration is unknown")
        if actual.duration <= self.seconds:
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"it took {actual.duration:.3f} s, more than {self.seconds:g} s")

    def unwanted(self, actual: Any) -> str:
        """Return the duration and the limit."""
        return f"it took {actual.duration:.3f} s, and it should take more than {self.seconds:g} s"
