"""Reading a judge's reply: one grade, given once, or none at all.

Nothing is guessed. A reply that could be read in two ways is not read: the judge is asked again instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.asking.replies import UnusableReply, objects_and_prose
from neuron_evals.core.judges.scales import OffScale, Scale

_EXPLANATION = re.compile(r"\A\s*+(?:\*\*)?EXPLANATION:(?:\*\*)?\s*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Grade:
    """What a judge's reply says.

    Attributes:
        score: The score, 0 to 1.
        grade: The grade as the judge gave it: a number, a text with a number, or a label.
        reasoning: The judge's reasoning; empty when it gave none.
    """

    score: float
    grade: Any
    reasoning: str = ""


def read_reply(text: str, scale: Scale) -> Grade:
    """Return the grade of a reply.

    It is a JSON object with the scale's key, alone, fenced or in prose, or a line such as `SCORE: 4`. Closed `<think>`
    text does not count; other objects without the key, and other keys, are ignored.

    Raises:
        UnusableReply: There is no grade, more than one, or one that the scale does not have.
    """
    objects, prose = objects_and_prose(text)
    graded = [found for found in objects if scale.key in found]
    lines = list(_grade_line(scale).finditer(prose))
    if len(graded) + len(lines) != 1:
        raise UnusableReply(_count_problem(text, len(graded) + len(lines), scale))
    try:
        if graded:
            reasoning = graded[0].get("reasoning")
            grade = graded[0][scale.key]
            return Grade(scale.score(grade), grade, reasoning if isinstance(reasoning, str) else "")
        grade = _unwrapped(lines[0].group("grade"))
        explanation = (prose[: lines[0].start()] + prose[lines[0].end() :]).strip()
        return Grade(scale.score(grade), grade, _EXPLANATION.sub("", explanation))
    except OffScale as exc:
        raise UnusableReply(str(exc)) from None


def _grade_line(scale: Scale) -> re.Pattern[str]:
    """Return the pattern of a line that begins with the scale's key and a colon; markdown around the key is allowed."""
    return re.compile(rf"^[ \t#>*_-]*+{scale.key}[*_]*+[ \t]*+:(?P<grade>[^\n]*+)$", re.IGNORECASE | re.MULTILINE)


def _unwrapped(written: str) -> str:
    grade = written.strip().strip("*_").strip()
    for opening, closing in ("[]", '""', "``"):
        if len(grade) > 1 and grade[0] == opening and grade[-1] == closing:
            return grade[1:-1].strip()
    return grade


def _count_problem(text: str, count: int, scale: Scale) -> str:
    if not text.strip():
        return "the reply is empty"
    if count == 0:
        return f"the reply holds no {scale.key}"
    return f"the reply holds {count} values for {scale.key}; one is wanted"
