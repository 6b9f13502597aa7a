"""Reading a judge's reply: one grade, given once, or none at all.

Nothing is guessed. A reply that could be read in two ways is not read: the judge is asked again instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.jsonable.reading import JsonFault, parse_value, skip_space
from neuron_evals.core.judges.scales import OffScale, Scale

_MARK = re.compile(r"<(/?)think>|[{}]", re.IGNORECASE)
_KEY_FOLLOWS = re.compile(r"\{\s*+(?:[\"'}]|[\w$]++\s*+:)")
_EXPLANATION = re.compile(r"\A\s*+(?:\*\*)?EXPLANATION:(?:\*\*)?\s*+", re.IGNORECASE)
_THINK = re.compile(r"<(/?)think>", re.IGNORECASE)
_MOST_MARKS = 100_000
_REMOVED = "\u2026"


class UnusableReply(ValueError):  # noqa: N818  (says what the reply is)
    """A reply that holds no grade, or more than one; the text says which, and quotes nothing of the reply."""


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
    whole = _whole(text)
    objects, prose = ([whole], "") if whole is not None else _parts(text)
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


def _whole(text: str) -> dict[str, Any] | None:
    """Return the object that a reply of nothing but JSON is; its texts stay unaltered."""
    try:
        value, end = parse_value(text, skip_space(text, 0))
    except JsonFault:
        return None
    if text[end:].strip():
        return None
    if not isinstance(value, dict):
        msg = "the reply is JSON, but no object"
        raise UnusableReply(msg)
    return value


def _parts(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the outermost JSON objects in a reply, and the text around them without thoughts."""
    objects: list[dict[str, Any]] = []
    prose: list[str] = []
    position = depth = marks = 0
    while (mark := _MARK.search(text, position)) is not None:
        marks += 1
        if marks > _MOST_MARKS:
            msg = f"the reply has more than {_MOST_MARKS:,} braces"
            raise UnusableReply(msg)
        prose.append(text[position : mark.start()])
        position = mark.end()
        if mark.group() == "{":
            if _KEY_FOLLOWS.match(text, mark.start()):
                found, position = _object(text, mark.start(), inside=depth > 0)
                objects.append(found)
                prose.append(_REMOVED)
            else:
                depth += 1
                prose.append("{")
        elif mark.group() == "}":
            depth = max(0, depth - 1)
            prose.append("}")
        elif mark.group(1):
            # The server put the opening tag into the prompt: all so far was thought.
            objects, prose, depth = [], [], 0
        else:
            position = _after_thoughts(text, position)
            prose.append("\n")
    prose.append(text[position:])
    return objects, "".join(prose)


def _object(text: str, start: int, *, inside: bool) -> tuple[dict[str, Any], int]:
    """Return the object that begins at `start`, and where it ends.

    Broken JSON makes the reply unusable: an object inside it, or what remains of it, may say something else.
    """
    try:
        value, end = parse_value(text, start)
    except JsonFault as fault:
        cut = "Unterminated string" in fault.message or not text[fault.position :].strip()
        msg = "the reply breaks off inside its JSON" if cut else "the reply holds JSON that is not valid"
        raise UnusableReply(msg) from None
    if inside:
        msg = "the reply holds JSON inside other braces"
        raise UnusableReply(msg)
    return value, end


def _after_thoughts(text: str, position: int) -> int:
    """Return where the thoughts end that begin at `position`."""
    depth = 1
    for tag in _THINK.finditer(text, position):
        depth += -1 if tag.group(1) else 1
        if depth == 0:
            return tag.end()
    msg = "the reply ends inside its thoughts"
    raise UnusableReply(msg)


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
