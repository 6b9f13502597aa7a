"""Assertions that do what a test needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neuron_evals.core.checking import Assertion
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class Gives(Assertion):
    """Returns the given object, or raises it when it is an exception."""

    found: Any
    empty: bool = False

    @property
    def vacuous(self) -> bool:
        return self.empty

    def evaluate(self, actual: Any) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@dataclass(frozen=True)
class Awaited(Gives):
    """Can be awaited only."""

    def evaluate(self, actual: Any) -> Any:
        msg = "blocked"
        raise AssertionError(msg)

    async def aevaluate(self, actual: Any) -> Any:
        return super().evaluate(actual)


PASS = Gives(AssertionResult.ok())
HALF = Gives(AssertionResult.ok(0.5))
UNSCORED = Gives(AssertionResult.ok(None))
FAIL = Gives(AssertionResult.fail(0.0, "wrong"))
CLOSE = Gives(AssertionResult.fail(0.4, "nearly"))
SKIP = Gives(AssertionResult.skip("no network"))
BROKEN = Gives(RuntimeError("judge down"))
