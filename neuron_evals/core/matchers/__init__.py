"""What arguments of a tool call should be: values, predicates, matchers, and how they are compared."""

from __future__ import annotations

from neuron_evals.core.matchers.comparing import Constraint, fits, mismatches, require_constraint
from neuron_evals.core.matchers.matchers import AnyValue, IsA, Number, OneOf, Subset, TextContains, TextMatches

__all__ = [
    "AnyValue",
    "Constraint",
    "IsA",
    "Number",
    "OneOf",
    "Subset",
    "TextContains",
    "TextMatches",
    "fits",
    "mismatches",
    "require_constraint",
]
