"""Texts made comparable before they are compared, as the Nous assertions define it."""

from __future__ import annotations

import json
from typing import Any

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.exceptions import InvalidArgument


def expected_text(owner: str, expected: Any) -> str:
    """Return the text that an output is compared with; a number, true or false as JSON and YAML write it.

    Raises:
        InvalidArgument: `expected` is anything else: there is no one text for it.
    """
    if isinstance(expected, str):
        return expected
    if isinstance(expected, bool | int | float):
        try:
            return json.dumps(expected, allow_nan=False)
        except ValueError:  # NaN, infinities, and integers of thousands of digits
            pass
    msg = f"{owner}: expected must be text, a finite number, True or False, got {shown(expected)}"
    raise InvalidArgument(msg)


def lowered(text: str) -> str:
    """Return `text` in lower case letter by letter: what is part of a text stays part of it, final sigma or not."""
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


def collapsed(text: str) -> str:
    """Return `text` with each run of white space as one space, and none at its ends."""
    return " ".join(text.split())
