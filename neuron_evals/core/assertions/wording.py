"""How reasons show a value: on one line, shortened, without addresses, with what cannot be seen made visible."""

from __future__ import annotations

import json
import re
from typing import Any

SHOWN_LENGTH = 1_000
"""Characters of a value that a reason shows; longer values are cut, and the reason says so."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}(?=>)")
"""Where an object lies in memory, as Python writes it: different in each run, so that no two reports would be equal."""

_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def shown(value: Any) -> str:
    """Return `value` for a reason: text in double quotes, anything else as Python writes it."""
    if isinstance(value, str):
        return _cut(f'"{_escaped(value[:SHOWN_LENGTH])}"', len(value))
    try:
        written = _ADDRESS.sub("", repr(value))
    except Exception as exc:  # a value that cannot be written must not hide the verdict on it
        return f"<{type(value).__name__} that cannot be shown: {type(exc).__name__}>"
    return _cut(_escaped(written[:SHOWN_LENGTH]), len(written))


def shown_json(value: Any) -> str:
    """Return a JSON value for a reason, as JSON is written."""
    return visible(json.dumps(value, ensure_ascii=False))


def visible(text: str) -> str:
    """Return text for a reason, on one line and without quotes."""
    return _cut(_escaped(text[:SHOWN_LENGTH]), len(text))


def _escaped(text: str) -> str:
    r"""Return `text` with line breaks as `\n` and other unprintable characters as `<U+200B>`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _SHORT_ESCAPES.get(char, f"<U+{ord(char):04X}>") for char in text)


def _cut(written: str, length: int) -> str:
    if length <= SHOWN_LENGTH:
        return written
    return f"{written}… (the first {SHOWN_LENGTH:,} of {length:,} characters)"
