"""Assertions about one other assertion: `Not` and `Weighted`.

Under `acheck` they await it when it has an `aevaluate`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.parts import require_assertion
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion, View, aevaluated, evaluated
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class Not(Assertion):
    """Passes when another assertion fails, with score 1, and fails when it passes, with score 0.

    What breaks the other assertion breaks this one, and what it skips is skipped.

    Args:
        assertion: The assertion that should fail.

    Raises:
        InvalidArgument: `assertion` is no assertion.
    """

    assertion: Assertion

    def __post_init__(self) -> None:
        require_assertion(self.assertion_name, "assertion", self.assertion)

    @property
    def accepts(self) -> View:  # type: ignore[override]  # (here it is the part's)
        """The view that the inner assertion takes."""
        return self.assertion.accepts

    @property
    def vacuous(self) -> bool:
        """Whether the inner assertion is."""
        return self.assertion.vacuous

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return the opposite of what the inner assertion says."""
        return self._opposite(evaluated(self.assertion, actual), actual)

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does."""
        return self._opposite(await aevaluated(self.assertion, actual), actual)

    def _opposite(self, found: AssertionResult, actual: Any) -> AssertionResult:
        if found.skipped:
            return found
        if found.passed:
            return AssertionResult.fail(0.0, self.assertion.unwanted(actual), found.context)
        return AssertionResult.ok(context=found.context)


@dataclass(frozen=True)
class Weighted(Assertion):
    """An assertion whose score has another weight in the item's score; verdict, score and name stay its own.

    Args:
        assertion: The assertion.
        weight: Weight, finite and 0 or more; 0 is recorded, not counted.

    Raises:
        InvalidArgument: `assertion` is no assertion, or `weight` is out of range.
    """

    assertion: Assertion
    weight: float = 1.0

    def __post_init__(self) -> None:
        require_assertion("Weighted", "assertion", self.assertion)
        weight: Any = self.weight
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            msg = f"Weighted: weight must be a finite number of 0 or more, got {shown(weight)}"
            raise InvalidArgument(msg)

    @property
    def assertion_name(self) -> str:
        """Name of the inner assertion."""
        return self.assertion.assertion_name

    @property
    def accepts(self) -> View:  # type: ignore[override]  # (here it is the part's)
        """The view that the inner assertion takes."""
        return self.assertion.accepts

    @property
    def vacuous(self) -> bool:
        """Whether the inner assertion is."""
        return self.assertion.vacuous

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return what the inner assertion says."""
        return evaluated(self.assertion, actual)

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does."""
        return await aevaluated(self.assertion, actual)

    def unwanted(self, actual: Any) -> str:
        """Return what the inner assertion says."""
        return self.assertion.unwanted(actual)
