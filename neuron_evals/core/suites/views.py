"""The views of an output: its text, its conversation, or the record of the execution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from neuron_evals.core.checking import Assertion, View, aevaluated, evaluated
from neuron_evals.core.exceptions import InvalidInput
from neuron_evals.core.jsonable import clean_json, dump_json
from neuron_evals.core.results import AssertionResult, Record
from neuron_evals.core.trajectories import Trajectory


def view_of(record: Record, view: View) -> Any:
    """Return what an assertion takes that accepts a view.

    Args:
        record: What is known of the execution.
        view: `text`: the output, the final answer of a conversation, or the JSON text of another value; `trajectory`:
            the conversation; `record`: all of it.

    Raises:
        InvalidInput: There was no conversation.
    """
    if view == "record":
        return record
    if view == "text":
        return text_of(record.output)
    if record.trajectory is None:
        msg = "there is no conversation to look at: the output came without one"
        raise InvalidInput(msg)
    return record.trajectory


def text_of(output: Any) -> str:
    """Return an output as text."""
    if isinstance(output, str):
        return output
    return output.final_answer() if isinstance(output, Trajectory) else dump_json(clean_json(output))


@dataclass(frozen=True)
class OnRecord(Assertion):
    """An assertion that is given the record and looks at the view it accepts itself.

    Args:
        assertion: The assertion.
    """

    accepts: ClassVar[View] = "record"

    assertion: Assertion

    @property
    def assertion_name(self) -> str:
        """Name of the inner assertion."""
        return self.assertion.assertion_name

    @property
    def weight(self) -> float:
        """Weight of the inner assertion."""
        return self.assertion.weight

    @property
    def vacuous(self) -> bool:
        """Whether the inner assertion is."""
        return self.assertion.vacuous

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return what the inner assertion says of its view.

        Raises:
            InvalidInput: `actual` is no record, or lacks the view.
        """
        return evaluated(self.assertion, self._viewed(actual))

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does."""
        return await aevaluated(self.assertion, self._viewed(actual))

    def unwanted(self, actual: Any) -> str:
        """Return what the inner assertion says."""
        return self.assertion.unwanted(self._viewed(actual))

    def _viewed(self, actual: Any) -> Any:
        if not isinstance(actual, Record):
            msg = f"{self.assertion_name}: evaluates a Record, got {type(actual).__name__}"
            raise InvalidInput(msg)
        return view_of(actual, self.assertion.accepts)


def with_own_views(parts: Sequence[Assertion]) -> list[Assertion]:
    """Return assertions that can be given the same value: where they accept different views, the record."""
    if len({part.accepts for part in parts}) <= 1:
        return list(parts)
    return [OnRecord(part) for part in parts]
