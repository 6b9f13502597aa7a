"""Assertions that settings may name."""

from __future__ import annotations

from dataclasses import dataclass

from neuron_evals import AssertionResult, StringAssertion


@dataclass(frozen=True)
class NoShouting(StringAssertion):
    """The text is not all in capitals."""

    def evaluate_string(self, text: str) -> AssertionResult:
        return AssertionResult.fail(0.0, "it shouts") if text.isupper() else AssertionResult.ok()
