"""ExampleEvaluator: run it with `python manage.py evaluations <folder>`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import BaseEvaluator, StringContains, StringLengthBetween


class ExampleEvaluator(BaseEvaluator):
    """Does the agent answer what it was asked?"""

    tags = ("smoke",)

    # Next: let the constructor take your own agent. Annotate the parameter with
    # the agent's class, and the evaluator gets one when it is built.

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        """Return the items to run."""
        # Next: keep the items in a file beside this one and return a JsonDataset,
        # made from __file__ and "datasets/example.json".
        return [
            {"id": "hours", "input": "When are you open?", "reference": "open"},
            {"id": "returns", "input": "Can I return it?", "reference": "return"},
        ]

    def run(self, item: Mapping[str, Any]) -> str:
        """Return the agent's answer to one item."""
        # Next: ask your own agent here.
        return f"You asked: {item['input']}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        """Check one answer."""
        self.check(StringContains(item["reference"]), output)
        self.check(StringLengthBetween(1, 600), output, label="length")
