"""Matchers for the arguments of tool calls: what stands in place of a value in `ToolWasCalled` and its kin."""

from __future__ import annotations

from neuron_evals.core.matchers import AnyValue, IsA, Number, OneOf, Subset, TextContains, TextMatches

__all__ = ["AnyValue", "IsA", "Number", "OneOf", "Subset", "TextContains", "TextMatches"]
