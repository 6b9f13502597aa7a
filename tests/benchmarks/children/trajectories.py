"""Seconds that a conversation of COUNT messages takes: trajectories.py COUNT WHAT.

WHAT is fold, transcript or json; or equal or other: its calls against as many expected ones. Peak memory is told too.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable

from neuron_evals import Message, ToolCall, Trajectory, TrajectoryMatches
from neuron_evals.core.jsonable import clean_json

COUNT, WHAT = int(sys.argv[1]), sys.argv[2]
REPEATS = 5
ROUNDS = max(1, 10_000 // COUNT)
"""Short conversations are taken often enough to last: a moment may fit between two turns of a busy machine."""


def conversation() -> list[Message]:
    messages: list[Message] = []
    for number in range(COUNT // 4):
        call = ToolCall("find_order", {"number": number}, id=f"call_{number}")
        done = ToolCall("find_order", {"number": number}, id=f"call_{number}", result={"number": number, "open": True})
        messages += [
            Message("user", f"Where is order {number}?"),
            Message("assistant", tool_calls=[call]),
            Message("tool", tool_calls=[done]),
            Message("assistant", f"Order {number} is on its way."),
        ]
    return messages


MESSAGES = conversation()
CALLS = [{"name": "find_order", "arguments": {"number": number}} for number in range(COUNT // 4)]
OTHERS = ["find_order", "refund_order"] * (COUNT // 8)


def fold() -> bool:
    return len(Trajectory(MESSAGES).tool_calls()) == COUNT // 4


def transcript() -> bool:
    return Trajectory(MESSAGES).to_transcript().count("\n") == COUNT - 1


def as_json() -> bool:
    return json.dumps(clean_json(Trajectory(MESSAGES))).count('"tool_calls"') == COUNT


def equal() -> bool:
    return TrajectoryMatches(CALLS).evaluate(Trajectory(MESSAGES)).passed


def other() -> bool:
    return not TrajectoryMatches(OTHERS, graded=True).evaluate(Trajectory(MESSAGES)).passed


DONE: dict[str, Callable[[], bool]] = {
    "fold": fold,
    "transcript": transcript,
    "json": as_json,
    "equal": equal,
    "other": other,
}

fastest = float("inf")
for _ in range(REPEATS):
    started = time.perf_counter()
    right = [DONE[WHAT]() for _ in range(ROUNDS)]
    fastest = min(fastest, (time.perf_counter() - started) / ROUNDS)
    if not all(right):
        sys.exit(f"{WHAT} of {COUNT} messages gave something else than it should")
tracemalloc.start()
DONE[WHAT]()
print(json.dumps({"seconds": fastest, "megabytes": tracemalloc.get_traced_memory()[1] / 1e6}))
