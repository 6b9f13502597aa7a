"""How often and how long an item may run: what the run, the item and the evaluator say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals.core.bounds import MAX_REPEATS, MAX_RETRIES
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError
from neuron_evals.core.results import full_name

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator


NAMES = frozenset({"timeout", "repeats", "retries"})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits at one level; `None` leaves it to the next: the run goes before the item, the item before the evaluator.

    Attributes:
        timeout: Seconds one execution may take.
        repeats: How often the item is executed, 1 to `MAX_REPEATS`.
        retries: How often an execution is tried again after an infrastructure error, 0 to `MAX_RETRIES`.
    """

    timeout: float | None = None
    repeats: int | None = None
    retries: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no run can keep to."""
        for name, wrong in complaints(vars_of(self)).items():
            msg = f"{name} {wrong}"
            raise ConfigurationError(msg)


def vars_of(limits: Limits) -> dict[str, Any]:
    """Return the limits by name."""
    return {"timeout": limits.timeout, "repeats": limits.repeats, "retries": limits.retries}


def complaints(given: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with the limits in a mapping, by name; keys that are missing or `None` are no limits."""
    wrong: dict[str, str] = {}
    if NAMES.isdisjoint(given):
        return wrong
    for name, rule, valid in _RULES:
        value = given.get(name)
        if value is not None and not rule(value):
            wrong[name] = f"is {valid}, got {value!r}"
    return wrong


def validate_class(evaluator: BaseEvaluator) -> None:
    """Refuse limits that an evaluator class cannot have.

    Raises:
        EvaluationError: It names class, attribute and what is valid.
    """
    for name, wrong in complaints(_of_class(evaluator)).items():
        msg = f"{full_name(type(evaluator))}.{name} {wrong}"
        raise EvaluationError(msg)


class Resolver:
    """Says which limits go for an item of an evaluator.

    Args:
        run: What the run says.
        evaluator: The evaluator.
    """

    def __init__(self, run: Limits, evaluator: BaseEvaluator) -> None:
        self._levels = (vars_of(run), _of_class(evaluator))
        self._usual = self._first({})

    def of(self, item: Mapping[str, Any]) -> tuple[float | None, int, int]:
        """Return timeout, repeats and retries for an item."""
        return self._usual if NAMES.isdisjoint(item) else self._first(item)

    def _first(self, item: Mapping[str, Any]) -> tuple[float | None, int, int]:
        run, evaluator = self._levels
        timeout, repeats, retries = (
            next((level[name] for level in (run, item, evaluator) if level.get(name) is not None), None)
            for name in ("timeout", "repeats", "retries")
        )
        return timeout, repeats or 1, retries or 0


def _of_class(evaluator: BaseEvaluator) -> dict[str, Any]:
    return {"timeout": evaluator.timeout, "repeats": evaluator.repeats, "retries": evaluator.retries}


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _is_count(lowest: int, highest: int) -> Any:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


_RULES = (
    ("timeout", _is_duration, "a number of seconds above 0"),
    ("repeats", _is_count(1, MAX_REPEATS), f"a whole number from 1 to {MAX_REPEATS:,}"),
    ("retries", _is_count(0, MAX_RETRIES), f"a whole number from 0 to {MAX_RETRIES:,}"),
)
