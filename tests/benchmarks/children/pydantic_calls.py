"""Seconds that COUNT calls of a model take in pydantic-evals: pydantic_calls.py COUNT CONCURRENCY URL."""

from __future__ import annotations

import asyncio
import json
import sys
import time

import httpx
from pydantic_evals import Case, Dataset  # type: ignore[import-not-found]  # in an environment of its own
from pydantic_evals.evaluators import Contains  # type: ignore[import-not-found]  # as above

COUNT, CONCURRENCY, URL = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


async def measured(count: int) -> tuple[float, int]:
    # As many connections as calls in flight: the default of 100 would hold back 200.
    limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
    async with httpx.AsyncClient(limits=limits, timeout=60, trust_env=False) as client:

        async def task(inputs: str) -> str:
            messages = [
                {"role": "system", "content": "Answer in a few words."},
                {"role": "user", "content": inputs},
            ]
            reply = await client.post(f"{URL}/chat/completions", json={"model": "model", "messages": messages})
            return str(reply.raise_for_status().json()["choices"][0]["message"]["content"])

        dataset = Dataset(
            name="calls",
            cases=[Case(name=f"item {number}", inputs=f"question {number}") for number in range(count)],
            evaluators=[Contains(value="answer")],
        )
        started = time.perf_counter()
        report = await dataset.evaluate(task, max_concurrency=CONCURRENCY, progress=False)
        seconds = time.perf_counter() - started
    return seconds, sum(all(found.value for found in case.assertions.values()) for case in report.cases)


# What is imported at the first call counts with the start. Each run has connections of its own.
asyncio.run(measured(1))
seconds, passed = asyncio.run(measured(COUNT))
if passed != COUNT:
    sys.exit(f"{passed} of {COUNT} cases passed")
print(json.dumps({"seconds": seconds}))
