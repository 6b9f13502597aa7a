"""Validators for the options of assertions; each refuses with the assertion, the option and what it got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from neuron_evals.core.exceptions import InvalidArgument


class _NotGiven(Enum):
    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "<not given>"


NOT_GIVEN = _NotGiven.NOT_GIVEN
"""Default of an option that may be given any value, None too."""


def require_text(owner: str, role: str, value: Any) -> None:
    """Refuse what is no text.

    Raises:
        InvalidArgument: `value` is no text.
    """
    if not isinstance(value, str):
        msg = f"{owner}: {role} must be text, got {type(value).__name__}"
        raise InvalidArgument(msg)


def require_written(owner: str, role: str, value: Any) -> None:
    """Refuse what is no text, or blank.

    Raises:
        InvalidArgument: `value` is no text, or holds nothing but white space.
    """
    require_text(owner, role, value)
    if not value.strip():
        msg = f"{owner}: {role} must not be blank"
        raise InvalidArgument(msg)


def text_list(owner: str, role: str, values: Any) -> tuple[str, ...]:
    """Return `values` as a tuple of texts.

    Raises:
        InvalidArgument: `values` is no list (one text is none), or an element is no text.
    """
    if isinstance(values, str):
        msg = f"{owner}: {role} must be a list of texts, got one text; write [{values[:50]!r}]"
        raise InvalidArgument(msg)
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        msg = f"{owner}: {role} must be a list of texts, got {type(values).__name__}"
        raise InvalidArgument(msg)
    texts = tuple(values)
    for position, text in enumerate(texts):
        require_text(owner, f"{role}[{position}]", text)
    return texts


def require_count(owner: str, role: str, value: Any) -> None:
    """Refuse what is no whole number of 0 or more.

    Raises:
        InvalidArgument: `value` is no `int`, or is negative.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{owner}: {role} must be a whole number, got {type(value).__name__}"
        raise InvalidArgument(msg)
    if value < 0:
        msg = f"{owner}: {role} must be 0 or more, got {value}"
        raise InvalidArgument(msg)


def require_bool(owner: str, role: str, value: Any) -> None:
    """Refuse what is neither True nor False.

    Raises:
        InvalidArgument: `value` is no `bool`.
    """
    if not isinstance(value, bool):
        msg = f"{owner}: {role} must be True or False, got {type(value).__name__}"
        raise InvalidArgument(msg)
