"""`RubricJudge`: a model grades on a scale of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.assertions.judges.base import Judge
from neuron_evals.core.assertions.options import require_text, require_written
from neuron_evals.core.judges.prompts import Material
from neuron_evals.core.judges.scales import Scale, as_scale


@dataclass(frozen=True)
class RubricJudge(Judge):
    """Passes when a judge's grade on a declared scale is high enough.

    The score is how far the grade is on the way from the lowest to the highest: on a scale from 1 to 5 the grade 1
    scores 0, 4 scores 0.75. A grade that is not on the scale is none.

    Args:
        judge: The agent that grades, or several in a list.
        criteria: What to grade by; not blank.
        rubric: What the grades mean; empty when the criteria say it.
        scale: `(lowest, highest)`, or a mapping from label to number.
        threshold: Lowest score that passes, 0 to 1 whatever the scale.
        reference: The expected output, if there is one.
        question: What the agent was asked, if the judge should know it.
        examples: Graded examples: mappings with `input`, `output`, `score` (the grade) and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    criteria: str
    rubric: str = ""
    scale: Sequence[float] | Mapping[str, float] = (1, 5)
    threshold: float = 0.6
    reference: str | None = None
    question: str | None = None
    examples: Sequence[Mapping[str, Any]] = ()
    _scale: Scale = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_written(self.assertion_name, "criteria", self.criteria)
        require_text(self.assertion_name, "rubric", self.rubric)
        for role, text in (("reference", self.reference), ("question", self.question)):
            if text is not None:
                require_text(self.assertion_name, role, text)
        object.__setattr__(self, "_scale", as_scale(self.assertion_name, self.scale))

    def instructions(self) -> str:
        """Return criteria and rubric."""
        return f"{self.criteria}\n\nWhat the grades mean:\n{self.rubric}" if self.rubric.strip() else self.criteria

    def material(self) -> Sequence[Material]:
        """Return question and reference."""
        parts = []
        if self.question is not None:
            parts.append(Material("The question:", "question", self.question))
        if self.reference is not None:
            parts.append(Material("The expected output:", "reference", self.reference))
        return parts

    def grades(self) -> Scale:
        """Return the declared scale."""
        return self._scale
