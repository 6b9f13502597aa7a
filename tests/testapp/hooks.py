"""What settings may name."""

from __future__ import annotations

from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.results import AssertionResult

calls: list[str] = []

NOT_CALLABLE = 3


def before() -> None:
    calls.append("before")


def after() -> None:
    calls.append("after")


class Sentiment(StringAssertion):
    def evaluate_string(self, text: str) -> AssertionResult:
        return AssertionResult.ok()
