"""Paths into JSON values: `order.items[0]["unit price"]`. There are no filters, wildcards or expressions."""

from __future__ import annotations

import json
import re
from typing import Any

from neuron_evals.core.assertions.json_compare import WHOLE, key_place
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.exceptions import InvalidArgument

MAX_PATH_LENGTH = 1_000
"""Longest path in characters."""

_STEP = re.compile(
    r"""
    (?P<dot>\.)?(?P<key>[^\s.\[\]"]+)
    | \[(?P<index>0|[1-9][0-9]{0,8})\]
    | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]
    """,
    re.VERBOSE,
)
_SHOWN_KEYS = 10

Step = str | int


class PathEnded(Exception):  # noqa: N818  (never leaves the assertions: it becomes a failed result)
    """A value does not have the path, and where it ends."""


def parse_path(owner: str, path: Any) -> tuple[Step, ...]:
    """Return the steps of a path: a text is a key, a number the index in a list.

    Raises:
        InvalidArgument: `path` is no such path.
    """
    if not isinstance(path, str) or not path:
        msg = f"{owner}: path must be text such as 'order.items[0].price', got {shown(path)}"
        raise InvalidArgument(msg)
    if len(path) > MAX_PATH_LENGTH:
        msg = f"{owner}: path must have at most {MAX_PATH_LENGTH:,} characters, got {len(path):,}"
        raise InvalidArgument(msg)
    rooted = path == "$" or path.startswith(("$.", "$["))
    position = 1 if rooted else 0
    steps: list[Step] = []
    while position < len(path):
        found = _STEP.match(path, position)
        step = None if found is None else _step(found, first=position == 0)
        if found is None or step is None:
            msg = (
                f"{owner}: path {shown(path)} cannot be read from character {position + 1} on; "
                'write keys as a.b or ["a key"], elements as [0]'
            )
            raise InvalidArgument(msg)
        steps.append(step)
        position = found.end()
    return tuple(steps)


def follow(value: Any, steps: tuple[Step, ...]) -> Any:
    """Return what stands at the end of a path.

    Raises:
        PathEnded: The value does not have the path.
    """
    place = ""
    for step in steps:
        problem = _blocked(value, step)
        if problem is not None:
            msg = f"the path ends at {place or WHOLE}: {problem}"
            raise PathEnded(msg)
        value = value[step]
        place = f"{place}[{step}]" if isinstance(step, int) else key_place(place, step)
    return value


def _step(found: re.Match[str], *, first: bool) -> Step | None:
    """Return one step; `None` where a key lacks its dot, or has one without anything before it."""
    if found["index"] is not None:
        return int(found["index"])
    if found["quoted"] is not None:
        try:
            key: str = json.loads(found["quoted"])
        except ValueError:
            return None
        return key
    return found["key"] if (found["dot"] is None) is first else None


def _blocked(value: Any, step: Step) -> str | None:
    """Return why a step cannot be taken; `None` when it can."""
    if isinstance(step, int):
        if not isinstance(value, list):
            return f"{_kind(value)} has no elements"
        return None if step < len(value) else f"the list has {len(value)} elements, there is no [{step}]"
    if not isinstance(value, dict):
        hint = "; its elements are reached by [0]" if isinstance(value, list) else ""
        return f"{_kind(value)} has no keys{hint}"
    return None if step in value else f"there is no key {shown(step)}; {_keys(list(value))}"


def _keys(keys: list[str]) -> str:
    if not keys:
        return "the object is empty"
    more = f", and {len(keys) - _SHOWN_KEYS} more" if len(keys) > _SHOWN_KEYS else ""
    return f"keys are {', '.join(map(shown, keys[:_SHOWN_KEYS]))}{more}"


def _kind(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return {str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}[type(value)]
