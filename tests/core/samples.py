"""Evaluators and results that the tests of the engine vary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.results import AssertionResult, Check, ItemResult, Status, Verdict


@dataclass(frozen=True)
class Says(StringAssertion):
    """The text holds a word."""

    word: str

    def evaluate_string(self, text: str) -> AssertionResult:
        """Look for the word."""
        return AssertionResult.ok() if self.word in text else AssertionResult.fail(0.0, f"{self.word} is not in it")


class Echo(BaseEvaluator):
    """Returns the input; passes when it holds "good"."""

    def __init__(self, items: Any = ()) -> None:
        self.items = items

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        items: Iterable[Mapping[str, Any]] = self.items
        return items

    def run(self, item: Any) -> Any:
        return item["input"]

    def evaluate(self, output: Any, item: Any) -> Any:
        self.check(Says("good"), output)


def inputs(*texts: str) -> list[dict[str, Any]]:
    """Return one item for each text."""
    return [{"input": text} for text in texts]


def numbered(count: int) -> list[dict[str, Any]]:
    """Return items with an id; each third one fails in `Echo`."""
    return [{"id": f"item-{n}", "input": f"{'bad' if n % 3 == 2 else 'good'} {n}"} for n in range(count)]


def a_check(
    verdict: Verdict = Verdict.PASSED, score: float | None = 1.0, label: str = "quality", **fields: Any
) -> Check:
    """Return a check."""
    return Check(name="Says", label=label, verdict=verdict, score=score, **fields)


def a_result(status: Status = Status.PASSED, *checks: Check, seconds: float = 0.0, **fields: Any) -> ItemResult:
    """Return a result."""
    given: dict[str, Any] = {
        "evaluator_class": "shop.Support",
        "index": 0,
        "item_id": "a",
        "input": {},
        "execution_time": seconds,
    }
    return ItemResult(status=status, checks=checks, **(given | fields))
