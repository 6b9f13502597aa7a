"""Calls of a model through runner, agent and provider, against pydantic-evals with httpx.

A server in a process of its own answers each call after a fixed time. The ideal is what the calls would take if nothing
but that time were spent.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import CHILDREN, Figure, environment, minimums, run_child
from tests.benchmarks.peer import peer

if TYPE_CHECKING:
    from pathlib import Path

REPEATS = 5
CASES = ((1000, 0.05, 50, 1.7), (200, 1.0, 200, 1.15))
"""Calls, seconds of each, calls in flight, and how many ideals are good enough."""


def figures(folder: Path) -> list[Figure]:
    """Measure both tools against the same server in the same run."""
    python = peer(folder)
    return [figure for case in CASES for figure in _case(python, *case)]


def _case(python: str, calls: int, seconds: float, in_flight: int, goal: float) -> list[Figure]:
    command = [sys.executable, str(CHILDREN / "server.py"), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), text=True) as server:
        try:
            port = server.stdout.readline().strip() if server.stdout else ""
            arguments = (str(calls), str(in_flight), f"http://127.0.0.1:{port}/v1")
            fastest = minimums(
                {
                    "threads": _child("own_calls.py", *arguments, "threads"),
                    "async": _child("own_calls.py", *arguments, "async"),
                    "pydantic-evals": _child("pydantic_calls.py", *arguments, python=python),
                },
                REPEATS,
            )
        finally:
            server.terminate()
    what = f"{calls:,} calls of {seconds:g} s, {in_flight} in flight"
    ideal = calls * seconds / in_flight
    return [
        Figure(f"{what}, threads", fastest["threads"] / ideal, "ideals", goal=goal),
        Figure(f"{what}, async", fastest["async"] / ideal, "ideals", goal=goal),
        Figure(f"{what}, pydantic-evals", fastest["pydantic-evals"] / ideal, "ideals"),
    ]


def _child(name: str, *arguments: str, python: str = sys.executable) -> Callable[[], float]:
    return lambda: run_child(name, *arguments, python=python)["seconds"]
