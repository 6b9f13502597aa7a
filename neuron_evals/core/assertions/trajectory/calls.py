"""Assertions about whether a tool was called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.options import require_bool
from neuron_evals.core.assertions.trajectory.constraints import ToolAssertion
from neuron_evals.core.assertions.trajectory.wording import shown_calls, shown_constraint, times
from neuron_evals.core.results import AssertionResult

if TYPE_CHECKING:
    from neuron_evals.core.messages import ToolCall
    from neuron_evals.core.trajectories import Trajectory


@dataclass(frozen=True)
class _CallAssertion(ToolAssertion):
    executed_only: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_bool(self.assertion_name, "executed_only", self.executed_only)

    def _counted(self, trajectory: Trajectory) -> list[ToolCall]:
        return [call for call in trajectory.tool_calls(self.name) if call.ran or not self.executed_only]

    def _fitting(self, trajectory: Trajectory) -> list[ToolCall]:
        return [call for call in self._counted(trajectory) if self._fits(call)]

    def _found(self, calls: list[ToolCall]) -> str:
        wanted = f" with {shown_constraint(self.arguments)}" if self.arguments else ""
        return f"{self.name} was {self._verb} {times(len(calls))}{wanted}, and it should not be: {shown_calls(calls)}"

    @property
    def _verb(self) -> str:
        return "executed" if self.executed_only else "called"


@dataclass(frozen=True)
class ToolWasCalled(_CallAssertion):
    """Passes when the tool was called, with the given arguments if there are any.

    Every proposed call counts, those that wait for an approval or were rejected too.

    Args:
        name: Name of the tool; letter case counts.
        arguments: What the arguments must be, all within one call. A mapping lists some of them, each equal in type and
            value (10 is not 10.0); a callable in place of a value, such as one of `neuron_evals.matchers`, is asked
            about that value. A callable in place of the mapping is given all arguments. It is asked about calls of this
            tool only, up to the first that fits. `None` and an empty mapping want nothing.
        executed_only: Whether only calls count whose tool ran.
        nested: Whether objects inside the arguments may have more keys than wanted.

    Raises:
        InvalidArgument: An option has the wrong type, or `name` is empty.
    """

    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return 1 when a call fits, else 0 with the calls that were made."""
        calls = self._counted(trajectory)
        if any(map(self._fits, calls)):
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, self._no_such_call(trajectory, calls, self._verb))

    def unwanted(self, actual: Any) -> str:
        """Return the calls that fit."""
        return self._found(self._fitting(actual))


@dataclass(frozen=True)
class ToolWasNotCalled(_CallAssertion):
    """Passes when the tool was not called, or never with the given arguments.

    Every proposed call counts, those that wait for an approval or were rejected too: with a guardrail that a human
    enforces, use `executed_only`.

    Args:
        name: Name of the tool; letter case counts.
        arguments: Which calls are unwanted, as for `ToolWasCalled`; all calls of the tool by default.
        executed_only: Whether only calls count whose tool ran.
        nested: Whether objects inside the arguments may have more keys than listed.

    Raises:
        InvalidArgument: An option has the wrong type, or `name` is empty.
    """

    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return 1 when no call fits, else 0 with those that do."""
        calls = self._fitting(trajectory)
        return AssertionResult.fail(0.0, self._found(calls)) if calls else AssertionResult.ok()

    def unwanted(self, actual: Any) -> str:
        """Return that the tool was not called, and which were."""
        return self._no_such_call(actual, self._counted(actual), self._verb)
