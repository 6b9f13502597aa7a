"""`TrajectoryMatches`: the calls of a conversation against a list of expected calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from neuron_evals.core.assertions.options import require_bool
from neuron_evals.core.assertions.trajectory.alignment import (
    MOST_PAIRS,
    Pair,
    aligned,
    found_in_order,
    longest_common,
)
from neuron_evals.core.assertions.trajectory.allowance import allowed
from neuron_evals.core.assertions.trajectory.assignment import assigned
from neuron_evals.core.assertions.trajectory.expected import ExpectedCall, expected_calls
from neuron_evals.core.assertions.trajectory.mode import Mode
from neuron_evals.core.assertions.trajectory.wording import listed
from neuron_evals.core.assertions.wording import visible
from neuron_evals.core.checking import TrajectoryAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.results import AssertionResult
from neuron_evals.core.trajectories import Trajectory, described_call


@dataclass(frozen=True)
class TrajectoryMatches(TrajectoryAssertion):
    """Passes when the tool calls of a conversation match the expected ones.

    Every proposed call counts, those that wait for an approval or were rejected too.

    Args:
        expected: Names of tools; or calls, as mappings with `name` and `arguments` or as `ToolCall`, whose arguments
            are compared as in `ToolWasCalled`. Letter case counts.
        mode: How they are compared, see `Mode`; its value as text is taken too.
        graded: Whether the score says how near the calls came, instead of 1 or 0. It is 2 x matched / (expected +
            actual), matched being the longest common subsequence in the modes `STRICT` and `SUBSET` and the largest
            assignment in `UNORDERED`; in `SUPERSET` it is the share of the calls that are allowed. 1 when there is
            nothing on either side. The verdict stays the same.
        nested: Whether objects inside arguments may have more keys than expected.
        executed_only: Whether only calls count whose tool ran.

    Raises:
        InvalidArgument: `expected` is no list of names and calls, or an option has the wrong type.
    """

    expected: Sequence[str | Mapping[str, Any] | ToolCall]
    mode: Mode = Mode.STRICT
    graded: bool = False
    nested: bool = False
    executed_only: bool = False

    def __post_init__(self) -> None:
        for role in ("graded", "nested", "executed_only"):
            require_bool(self.assertion_name, role, getattr(self, role))
        try:
            object.__setattr__(self, "mode", Mode(self.mode))
        except ValueError:
            modes = ", ".join(name.lower() for name in Mode.__members__)
            msg = f"{self.assertion_name}: mode is one of {modes}, got {self.mode!r}"
            raise InvalidArgument(msg) from None
        expected_calls(self.assertion_name, self.expected)
        object.__setattr__(self, "expected", tuple(self.expected))

    @property
    def vacuous(self) -> bool:
        """Whether nothing is expected of a list in which other calls are allowed."""
        return not self.expected and self.mode is Mode.SUBSET

    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return 1 when the calls match, else 0, or the grade; with both lists side by side when they do not."""
        expected = expected_calls(self.assertion_name, self.expected)
        actual = self._counted(trajectory)
        matched, pairs = self._compared(expected, actual)
        passed = self._passed(len(expected), len(actual), matched)
        score = self._grade(len(expected), len(actual), matched) if self.graded else float(passed)
        if passed:
            return AssertionResult.ok(score)
        context = self._context(expected, actual, pairs)
        differences = self._difference(expected, actual) if pairs is None else self._differences(pairs)
        if pairs is None:
            left_out = f"left out, because it would weigh more than {MOST_PAIRS:,} pairs of calls"
            context["alignment_left_out"] = left_out
            differences = f"{differences} (the alignment was {left_out})"
        return AssertionResult.fail(score, f"{self._lists(expected, actual)}: {differences}", context)

    def unwanted(self, actual: Any) -> str:
        """Return both lists."""
        expected = expected_calls(self.assertion_name, self.expected)
        return f"{self._lists(expected, self._counted(actual))}, and they should not match"

    def _counted(self, trajectory: Trajectory) -> list[ToolCall]:
        return [call for call in trajectory.tool_calls() if call.ran or not self.executed_only]

    def _fits(self, wanted: ExpectedCall, call: ToolCall) -> bool:
        return wanted.fits(call, nested=self.nested)

    def _compared(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]
    ) -> tuple[int, Sequence[Pair] | None]:
        """Return how many calls match, and both lists side by side; `None` where that is left out.

        Where it is, the number is right if the score needs it, else too small for a pass.
        """
        every = self.mode is Mode.SUBSET or len(actual) == len(expected)
        if self.mode in (Mode.SUPERSET, Mode.UNORDERED):
            compare = allowed if self.mode is Mode.SUPERSET else assigned
            pairs: Sequence[Pair] | None = compare(expected, actual, self._fits)
        elif every and self._in_order(expected, actual) == len(expected):
            return len(expected), ()
        else:
            pairs = aligned(expected, actual, self._fits)
        if pairs is None:
            return (longest_common(expected, actual, self._fits) if self.graded else 0), None
        return sum(pair.fits for pair in pairs), pairs

    def _in_order(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> int:
        """Return how many expected calls were made in their order, before the first that was not."""
        if self.mode is Mode.SUBSET:
            return found_in_order(expected, actual, self._fits)
        fitting = takewhile(lambda pair: self._fits(*pair), zip(expected, actual, strict=False))
        return sum(1 for _ in fitting)

    def _passed(self, expected: int, actual: int, matched: int) -> bool:
        if self.mode is Mode.SUBSET:
            return matched == expected
        if self.mode is Mode.SUPERSET:
            return matched == actual
        return matched == expected == actual

    def _grade(self, expected: int, actual: int, matched: int) -> float:
        if self.mode is Mode.SUPERSET:
            return matched / actual if actual else 1.0
        return 2 * matched / (expected + actual) if expected + actual else 1.0

    def _lists(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> str:
        with_arguments = any(call.arguments for call in expected)
        wanted = listed([str(call) for call in expected])
        got = listed([_described(call) if with_arguments else visible(call.name) for call in actual])
        return f"{self.mode}: expected [{wanted}], got [{got}]"

    def _difference(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> str:
        """Return where the first difference is."""
        found = self._in_order(expected, actual)
        so_far = f"the first {found:,} expected calls were made in order, then " if found else ""
        if self.mode is Mode.SUBSET:
            return f"{so_far}missing {expected[found]}"
        return f"{so_far}{_described(actual[found])} instead of {expected[found]}"

    def _differences(self, pairs: Sequence[Pair]) -> str:
        """Return the alignment in words."""
        if self.mode is Mode.SUPERSET:
            return "not allowed " + listed([_described(pair.actual) for pair in pairs if pair.actual and not pair.fits])
        extra = "other" if self.mode is Mode.SUBSET else "extra"
        words = []
        for pair in pairs:
            if pair.actual is None:
                words.append(f"missing {pair.expected}")
            elif pair.expected is None:
                words.append(f"{extra} {visible(pair.actual.name)}")
            elif pair.fits:
                words.append(str(pair.expected))
            else:
                words.append(f"{_described(pair.actual)} instead of {pair.expected}")
        return listed(words)

    def _context(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Sequence[Pair] | None
    ) -> dict[str, Any]:
        alignment = [
            {
                "expected": None if pair.expected is None else str(pair.expected),
                "actual": None if pair.actual is None else described_call(pair.actual),
                "fits": pair.fits,
            }
            for pair in pairs or ()
        ]
        return {
            "mode": self.mode.value,
            "expected": [str(call) for call in expected],
            "actual": [described_call(call) for call in actual],
            "alignment": None if pairs is None else alignment,
        }


def _described(call: ToolCall) -> str:
    return visible(described_call(call))
