"""Seconds that COUNT calls of a model take: own_calls.py COUNT CONCURRENCY URL (threads | async)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import Agent, BaseEvaluator, EvaluatorRunner, OpenAIProvider, StringContains
from neuron_evals.core.runner import Selection

COUNT, CONCURRENCY, URL, KIND = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]


class Calling(BaseEvaluator):
    def set_up(self) -> None:
        self.agent = Agent(OpenAIProvider("model", base_url=URL), "Answer in a few words.")

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return [{"id": f"item {number}", "input": f"question {number}"} for number in range(COUNT)]

    def run(self, item: Mapping[str, Any]) -> str:
        return self.agent.fresh().chat(item["input"]).text

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(StringContains("answer"), output)


class CallingAsync(Calling):
    async def run(self, item: Mapping[str, Any]) -> str:  # type: ignore[override]  # either is allowed
        return (await self.agent.fresh().achat(item["input"])).text

    async def evaluate(self, output: str, item: Mapping[str, Any]) -> None:  # type: ignore[override]  # as above
        super().evaluate(output, item)


evaluator = CallingAsync() if KIND == "async" else Calling()
# What is imported at the first call counts with the start. Each run has a provider, and so connections, of its own.
EvaluatorRunner().run(evaluator, concurrency=2, selection=Selection(limit=1))
started = time.perf_counter()
results = EvaluatorRunner().run(evaluator, concurrency=CONCURRENCY)
seconds = time.perf_counter() - started
if results.passed_count != COUNT:
    sys.exit(f"{results.passed_count} of {COUNT} items passed")
print(json.dumps({"seconds": seconds}))
