"""How reasons show a value: on one line, shortened, with what cannot be seen made visible."""

from __future__ import annotations

import json
from typing import Any

SHOWN_LENGTH = 1_000
"""Characters of a value that a reason shows; longer values are cut, and the reason says so."""

_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def shown(value: Any) -> str:
    """Return `value` for a reason: text in double quotes, anything else as Python writes it."""
    if isinstance(value, str):
        return _cut(f'"{_escaped(value[:SHOWN_LENGTH])}"', len(value))
    try:
        written = repr(value)
    except Exception as exc:  # a value that cannot be written must not hide the verdict on it
        return f"<{type(value).__name__} that cannot be shown: {type(exc).__name__}>"
    return one_line(written)


def shown_json(value: Any) -> str:
    """Return a JSON value for a reason, as JSON is written."""
    return one_line(json.dumps(value, ensure_ascii=False))


def one_line(written: str) -> str:
    """Return words of another library for a reason."""
    return _cut(_escaped(written[:SHOWN_LENGTH]), len(written))


def _escaped(text: str) -> str:
    r"""Return `text` with line breaks as `\n` and other unprintable characters as `<U+200B>`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _SHORT_ESCAPES.get(char, f"<U+{ord(char):04X}>") for char in text)


def _cut(written: str, length: int) -> str:
    if length <= SHOWN_LENGTH:
        return written
    return f"{written}… (the first {SHOWN_LENGTH:,} of {length:,} characters)"
