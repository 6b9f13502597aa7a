"""Measure calls through a provider against the ideal: `python -m tests.benchmarks.providers`.

A server in a process of its own answers each call after a fixed time. The ideal is what the calls would take if nothing
but that time were spent.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from statistics import median

from neuron_evals import Message, ModelRequest, OpenAIProvider

REPEATS = 3
CASES = ((1000, 0.05, 50, 1.7), (200, 1.0, 200, 1.15))
"""Calls, seconds of each, calls in flight, and the largest ratio that is good enough."""

REQUEST = ModelRequest((Message("user", "What are your support hours?"),))
REPLY = {
    "model": "model",
    "choices": [{"message": {"role": "assistant", "content": "9 to 5"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 5},
}


def main() -> None:
    """Print a line for each way of calling; a goal that is missed changes no exit status."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for calls, seconds, in_flight, goal in CASES:
        ideal = calls * seconds / in_flight
        for name, measure in (("threads", in_threads), ("async", in_tasks)):
            taken = with_server(seconds, lambda url: measure(url, calls, in_flight))  # noqa: B023  (called at once)
            ratio = taken / ideal
            verdict = "met" if ratio <= goal else "NOT MET"
            print(
                f"{calls:5} calls of {seconds:g} s, {in_flight:3} in flight, {name:7}: {taken:.2f} s, "
                f"{ratio:.2f} times the ideal; goal {goal:g}: {verdict}"
            )


def with_server(seconds: float, measure: Callable[[str], float]) -> float:
    """Return the median of some measurements against a fresh server."""
    command = [sys.executable, "-m", "tests.benchmarks.providers", "serve", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().strip() if server.stdout else ""
            return median(measure(f"http://127.0.0.1:{port}/v1") for _ in range(REPEATS))
        finally:
            server.terminate()


def in_threads(url: str, calls: int, in_flight: int) -> float:
    """Return the seconds that `calls` take in `in_flight` threads that share a provider."""
    provider = OpenAIProvider("model", base_url=url)
    left = iter(range(calls))

    def work() -> None:
        for _ in left:
            provider.complete(REQUEST)

    threads = [threading.Thread(target=work) for _ in range(in_flight)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = time.perf_counter() - started
    provider.close()
    return taken


def in_tasks(url: str, calls: int, in_flight: int) -> float:
    """Return the seconds that `calls` take in `in_flight` tasks that share a provider."""
    provider = OpenAIProvider("model", base_url=url)
    left = iter(range(calls))

    async def work() -> None:
        for _ in left:
            await provider.acomplete(REQUEST)

    async def run() -> float:
        started = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(in_flight)))
        return time.perf_counter() - started

    return asyncio.run(run())


async def serve(seconds: float) -> None:
    """Answer every call after `seconds`; print the port."""
    body = json.dumps(REPLY).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in request.lower().split(b"\r\n") if line.startswith(b"content-length"))
                await reader.readexactly(int(length.partition(b":")[2]))
                await asyncio.sleep(seconds)
                writer.write(head + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(float(sys.argv[2])))
    else:
        main()
