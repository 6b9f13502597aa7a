"""Assertions about what became of the approval of a tool's calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from neuron_evals.core.assertions.trajectory.constraints import ToolAssertion
from neuron_evals.core.assertions.trajectory.wording import listed, shown_calls
from neuron_evals.core.assertions.wording import visible
from neuron_evals.core.messages import ApprovalState, ToolCall
from neuron_evals.core.results import AssertionResult
from neuron_evals.core.trajectories import Trajectory, described_call


@dataclass(frozen=True)
class _ApprovalAssertion(ToolAssertion):
    wanted_state: ClassVar[ApprovalState]

    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return 1 when a call fits and its approval ended so, else 0 with the state of each call."""
        if self._in_state(trajectory):
            return AssertionResult.ok()
        calls = trajectory.tool_calls(self.name)
        fitting = [call for call in calls if self._fits(call)]
        if not fitting:
            return AssertionResult.fail(0.0, self._no_such_call(trajectory, calls))
        states = listed([f"{visible(described_call(call))} {_state(call)}" for call in fitting])
        return AssertionResult.fail(0.0, f"{self.name} was not {self.wanted_state}: {states}")

    def unwanted(self, actual: Any) -> str:
        """Return the calls that were approved or rejected."""
        calls = shown_calls(self._in_state(actual))
        return f"{self.name} was {self.wanted_state}, and it should not be: {calls}"

    def _in_state(self, trajectory: Trajectory) -> list[ToolCall]:
        calls = trajectory.tool_calls(self.name)
        return [call for call in calls if call.approval == self.wanted_state and self._fits(call)]


@dataclass(frozen=True)
class ToolWasApproved(_ApprovalAssertion):
    """Passes when a call of the tool was approved. A call that ran without asking for approval was not.

    Args:
        name: Name of the tool; letter case counts.
        arguments: What the arguments of that call must be, as for `ToolWasCalled`.
        nested: Whether objects inside the arguments may have more keys than wanted.

    Raises:
        InvalidArgument: An option has the wrong type, or `name` is empty.
    """

    wanted_state = "approved"


@dataclass(frozen=True)
class ToolWasRejected(_ApprovalAssertion):
    """Passes when a call of the tool was rejected, with or without a reason, even if another was approved.

    Args:
        name: Name of the tool; letter case counts.
        arguments: What the arguments of that call must be, as for `ToolWasCalled`.
        nested: Whether objects inside the arguments may have more keys than wanted.

    Raises:
        InvalidArgument: An option has the wrong type, or `name` is empty.
    """

    wanted_state = "rejected"


def _state(call: ToolCall) -> str:
    """Return a clause about the approval of a call."""
    if call.approval is None:
        return "needed no approval"
    if call.approval == "pending":
        return "waits for its approval"
    reason = f" ({visible(call.reject_reason)})" if call.approval == "rejected" and call.reject_reason else ""
    return f"was {call.approval}{reason}"
