"""What the assertions about one tool have in common: its name, and what its arguments must be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neuron_evals.core.assertions.options import require_bool, require_text
from neuron_evals.core.assertions.trajectory.wording import (
    shown_calls,
    shown_constraint,
    times,
    type_differences,
    what_was_called,
)
from neuron_evals.core.checking import TrajectoryAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.matchers import Constraint, fits, mismatches, require_constraint

if TYPE_CHECKING:
    from neuron_evals.core.messages import ToolCall
    from neuron_evals.core.trajectories import Trajectory


def require_tool_name(owner: str, value: object) -> None:
    """Refuse what is no name of a tool.

    Raises:
        InvalidArgument: `value` is no text, or empty.
    """
    require_text(owner, "name", value)
    if not value:
        msg = f"{owner}: name must be the name of a tool, got an empty text"
        raise InvalidArgument(msg)


@dataclass(frozen=True)
class ToolAssertion(TrajectoryAssertion):
    """Base of the assertions about the calls of one tool.

    Args:
        name: Name of the tool; letter case counts.
        arguments: What the arguments must be, all within one call. A mapping lists some of them, each equal in type and
            value (10 is not 10.0); a callable in place of a value, such as one of `neuron_evals.matchers`, is asked
            about that value. A callable in place of the mapping is given all arguments, and is asked about calls of
            this tool only. `None` and an empty mapping want nothing.
        nested: Whether objects inside the arguments may have more keys than wanted.

    Raises:
        InvalidArgument: An option has the wrong type, or `name` is empty.
    """

    name: str
    arguments: Constraint | None = None
    nested: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        require_tool_name(self.assertion_name, self.name)
        require_bool(self.assertion_name, "nested", self.nested)
        if self.arguments is not None:
            require_constraint(self.assertion_name, "arguments", self.arguments)

    def _fits(self, call: ToolCall) -> bool:
        return call.name == self.name and fits(self.arguments, call.arguments, nested=self.nested)

    def _no_such_call(self, trajectory: Trajectory, calls: list[ToolCall], verb: str = "called") -> str:
        """Return the reason when no call fits; `calls` are the tool's own, of those that count."""
        if not calls:
            return f"{self.name} was not {verb}; {what_was_called(trajectory.tool_calls())}"
        wanted = f", never with {shown_constraint(self.arguments)}" if self.arguments else ""
        return f"{self.name} was {verb} {times(len(calls))}{wanted}: {shown_calls(calls)}{self._type_hint(calls)}"

    def _type_hint(self, calls: list[ToolCall]) -> str:
        """Return a clause when a call differs from what was wanted in nothing but types."""
        if self.arguments is None or callable(self.arguments):
            return ""
        for call in calls:
            names = mismatches(self.arguments, call.arguments, nested=self.nested)
            clauses = type_differences(self.arguments, call.arguments, names)
            if clauses:
                return f"; only the type differs: {', '.join(clauses)}"
        return ""
