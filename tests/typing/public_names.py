"""Checked by mypy, never run: the public names are seen with their types, and no others are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, assert_type

from neuron_evals import (
    AssertionResult,
    BaseEvaluator,
    Status,
    StringAssertion,
)
from neuron_evals import Nonsense as Nothing  # type: ignore[attr-defined]


@dataclass(frozen=True)
class IsShort(StringAssertion):
    limit: int

    def evaluate_string(self, text: str) -> AssertionResult:
        return AssertionResult.ok() if len(text) <= self.limit else AssertionResult.fail(0.0, "too long")


class Echo(BaseEvaluator):
    tags = ("smoke",)

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return [{"input": "hello"}]

    def run(self, item: Any) -> str:
        return str(item["input"])

    def evaluate(self, output: str, item: Any) -> None:
        assert_type(self.check(IsShort(10), output, label="length"), bool)


assert_type(IsShort(3).evaluate("text"), AssertionResult)
assert_type(Status("passed"), Status)
_ = Nothing
