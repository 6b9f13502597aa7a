"""Reading a reply that should hold a JSON object. Nothing is guessed: what could be read in two ways is not read."""

from __future__ import annotations

import re
from typing import Any

from neuron_evals.core.jsonable.reading import JsonFault, parse_value, skip_space

_MARK = re.compile(r"<(/?)think>|[{}]", re.IGNORECASE)
_KEY_FOLLOWS = re.compile(r"\{\s*+(?:[\"'}]|[\w$]++\s*+:)")
_THINK = re.compile(r"<(/?)think>", re.IGNORECASE)
_MOST_MARKS = 100_000
_REMOVED = "\u2026"


class UnusableReply(ValueError):  # noqa: N818  (says what the reply is)
    """A reply that holds no answer, or more than one; the text says which, and quotes nothing of the reply."""


def objects_and_prose(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the outermost JSON objects in a reply, alone, fenced or in prose, and the text around them.

    Closed `<think>` text is left out.

    Raises:
        UnusableReply: The reply is JSON but no object, or holds JSON that is broken, cut off, or inside other braces.
    """
    whole = _whole(text)
    return ([whole], "") if whole is not None else _parts(text)


def without_thoughts(text: str) -> str:
    """Return what was said without `<think>` text, as some servers leave it in.

    Thoughts that never end hide all that follows when the text begins with them; elsewhere the tag is left as it is.
    """
    parts: list[str] = []
    position = 0
    while (tag := _THINK.search(text, position)) is not None:
        if tag.group(1):
            # The server put the opening tag into the prompt: all so far was thought.
            parts, position = [], tag.end()
            continue
        parts.append(text[position : tag.start()])
        try:
            position = _after_thoughts(text, tag.end())
        except UnusableReply:
            parts.append(text[tag.start() :] if "".join(parts).strip() else "")
            return "".join(parts).strip()
    return "".join([*parts, text[position:]]).strip()


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
