"""What assertions about other assertions share: they check their parts when built, and what the parts return."""

from __future__ import annotations

from typing import Any

from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult


def require_assertion(owner: str, role: str, candidate: object) -> None:
    """Refuse what is no assertion.

    Raises:
        InvalidArgument: `candidate` is no assertion; a class of assertions is none.
    """
    if not isinstance(candidate, Assertion):
        what = f"the class {candidate.__name__}" if isinstance(candidate, type) else type(candidate).__name__
        msg = f"{owner}: {role} must be an assertion such as StringContains('9'), got {what}"
        raise InvalidArgument(msg)


def evaluated(part: Assertion, actual: Any) -> AssertionResult:
    """Return what `part` says about `actual`.

    Raises:
        InvalidInput: It returned something else than an `AssertionResult`.
    """
    return _as_result(part.evaluate(actual), part)


async def aevaluated(part: Assertion, actual: Any) -> AssertionResult:
    """Do what `evaluated` does, through `aevaluate` where the part has it."""
    aevaluate = getattr(part, "aevaluate", None)
    return _as_result(part.evaluate(actual) if aevaluate is None else await aevaluate(actual), part)


def _as_result(found: object, part: Assertion) -> AssertionResult:
    if isinstance(found, AssertionResult):
        return found
    msg = f"{part.name}.evaluate() must return an AssertionResult, got {type(found).__name__}"
    raise InvalidInput(msg)
