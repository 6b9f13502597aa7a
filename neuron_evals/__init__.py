"""Evaluations of AI agents for Django: evaluators, honest statistics, shared reports.

The public names are imported from the engine when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion, StringAssertion
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.results import AssertionResult, Check, ItemResult, Plan, Status, Verdict

__version__ = "0.1.0"

__all__ = [
    "Assertion",
    "AssertionResult",
    "BaseEvaluator",
    "Check",
    "ItemResult",
    "Plan",
    "Status",
    "StringAssertion",
    "Verdict",
]

_EXPORTS = {
    "Assertion": "checking",
    "AssertionResult": "results",
    "BaseEvaluator": "evaluators",
    "Check": "results",
    "ItemResult": "results",
    "Plan": "results",
    "Status": "results",
    "StringAssertion": "checking",
    "Verdict": "results",
}
"""Public name -> the module of `neuron_evals.core` that defines it."""

if not TYPE_CHECKING:  # type checkers would take any name for a public one

    def __getattr__(name: str) -> object:
        """Return a public name, imported now and kept."""
        if name not in _EXPORTS:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"{__name__}.core.{_EXPORTS[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the names of the module, public ones included before they were used."""
    return sorted({*globals(), *__all__})
