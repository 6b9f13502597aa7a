from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.rehearsal import rehearsal
from neuron_evals import (
    BaseEvaluator,
    JsonDataset,
    NotContains,
    StringContainsAll,
    StringDistance,
    StringLengthBetween,
)
from shop.agents import SupportAgent

RETURN_POLICY = (
    "You can return undamaged teaware within 30 days of delivery. "
    "Tea and gift cards are final sale, and shipping is not refunded."
)
"""As it stands in the shop's terms of sale."""


class SupportAnswersEvaluator(BaseEvaluator):
    """Does the agent give the facts that stand in the rows, and no wrong ones?"""

    tags = ("support",)

    def __init__(self, agent: SupportAgent) -> None:
        self.agent = agent

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return JsonDataset(__file__, "datasets/support.json")

    def run(self, item: Mapping[str, Any]) -> str:
        agent = self.agent.fresh()
        with rehearsal():
            for message in item.get("earlier", ()):
                agent.chat(message)
            return agent.chat(item["input"]).text

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        self.check(StringContainsAll(item["facts"]), output, label="facts")
        for wrong in item.get("never", ()):
            self.check(NotContains(wrong), output, label="never")
        self.check(StringLengthBetween(10, 250), output, label="length")
        if "policy" in item["tags"]:
            # The wording may change a little; its meaning for the customer may not.
            self.check(StringDistance(RETURN_POLICY, threshold=0.9, normalized=True), output, label="terms of sale")
