"""Cases of what a trajectory tells of a conversation, as the documents define them: accessor, conversation, why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.assertions.trajectory.conversations import as_trajectory

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))


def told(call):
    """Return a call in the form of the cases."""
    approval = {"state": call.approval, "reason": call.reject_reason} if call.approval else None
    return {
        "id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "approval": approval,
    }


ACCESSORS = {
    "user_messages": lambda trajectory, _name: trajectory.user_messages(),
    "final_answer": lambda trajectory, _name: trajectory.final_answer(),
    "count": lambda trajectory, _name: trajectory.count(),
    "tool_calls": lambda trajectory, name: list(map(told, trajectory.tool_calls(name))),
    "tool_results": lambda trajectory, name: [call.result for call in trajectory.tool_calls(name)],
    "tool_call_names": lambda trajectory, name: [call.name for call in trajectory.tool_calls(name)],
    "last_tool_call_name": lambda trajectory, name: getattr(trajectory.last_tool_call(name), "name", None),
    "transcript": lambda trajectory, _name: trajectory.to_transcript(),
}


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_case(case):
    trajectory = as_trajectory(case["conversation"])
    assert ACCESSORS[case["accessor"]](trajectory, case.get("name")) == case["expected"]
