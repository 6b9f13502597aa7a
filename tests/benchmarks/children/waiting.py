"""Seconds that COUNT items take which wait for SECONDS: waiting.py COUNT SECONDS CONCURRENCY (threads | async)."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import BaseEvaluator, EvaluatorRunner, StringContains
from neuron_evals.core.runner import Selection

COUNT, SECONDS, CONCURRENCY, KIND = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


class Waiting(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return [{"id": f"item {number}", "input": f"question {number}"} for number in range(COUNT)]

    def run(self, item: Mapping[str, Any]) -> str:
        time.sleep(SECONDS)
        return f"the answer to {item['input']}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(StringContains("answer"), output)


class WaitingAsync(Waiting):
    async def run(self, item: Mapping[str, Any]) -> str:  # type: ignore[override]  # either is allowed
        await asyncio.sleep(SECONDS)
        return f"the answer to {item['input']}"

    async def evaluate(self, output: str, item: Mapping[str, Any]) -> None:  # type: ignore[override]  # as above
        super().evaluate(output, item)


evaluator = WaitingAsync() if KIND == "async" else Waiting()
# What is imported by the first run counts with the start.
EvaluatorRunner().run(evaluator, concurrency=2, selection=Selection(limit=1))
started = time.perf_counter()
results = EvaluatorRunner().run(evaluator, concurrency=CONCURRENCY)
seconds = time.perf_counter() - started
if results.passed_count != COUNT:
    sys.exit(f"{results.passed_count} of {COUNT} items passed")
print(json.dumps({"seconds": seconds}))
