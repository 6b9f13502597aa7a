"""Seconds that COUNT cases which return at once take in pydantic-evals: pydantic_items.py COUNT."""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

from pydantic_evals import Case, Dataset  # type: ignore[import-not-found]  # in an environment of its own
from pydantic_evals.evaluators import Contains  # type: ignore[import-not-found]  # as above

COUNT = int(sys.argv[1])


async def task(inputs: str) -> str:
    return f"the answer to {inputs}"


dataset = Dataset(
    name="at once",
    cases=[Case(name=f"item {number}", inputs=f"question {number}") for number in range(COUNT)],
    evaluators=[Contains(value="answer")],
)
started = time.perf_counter()
report = dataset.evaluate_sync(task, progress=False)
seconds = time.perf_counter() - started
passed = sum(
    all(found.value for found in case.assertions.values()) and len(case.assertions) == 1 for case in report.cases
)
if passed != COUNT:
    sys.exit(f"{passed} of {COUNT} cases passed")
print(json.dumps({"seconds": seconds, "version": version("pydantic-evals")}))
