"""Whether a text is JSON as RFC 8259 defines it, and if not, why; and where JSON stands in other text.

Python's `json` accepts more (`NaN`, lone surrogates), and gives up on what is valid (numbers of thousands of digits,
deep nesting). This scanner builds no values and does not recurse: it takes any size and depth, in time proportional to
the length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANKS = re.compile(r"[ \t\n\r]*+")
_OPEN_STRING = re.compile(
    r'"(?:[^"\\\x00-\x1f\ud800-\udfff]++'
    r'|\\["\\/bfnrt]'
    r"|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*+"
)
_OPENER = re.compile(r"[\[{]")
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NUMBER_OR_WORD = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null")

# Kinds of tokens; any other kind is the character itself.
_STRING, _BROKEN_STRING, _SCALAR = "string", "broken string", "scalar"

# What may come next, as the reason says it.
_VALUE = "a value"
_FIRST_VALUE = "a value or ]"
_KEY = "a key in double quotes"
_FIRST_KEY = "a key in double quotes or }"
_COLON = "a colon"
_AFTER = "a comma or the end of the list or object"
_END = "nothing more"

_OPENING = {"[": ("]", _FIRST_VALUE), "{": ("}", _FIRST_KEY)}
_CLOSING = {closer for closer, _ in _OPENING.values()}


def invalid_json(text: str) -> str | None:
    """Return why `text` is not JSON, with line and column counted from 1; `None` when it is."""
    closers: list[str] = []
    expected = _VALUE
    position = _skip(_BLANKS, text, 0)
    while position < len(text):
        kind, end = _token(text, position)
        if kind == _BROKEN_STRING:
            return _located(text, end, _string_problem(text, end))
        following = _follow(kind, expected, closers)
        if following is None:
            return _located(text, position, f"expected {expected}, found {_named(text[position])}")
        expected = following
        position = _skip(_BLANKS, text, end)
    return None if expected == _END else _located(text, len(text), f"expected {expected}, found the end of the text")


def json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lists and objects in `text` begin and end, in order; those inside others are not named.

    The time is proportional to the length: what was opened inside a value that turned out broken is never opened again.
    """
    broken: set[int] = set()
    position = 0
    while opener := _OPENER.search(text, position):
        position = opener.start() + 1
        if opener.start() in broken:
            continue
        end, opened = _closing(text, opener.start())
        if end is None:
            broken.update(opened)
        else:
            yield opener.start(), end
            position = end


def _closing(text: str, start: int) -> tuple[int | None, list[int]]:
    """Return where the list or object that begins at `start` ends; or `None`, and where what stayed open began."""
    closers: list[str] = []
    opened: list[int] = []
    expected = _VALUE
    position = start
    while position < len(text):
        kind, end = _token(text, position)
        following = _follow(kind, expected, closers)
        if following is None:
            break
        if kind in _OPENING:
            opened.append(position)
        elif kind in _CLOSING:
            opened.pop()
        if not closers:
            return end, []
        expected = following
        position = _skip(_BLANKS, text, end)
    return None, opened


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Return where a match of `pattern` at `position` ends."""
    match = pattern.match(text, position)
    return match.end() if match else position


def _token(text: str, position: int) -> tuple[str, int]:
    """Return the kind of the token at `position`, and where it ends; of a broken string, where it breaks."""
    char = text[position]
    if char == '"':
        end = _skip(_OPEN_STRING, text, position)
        return (_STRING, end + 1) if text[end : end + 1] == '"' else (_BROKEN_STRING, end)
    scalar = _NUMBER_OR_WORD.match(text, position)
    return (_SCALAR, scalar.end()) if scalar else (char, position + 1)


def _follow(kind: str, expected: str, closers: list[str]) -> str | None:
    """Return what may come after a token, or `None` where the token may not come; keeps `closers` up to date."""
    following = None
    if expected in (_VALUE, _FIRST_VALUE) and kind in (_STRING, _SCALAR):
        following = _AFTER if closers else _END
    elif expected in (_VALUE, _FIRST_VALUE) and kind in _OPENING:
        closer, following = _OPENING[kind]
        closers.append(closer)
    elif expected in (_KEY, _FIRST_KEY) and kind == _STRING:
        following = _COLON
    elif expected == _COLON and kind == ":":
        following = _VALUE
    elif expected == _AFTER and kind == ",":
        following = _VALUE if closers[-1] == "]" else _KEY
    elif expected in (_AFTER, _FIRST_VALUE, _FIRST_KEY) and kind == closers[-1]:
        closers.pop()
        following = _AFTER if closers else _END
    return following


def _string_problem(text: str, position: int) -> str:
    char = text[position : position + 1]
    if not char:
        return "the string is not closed"
    if _LONE_SURROGATE.match(text, position):
        return f"{text[position : position + 6]} is half of a surrogate pair"
    if char == "\\":
        return f"invalid escape {char}{_named(text[position + 1 : position + 2])}"
    return f"{_named(char)} must be escaped in a string"


def _named(char: str) -> str:
    if not char:
        return "the end of the text"
    return char if char.isprintable() else f"U+{ord(char):04X}"


def _located(text: str, position: int, problem: str) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"line {line}, column {column}: {problem}"
