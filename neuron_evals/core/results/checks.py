"""One use of an assertion, as recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from neuron_evals.core.results.names import short_name


class Verdict(StrEnum):
    """What a check found."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """The check itself broke; nothing is known about the output."""
    SKIPPED = "skipped"
    """The check could not apply, and said why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One use of an assertion on one value, as recorded.

    Attributes:
        name: Name of the assertion, such as `"StringContains"`.
        label: Under what it is counted in statistics; the name unless the evaluator gave another.
        verdict: What was found.
        score: The score, or `None` when it was not scored.
        message: Why; never empty for a verdict other than passed.
        context: Details given by the assertion.
        evaluator_class: Full dotted name of the evaluator.
        line: Line of the call in the evaluator's source; `None` when unknown.
        weight: Weight of the score in the item's score; 0 is recorded, not counted.
        vacuous: Every value passes the assertion, or none can: it says nothing about the output.
    """

    name: str
    label: str
    verdict: Verdict
    score: float | None
    message: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    evaluator_class: str = ""
    line: int | None = None
    weight: float = 1.0
    vacuous: bool = False

    @property
    def passed(self) -> bool:
        """Whether the verdict is `passed`."""
        return self.verdict is Verdict.PASSED

    @property
    def full_description(self) -> str:
        """Where and what, such as `Support:31 -> StringContains: ...`."""
        place = short_name(self.evaluator_class) or "?"
        if self.line is not None:
            place += f":{self.line}"
        named = self.name if self.label == self.name else f"{self.name} ({self.label})"
        return f"{place} -> {named}: {self.message}" if self.message else f"{place} -> {named}"


def broken_checks_error(checks: Iterable[Check]) -> str | None:
    """Return the error of an item of which nothing broke but checks; `None` when none did."""
    labels = [check.label for check in checks if check.verdict is Verdict.ERROR]
    return f"broken checks: {', '.join(labels)}" if labels else None
