"""Assertions about what an execution used: time, tokens and money. They take a `Record`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from neuron_evals.core.assertions.options import require_count
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
            msg = f"{self.assertion_name}: seconds must be a finite number above 0, got {shown(seconds)}"
            raise InvalidArgument(msg)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the duration is within the limit, else 0.

        Raises:
            InvalidInput: `actual` is no `Record`.
        """
        duration = _record(self.assertion_name, actual).duration
        if duration is None:
            return AssertionResult.skip("the duration is unknown")
        if duration <= self.seconds:
            return AssertionResult.ok(context={"duration": duration})
        message = f"it took {duration:.3f} s, more than {self.seconds:g} s"
        return AssertionResult.fail(0.0, message, {"duration": duration})

    def unwanted(self, actual: Any) -> str:
        """Return the duration and the limit."""
        return f"it took {actual.duration:.3f} s, and it should take more than {self.seconds:g} s"


@dataclass(frozen=True)
class MaxTokens(Assertion):
    """Passes when the execution used at most `limit` tokens, sent and received together. Skipped when unknown.

    Args:
        limit: Most tokens, 0 or more.

    Raises:
        InvalidArgument: `limit` is no whole number, or negative.
    """

    accepts: ClassVar[View] = "record"

    limit: int

    def __post_init__(self) -> None:
        require_count(self.assertion_name, "limit", self.limit)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the tokens are within the limit, else 0.

        Raises:
            InvalidInput: `actual` is no `Record`.
        """
        usage = _record(self.assertion_name, actual).usage
        total = None if usage is None else usage.total
        if total is None:
            return AssertionResult.skip("the number of tokens is unknown")
        if total <= self.limit:
            return AssertionResult.ok(context={"tokens": total})
        return AssertionResult.fail(0.0, f"it used {total:,} tokens, more than {self.limit:,}", {"tokens": total})

    def unwanted(self, actual: Any) -> str:
        """Return the tokens and the limit."""
        return f"it used {actual.usage.total:,} tokens, and it should use more than {self.limit:,}"


@dataclass(frozen=True)
class MaxCost(Assertion):
    """Passes when the execution cost at most `limit`. Skipped when the cost is unknown: a model without a price.

    Args:
        limit: Highest cost, in the currency of the price table; finite, 0 or more.

    Raises:
        InvalidArgument: `limit` is out of range.
    """

    accepts: ClassVar[View] = "record"

    limit: float | Decimal

    def __post_init__(self) -> None:
        limit: Any = self.limit
        if isinstance(limit, bool) or not isinstance(limit, int | float | Decimal) or not _is_amount(limit):
            msg = f"{self.assertion_name}: limit must be a finite number of 0 or more, got {shown(limit)}"
            raise InvalidArgument(msg)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the cost is within the limit, else 0.

        Raises:
            InvalidInput: `actual` is no `Record`.
        """
        cost: Any = _record(self.assertion_name, actual).cost
        if cost is None:
            return AssertionResult.skip("the cost is unknown")
        if _exact(cost) <= _exact(self.limit):
            return AssertionResult.ok(context={"cost": float(cost)})
        return AssertionResult.fail(0.0, f"it cost {cost}, more than {self.limit}", {"cost": float(cost)})

    def unwanted(self, actual: Any) -> str:
        """Return the cost and the limit."""
        return f"it cost {actual.cost}, and it should cost more than {self.limit}"


def _record(owner: str, actual: Any) -> Record:
    if not isinstance(actual, Record):
        msg = f"{owner} evaluates a Record, got {type(actual).__name__}"
        raise InvalidInput(msg)
    return actual


def _is_amount(limit: float | Decimal) -> bool:
    finite = limit.is_finite() if isinstance(limit, Decimal) else math.isfinite(limit)
    return finite and limit >= 0


def _exact(amount: float | Decimal) -> Decimal:
    """Return an amount as it is written, so that a cost of Decimal("0.1") is within a limit of 0.1, and the reverse."""
    return amount if isinstance(amount, Decimal) else Decimal(str(amount))
