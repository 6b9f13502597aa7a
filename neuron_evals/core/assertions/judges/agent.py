"""`AgentJudge`: a model grades by criteria of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.judges.base import Judge
from neuron_evals.core.assertions.options import require_text, require_written
from neuron_evals.core.judges.prompts import Material


@dataclass(frozen=True)
class AgentJudge(Judge):
    """Passes when a judge's score by the criteria reaches the threshold. The score is the judge's, 0 to 1.

    Args:
        judge: The agent that grades, or several in a list.
        criteria: What to grade by; not blank.
        threshold: Lowest score that passes, 0 to 1.
        reference: The expected output, if there is one; an empty text is one.
        examples: Graded examples: mappings with `input`, `output`, `score` and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    criteria: str
    threshold: float = 0.7
    reference: str | None = None
    examples: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_written(self.assertion_name, "criteria", self.criteria)
        if self.reference is not None:
            require_text(self.assertion_name, "reference", self.reference)

    def instructions(self) -> str:
        """Return the criteria."""
        return self.criteria

    def material(self) -> Sequence[Material]:
        """Return the reference."""
        return () if self.reference is None else (Material("The expected output:", "reference", self.reference),)
