"""`ToolUsage`: several rules about tools and the final answer, with partial credit; from Nous."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.equality import equal
from neuron_evals.core.assertions.options import require_bool, require_count, text_list
from neuron_evals.core.assertions.trajectory.wording import listed, shown_calls, shown_constraint, times
from neuron_evals.core.assertions.wording import shown, visible
from neuron_evals.core.checking import TrajectoryAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.results import AssertionResult

if TYPE_CHECKING:
    from neuron_evals.core.messages import ToolCall
    from neuron_evals.core.trajectories import Trajectory


@dataclass(frozen=True)
class ToolUsage(TrajectoryAssertion):
    """Passes when every rule that was asked for holds; the score is the share of rules that hold.

    Every proposed call counts. Rules are `tools_called`, `tools_not_called`, the number of calls (both bounds are one
    rule), `tool_args` and `output_contains`.

    Args:
        tools_called: Tools that must be called, others allowed; a name listed twice must be called twice.
        tools_not_called: Tools that must not be called.
        min_tool_calls: Fewest calls in all, 0 or more.
        max_tool_calls: Most calls in all; 0 allows none.
        tool_args: For each tool, arguments that one of its calls must have; others are allowed. Compared whole; 50
            equals 50.0, "50" does not; a wanted `None` is also met where the argument is absent.
        output_contains: Texts that the final answer must contain, in any letter case.
        check_args: Whether `tool_args` is a rule; `None` is yes.
        strict_order: Whether `tools_called` must be called in that order, with other calls in between allowed.

    Raises:
        InvalidArgument: Nothing is asked for, or an option has the wrong type.
    """

    tools_called: Sequence[str] = ()
    tools_not_called: Sequence[str] = ()
    min_tool_calls: int | None = None
    max_tool_calls: int | None = None
    tool_args: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    output_contains: Sequence[str] = ()
    check_args: bool | None = None
    strict_order: bool = False

    def __post_init__(self) -> None:
        for role in ("tools_called", "tools_not_called", "output_contains"):
            object.__setattr__(self, role, text_list(self.assertion_name, role, getattr(self, role)))
        for role in ("min_tool_calls", "max_tool_calls"):
            if getattr(self, role) is not None:
                require_count(self.assertion_name, role, getattr(self, role))
        self._require_possible_count()
        self._require_arguments()
        if self.check_args is not None:
            require_bool(self.assertion_name, "check_args", self.check_args)
        require_bool(self.assertion_name, "strict_order", self.strict_order)
        if not any(self._asked().values()):
            msg = (
                f"{self.assertion_name}: nothing is asked for; give tools_called, tools_not_called, min_tool_calls, "
                "max_tool_calls, tool_args (with check_args not off) or output_contains"
            )
            raise InvalidArgument(msg)

    @property
    def vacuous(self) -> bool:
        """Whether every conversation passes: nothing is asked but at least 0 calls."""
        asked = [rule for rule, wanted in self._asked().items() if wanted]
        return asked == ["tool_calls"] and not self.min_tool_calls and self.max_tool_calls is None

    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return the share of rules that hold, and why the others do not."""
        calls = trajectory.tool_calls()
        problems = {
            "tools_called": self._not_called(calls),
            "tools_not_called": self._forbidden(calls),
            "tool_calls": self._miscounted(calls),
            "tool_args": self._misused(calls),
            "output_contains": self._unsaid(trajectory.final_answer()),
        }
        found = {rule: problems[rule] for rule, asked in self._asked().items() if asked}
        broken = [problem for problem in found.values() if problem]
        if not broken:
            return AssertionResult.ok()
        held = {rule: not problem for rule, problem in found.items()}
        return AssertionResult.fail(sum(held.values()) / len(held), "; ".join(broken), {"rules": held})

    def unwanted(self, actual: Any) -> str:
        """Return that every rule holds."""
        rules = ", ".join(rule for rule, asked in self._asked().items() if asked)
        return f"every rule holds ({rules}), and they should not: {shown_calls(actual.tool_calls()) or 'no calls'}"

    def _asked(self) -> dict[str, bool]:
        return {
            "tools_called": bool(self.tools_called),
            "tools_not_called": bool(self.tools_not_called),
            "tool_calls": self.min_tool_calls is not None or self.max_tool_calls is not None,
            "tool_args": bool(self.tool_args) and self.check_args is not False,
            "output_contains": bool(self.output_contains),
        }

    def _require_possible_count(self) -> None:
        fewest, most = self.min_tool_calls, self.max_tool_calls
        if fewest is not None and most is not None and fewest > most:
            msg = f"{self.assertion_name}: min_tool_calls must not be above max_tool_calls, got {fewest} and {most}"
            raise InvalidArgument(msg)

    def _require_arguments(self) -> None:
        given: Any = self.tool_args
        if not isinstance(given, Mapping):
            msg = f"{self.assertion_name}: tool_args must be a mapping of tools, got {type(given).__name__}"
            raise InvalidArgument(msg)
        for tool, wanted in given.items():
            if not isinstance(wanted, Mapping):
                msg = f"{self.assertion_name}: tool_args[{tool!r}] must be a mapping, got {type(wanted).__name__}"
                raise InvalidArgument(msg)

    def _not_called(self, calls: Sequence[ToolCall]) -> str:
        names = [call.name for call in calls]
        missing = Counter(self.tools_called) - Counter(names)
        if missing:
            return f"not called: {listed([visible(name) for name in missing.elements()])}"
        remaining = iter(names)
        if self.strict_order and not all(name in remaining for name in self.tools_called):
            return f"not called in this order: {listed(self.tools_called)}; called were: {listed(names)}"
        return ""

    def _forbidden(self, calls: Sequence[ToolCall]) -> str:
        found = [call for call in calls if call.name in self.tools_not_called]
        return f"called and should not be: {shown_calls(found)}" if found else ""

    def _miscounted(self, calls: Sequence[ToolCall]) -> str:
        if self.min_tool_calls is not None and len(calls) < self.min_tool_calls:
            return f"tools were called {times(len(calls))}, expected at least {self.min_tool_calls:,}"
        if self.max_tool_calls is not None and len(calls) > self.max_tool_calls:
            return f"tools were called {times(len(calls))}, expected at most {self.max_tool_calls:,}"
        return ""

    def _misused(self, calls: Sequence[ToolCall]) -> str:
        return "; ".join(self._argument_problems(calls))

    def _argument_problems(self, calls: Sequence[ToolCall]) -> Iterator[str]:
        for tool, wanted in self.tool_args.items():
            own = [call for call in calls if call.name == tool]
            if not any(_has(call.arguments, wanted) for call in own):
                made = f"called were: {shown_calls(own)}" if own else "it was not called"
                yield f"{visible(tool)} was not called with {shown_constraint(wanted)}; {made}"

    def _unsaid(self, answer: str) -> str:
        missing = [text for text in self.output_contains if text.casefold() not in answer.casefold()]
        return f"{shown(answer)} does not contain {listed([shown(text) for text in missing])}" if missing else ""


def _has(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(equal(arguments.get(name), value) for name, value in wanted.items())
