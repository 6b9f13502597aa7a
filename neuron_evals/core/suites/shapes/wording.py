"""How messages about values speak of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuron_evals.core.jsonable import clean_text

SHOWN = 80
"""Characters of a text that is still shown as it is written."""

_NAMES: Mapping[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def described(value: Any) -> str:
    """Return a value for a message: a short one as it is written, of a long one its kind."""
    if isinstance(value, str):
        return f'the text "{clean_text(value)}"' if len(value) < SHOWN and value.isprintable() else "text"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**18):
        return f"{value}"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return _NAMES.get(type(value), type(value).__name__)
