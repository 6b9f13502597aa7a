"""Assertions about several others: `AllOf` and `AnyOf`.

Under `acheck` they await the parts that have an `aevaluate`, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.parts import require_assertion
from neuron_evals.core.checking import Assertion, View, aevaluated, evaluated
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True, init=False)
class _Combination(Assertion):
    """Several assertions that give one verdict.

    Args:
        *parts: The assertions, one by one or in lists: `AllOf(a, b)` and `AllOf([a, b])` are the same.
        assertions: The assertions in one list, by the name of the field.

    Raises:
        InvalidArgument: There is no assertion, or something else among them.
    """

    assertions: Sequence[Assertion]

    def __init__(self, *parts: Assertion | Iterable[Assertion], assertions: Iterable[Assertion] = ()) -> None:
        object.__setattr__(self, "assertions", _flat(self.assertion_name, (*parts, assertions)))

    @property
    def accepts(self) -> View:  # type: ignore[override]  # (here it is the parts')
        """The view that the first part takes; the others are given the same."""
        return self.assertions[0].accepts

    @property
    def _all_vacuous(self) -> bool:
        return all(part.vacuous for part in self.assertions)


@dataclass(frozen=True, init=False)
class AllOf(_Combination):
    """Passes when all its assertions pass.

    The score is the mean of the scored parts, each with its weight; `None` when no part with a weight is scored. A part
    that breaks breaks the whole. Skipped parts do not count; when all are skipped, the whole is.

    Args:
        *parts: The assertions, one by one or in lists: `AllOf(a, b)` and `AllOf([a, b])` are the same.
        assertions: The assertions in one list, by the name of the field.

    Raises:
        InvalidArgument: There is no assertion, or something else among them.
    """

    @property
    def vacuous(self) -> bool:
        """Whether every part is, or one is that no value passes."""
        return self._all_vacuous or any(_foregone(part) is False for part in self.assertions)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return the joint verdict and the mean score."""
        return self._joined([evaluated(part, actual) for part in self.assertions])

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does; the parts are awaited one after the other."""
        return self._joined([await aevaluated(part, actual) for part in self.assertions])

    def _joined(self, found: Sequence[AssertionResult]) -> AssertionResult:
        results = list(zip(self.assertions, found, strict=True))
        failed = [_reason(part, result) for part, result in results if not result.passed and not result.skipped]
        skipped = [_reason(part, result) for part, result in results if result.skipped]
        if len(skipped) == len(results):
            return AssertionResult.skip("; ".join(skipped), _context(results))
        message = "; ".join([*failed, *(f"skipped {reason}" for reason in skipped)])
        if failed:
            message = f"{len(failed)} of {len(results)} failed: {message}"
        return AssertionResult(not failed, _weighted_mean(results), message, _context(results))


@dataclass(frozen=True, init=False)
class AnyOf(_Combination):
    """Passes when at least one of its assertions passes; all are evaluated.

    The score is the best score of the parts; `None` when none is scored. A part that breaks breaks the whole only when
    no other passes. Skipped parts do not count; when all are skipped, the whole is.

    Args:
        *parts: The assertions, one by one or in lists: `AnyOf(a, b)` and `AnyOf([a, b])` are the same.
        assertions: The assertions in one list, by the name of the field.

    Raises:
        InvalidArgument: There is no assertion, or something else among them.
    """

    @property
    def vacuous(self) -> bool:
        """Whether every part is, or one is that every value passes."""
        return self._all_vacuous or any(_foregone(part) is True for part in self.assertions)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return the joint verdict and the best score."""
        found: list[AssertionResult | Exception] = []
        for part in self.assertions:
            try:
                found.append(evaluated(part, actual))
            except Exception as exc:  # decided below: it does not matter when another part passes
                found.append(exc)
        return self._joined(found)

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does; the parts are awaited one after the other."""
        found: list[AssertionResult | Exception] = []
        for part in self.assertions:
            try:
                found.append(await aevaluated(part, actual))
            except Exception as exc:  # as in evaluate
                found.append(exc)
        return self._joined(found)

    def _joined(self, found: Sequence[AssertionResult | Exception]) -> AssertionResult:
        pairs = list(zip(self.assertions, found, strict=True))
        results = [(part, result) for part, result in pairs if isinstance(result, AssertionResult)]
        broken = [(part, exc) for part, exc in pairs if isinstance(exc, Exception)]
        passed = any(result.passed for _, result in results)
        if broken and not passed:
            raise broken[0][1]
        if all(result.skipped for _, result in results):
            return AssertionResult.skip("; ".join(_reason(*pair) for pair in results), _context(results))
        score = max((result.score for _, result in results if result.score is not None), default=None)
        if passed:
            message = "; ".join(f"{part.assertion_name} broke: {type(exc).__name__}: {exc}" for part, exc in broken)
            return AssertionResult.ok(score, message, _context(results))
        reasons = "; ".join(_reason(*pair) for pair in results)
        return AssertionResult.fail(score, f"none passed: {reasons}", _context(results))


def _flat(owner: str, parts: Iterable[Any]) -> tuple[Assertion, ...]:
    """Return the assertions among `parts` and in its lists."""
    assertions: list[Assertion] = []
    for part in parts:
        if isinstance(part, Iterable) and not isinstance(part, str | bytes):
            assertions.extend(part)
        else:
            assertions.append(part)
    if not assertions:
        msg = f"{owner} takes at least one assertion, got none"
        raise InvalidArgument(msg)
    for position, assertion in enumerate(assertions):
        require_assertion(owner, f"assertions[{position}]", assertion)
    return tuple(assertions)


def _foregone(part: Assertion) -> bool | None:
    """Return the verdict that a vacuous part gives to every text; `None` when it depends on the text or is unknown."""
    if not part.vacuous or _asks(part):
        return None
    try:
        return part.evaluate("").passed
    except InvalidInput:
        return None


def _asks(part: Assertion) -> bool:
    """Return whether an assertion, or one inside it, asks a judge, which is not done to learn what it would say."""
    inner = (*getattr(part, "assertions", ()), getattr(part, "assertion", None))
    return hasattr(part, "judge") or any(_asks(each) for each in inner if isinstance(each, Assertion))


def _weighted_mean(results: Iterable[tuple[Assertion, AssertionResult]]) -> float | None:
    scored = [(result.score, part.weight) for part, result in results if result.score is not None and part.weight]
    if not scored:
        return None
    return math.fsum(score * weight for score, weight in scored) / math.fsum(weight for _, weight in scored)


def _reason(part: Assertion, result: AssertionResult) -> str:
    return f"{part.assertion_name}: {result.message}" if result.message else part.assertion_name


def _context(results: Iterable[tuple[Assertion, AssertionResult]]) -> dict[str, Any]:
    """Return what each part said: its score and details would be lost otherwise."""
    return {
        "parts": [
            {
                "name": part.assertion_name,
                "passed": result.passed,
                "skipped": result.skipped,
                "score": result.score,
                "message": result.message,
                "context": dict(result.context),
            }
            for part, result in results
        ]
    }
