from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.rehearsal import rehearsal
from neuron_evals import BaseEvaluator, JsonLinesDataset, NotContains, StringContainsAll, StringContainsAny
from shop.agents import SupportAgent


class KnownGapsEvaluator(BaseEvaluator):
    """What the agent should do and does not do yet: most items fail on purpose."""

    tags = ("known-gap",)

    def __init__(self, agent: SupportAgent) -> None:
        self.agent = agent

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return JsonLinesDataset(__file__, "datasets/known_gaps.jsonl")

    def run(self, item: Mapping[str, Any]) -> str:
        with rehearsal():
            return self.agent.fresh().chat(item["input"]).text

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        if "all" in item:
            self.check(StringContainsAll(item["all"]), output, label="all")
        if "any" in item:
            self.check(StringContainsAny(item["any"]), output, label="any")
        for wrong in item.get("never", ()):
            self.check(NotContains(wrong), output, label="never")
