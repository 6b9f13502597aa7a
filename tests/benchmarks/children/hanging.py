"""Seconds that COUNT items take of which each tenth hangs: hanging.py COUNT LIMIT CONCURRENCY KIND.

LIMIT is how many seconds the hung ones may take; KIND is that of the workers.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from neuron_evals import BaseEvaluator, EvaluatorRunner, NotEmpty

COUNT, LIMIT, CONCURRENCY, KIND = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
LONG = 600.0


class Hanging(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        for number in range(COUNT):
            hangs = number % 10 == 5
            yield {"id": str(number), "hangs": hangs, "timeout": LIMIT if hangs else LONG}

    def run(self, item: Mapping[str, Any]) -> str:
        if item["hangs"]:
            time.sleep(LONG)
        return "an answer"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(NotEmpty(), output)


class HangingAsync(Hanging):
    async def run(self, item: Mapping[str, Any]) -> str:  # type: ignore[override]  # either is allowed
        if item["hangs"]:
            await asyncio.sleep(LONG)
        return "an answer"


evaluator = HangingAsync() if KIND == "async" else Hanging()
started = time.perf_counter()
results = EvaluatorRunner().run(evaluator, concurrency=CONCURRENCY, workers=KIND)  # type: ignore[arg-type]  # one of them
seconds = time.perf_counter() - started
hung = sum("TimeLimit" in (result.error or "") for result in results.results if result.input["hangs"])
if hung != COUNT // 10 or results.passed_count != COUNT - hung:
    sys.exit(f"{hung} of {COUNT // 10} items ran into their limit, {results.passed_count} passed")
print(json.dumps({"seconds": seconds}))
