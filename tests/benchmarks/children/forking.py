"""Seconds that COUNT items take in a process each: forking.py COUNT CONCURRENCY MEGABYTES (dataset | before).

The parent holds so many units of 10**6 bytes: since it read its dataset, or since before the run.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import BaseEvaluator, EvaluatorRunner, StringContains
from neuron_evals.core.runner import Listener

COUNT, CONCURRENCY, MEGABYTES, SINCE = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
held: list[bytes] = []


def hold() -> None:
    """Hold the memory in pieces, and written, as a dataset is: what a fork costs depends on the pages in use."""
    held.extend(b"x" * 10**5 for _ in range(10 * MEGABYTES))


class AtOnce(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        if SINCE == "dataset":
            hold()
        return [{"id": f"item {number}", "input": f"question {number}"} for number in range(COUNT)]

    def run(self, item: Mapping[str, Any]) -> str:
        return f"the answer to {item['input']}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(StringContains("answer"), output)


if SINCE == "before":
    hold()
run = EvaluatorRunner().prepare_run([AtOnce()], concurrency=CONCURRENCY, workers="processes")
started = time.perf_counter()
report = run.execute(Listener())
seconds = time.perf_counter() - started
if report.passed_count != COUNT:
    sys.exit(f"{report.passed_count} of {COUNT} items passed")
print(json.dumps({"seconds": seconds}))
