"""Shapes of JSON values: each checks a value, and is told as a JSON Schema; both come from the same fields."""

from __future__ import annotations

from neuron_evals.core.suites.shapes.compound import Either, Keyed, Listed, Mapped, either, given, nullable
from neuron_evals.core.suites.shapes.contract import Fault, Shape
from neuron_evals.core.suites.shapes.simple import Anything, Choice, Coded, Number, Text, Truth
from neuron_evals.core.suites.shapes.wording import described

__all__ = [
    "Anything",
    "Choice",
    "Coded",
    "Either",
    "Fault",
    "Keyed",
    "Listed",
    "Mapped",
    "Number",
    "Shape",
    "Text",
    "Truth",
    "described",
    "either",
    "given",
    "nullable",
]
