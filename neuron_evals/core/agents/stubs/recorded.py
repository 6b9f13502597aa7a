"""Stubs from a recorded conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.agents.stubs.replies import Reply
from neuron_evals.core.agents.stubs.stub import Replies, Stub
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.matchers.comparing import same
from neuron_evals.core.trajectories import Trajectory


@dataclass(frozen=True)
class _Exactly:
    """A predicate: these arguments and no others, types included."""

    arguments: Mapping[str, Any]

    def __call__(self, given: Mapping[str, Any]) -> bool:
        return same(self.arguments, given)


def stubs_from(trajectory: Trajectory) -> dict[str, Stub]:
    """Return stubs that repeat what the tools of a recorded conversation answered.

    Each recorded call whose tool ran is one reply, result or error, for one call of that tool with the same arguments;
    the same call made again gets the next one that was recorded, until there is none left. Other tools get no stub.

    Raises:
        InvalidArgument: It is no trajectory.
    """
    given: Any = trajectory
    if not isinstance(given, Trajectory):
        msg = f"stubs_from: takes a Trajectory, got {type(given).__name__}"
        raise InvalidArgument(msg)
    replies: dict[str, list[Reply]] = {}
    for call in trajectory.tool_calls():
        if call.ran:
            reply = Reply(_Exactly(clean_json(call.arguments)), clean_json(call.result), call.error)
            replies.setdefault(call.name, []).append(reply)
    return {name: Replies(tuple(own), once=True) for name, own in replies.items()}
