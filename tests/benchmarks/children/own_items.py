"""Seconds that COUNT items which return at once take: own_items.py COUNT CONCURRENCY."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import BaseEvaluator, EvaluatorRunner, StringContains

COUNT, CONCURRENCY = map(int, sys.argv[1:])
ITEMS = [{"id": f"item {number}", "input": f"question {number}"} for number in range(COUNT)]


class AtOnce(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return ITEMS

    def run(self, item: Mapping[str, Any]) -> str:
        return f"the answer to {item['input']}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(StringContains("answer"), output)


started = time.perf_counter()
results = EvaluatorRunner().run(AtOnce(), concurrency=CONCURRENCY)
seconds = time.perf_counter() - started
if results.passed_count != COUNT:
    sys.exit(f"{results.passed_count} of {COUNT} items passed")
print(json.dumps({"seconds": seconds}))
