"""Seconds that COUNT items take which find their output in a cache: caching.py COUNT (none | miss | hit)."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from neuron_evals import BaseEvaluator, EvaluatorRunner, FileCache, StringContains

COUNT, CACHE = int(sys.argv[1]), sys.argv[2]


class Remembered(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return [{"id": f"item {number}", "input": f"question {number}"} for number in range(COUNT)]

    def run(self, item: Mapping[str, Any]) -> str:
        return f"the answer to {item['input']}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(StringContains("answer"), output)


with tempfile.TemporaryDirectory() as folder:
    runner = EvaluatorRunner(None if CACHE == "none" else FileCache(Path(folder)))
    if CACHE == "hit":
        runner.run(Remembered())
    started = time.perf_counter()
    results = runner.run(Remembered())
    seconds = time.perf_counter() - started
found = sum(result.cached_run for result in results.results)
if results.passed_count != COUNT or found != (COUNT if CACHE == "hit" else 0):
    sys.exit(f"{results.passed_count} of {COUNT} items passed, {found} outputs came from the cache")
print(json.dumps({"seconds": seconds}))
