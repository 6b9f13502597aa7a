"""`ToolCallCount`: how often tools were called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.options import require_bool, require_count
from neuron_evals.core.assertions.trajectory.constraints import require_tool_name
from neuron_evals.core.assertions.trajectory.wording import shown_calls, times
from neuron_evals.core.checking import TrajectoryAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.results import AssertionResult

if TYPE_CHECKING:
    from neuron_evals.core.messages import ToolCall
    from neuron_evals.core.trajectories import Trajectory


@dataclass(frozen=True)
class ToolCallCount(TrajectoryAssertion):
    """Passes when the number of tool calls is from `min` to `max`, both included.

    Every proposed call counts, those that wait for an approval or were rejected too.

    Args:
        min: Fewest calls, 0 or more.
        max: Most calls, `min` or more; `None` for no limit. 0 allows no call.
        name: Only calls of this tool; `None` for all tools.
        executed_only: Whether only calls count whose tool ran.

    Raises:
        InvalidArgument: A bound is no whole number or negative, `min` is above `max`, or `name` is no name.
    """

    min: int = 0
    max: int | None = None
    name: str | None = None
    executed_only: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        require_count(self.assertion_name, "min", self.min)
        if self.max is not None:
            require_count(self.assertion_name, "max", self.max)
            if self.min > self.max:
                msg = f"{self.assertion_name}: min must not be above max, got min={self.min} and max={self.max}"
                raise InvalidArgument(msg)
        if self.name is not None:
            require_tool_name(self.assertion_name, self.name)
        require_bool(self.assertion_name, "executed_only", self.executed_only)

    @property
    def vacuous(self) -> bool:
        """Whether there is no bound."""
        return self.min == 0 and self.max is None

    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return 1 when the number is within the bounds, else 0."""
        calls = self._counted(trajectory)
        if self.min <= len(calls) and (self.max is None or len(calls) <= self.max):
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"{self._counted_as(calls)}, expected {self._range()}{self._listing(calls)}")

    def unwanted(self, actual: Any) -> str:
        """Return the number and the bounds."""
        calls = self._counted(actual)
        return f"{self._counted_as(calls)}, which should not be {self._range()}{self._listing(calls)}"

    def _counted(self, trajectory: Trajectory) -> list[ToolCall]:
        return [call for call in trajectory.tool_calls(self.name) if call.ran or not self.executed_only]

    def _counted_as(self, calls: list[ToolCall]) -> str:
        verb = "executed" if self.executed_only else "called"
        return f"{self.name or 'tools'} {'was' if self.name else 'were'} {verb} {times(len(calls))}"

    def _range(self) -> str:
        if self.max is None:
            return f"at least {self.min:,}"
        return f"at most {self.max:,}" if self.min == 0 else f"{self.min:,} to {self.max:,}"

    @staticmethod
    def _listing(calls: list[ToolCall]) -> str:
        return f": {shown_calls(calls)}" if calls else ""
