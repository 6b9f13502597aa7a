"""JSON text as values, strictly: what must not be stored or shown is refused at its exact place."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from neuron_evals.core.jsonable.cleaning import MAX_DEPTH
from neuron_evals.core.jsonable.text import is_clean

_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_LITERAL = re.compile(r"NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_ESCAPED_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class JsonFault(Exception):  # noqa: N818  (a fault of the text; who reads it decides what that means)
    """What is wrong with a JSON text.

    Attributes:
        message: What is wrong, and what would be valid.
        position: Where, in characters from the beginning of the text.
        end: Where the value ends that is at fault; `None` when the rest of the text cannot be told apart.
    """

    def __init__(self, message: str, position: int, end: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.end = end


class _RefusedError(ValueError):
    """Valid for Python's parser, but not for us; where it stands is found out afterwards."""


def skip_space(text: str, position: int) -> int:
    """Return the position of the next character that is no JSON white space."""
    found = _SPACE.match(text, position)
    return position if found is None else found.end()


def parse_value(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value that begins at `start`, and where it ends.

    Refused are NaN and infinities, numbers too large for Python, keys that an object holds twice, NUL, lone surrogates,
    and more than 30 levels: what would be lost or changed before it reaches an agent, a report or a database.

    Raises:
        JsonFault: The text is no JSON, or holds something refused.
    """
    try:
        value, end = _STRICT.raw_decode(text, start)
    except json.JSONDecodeError as exc:
        raise JsonFault(_syntax(exc, text), exc.pos) from None
    except (ValueError, RecursionError):
        fault = _first_refused(text, start) or JsonFault("cannot be read", start)
        fault.end = _end_of(text, start)
        raise fault from None
    if _suspect(text, start, end):
        refused = _first_refused(text, start)
        if refused is not None:
            refused.end = end
            raise refused
    return value, end


def parse_document(text: str) -> Any:
    """Return the one JSON value that a text holds.

    Raises:
        JsonFault: As for `parse_value`, or because more text follows.
    """
    value, end = parse_value(text, skip_space(text, 0))
    end = skip_space(text, end)
    if end != len(text):
        msg = "not valid JSON: more text follows the value"
        raise JsonFault(msg, end)
    return value


def _syntax(exc: json.JSONDecodeError, text: str) -> str:
    if exc.msg.startswith("Invalid control character"):
        code = f"U+{ord(text[exc.pos]):04X}"
        return f"not valid JSON: a raw control character ({code}) in a text; write it as an escape such as \\t"
    return f"not valid JSON: {exc.msg}"


def _suspect(text: str, start: int, end: int) -> bool:
    """Return whether a valid value may hold what Python's parser lets through: cheap, and right when it says no."""
    if text.count("{", start, end) + text.count("[", start, end) > MAX_DEPTH:
        return True
    return text.find("\\u", start, end) >= 0 and _ESCAPED_SUSPECT.search(text, start, end) is not None


def _first_refused(text: str, start: int) -> JsonFault | None:
    """Return the first thing refused in the value that begins at `start` and has no syntax error before that thing."""
    open_keys: list[set[str]] = []
    previous, before = "", 0
    for found in _TOKEN.finditer(text, start):
        lexeme, position = found.group(), found.start()
        if lexeme in {"{", "["}:
            open_keys.append(set())
            if len(open_keys) > MAX_DEPTH:
                return JsonFault(f"nested deeper than {MAX_DEPTH} levels", position)
        elif lexeme in {"}", "]"}:
            open_keys.pop()
        elif lexeme == ":":
            if previous in open_keys[-1]:
                return JsonFault(f"the key {text[before:position].rstrip()} is there twice in one object", before)
            open_keys[-1].add(previous)
        elif lexeme != ",":
            value = _scalar(lexeme)
            if isinstance(value, _RefusedError):
                return JsonFault(str(value), position)
            previous, before = value, position
        if not open_keys:
            break
    return None


def _scalar(lexeme: str) -> str | _RefusedError:
    """Return the text of a string, the lexeme itself of another, or why it is refused."""
    if not lexeme.startswith('"'):
        return _literal(lexeme)
    text: str = json.loads(lexeme, strict=False)
    if is_clean(text):
        return text
    what = "NUL (\\u0000)" if "\x00" in text else "half of a surrogate pair"
    return _RefusedError(f"a text holds {what}, which databases and files cannot")


def _literal(lexeme: str) -> str | _RefusedError:
    # What follows it without a space, as in `1x`, is a syntax error, and no part of it.
    literal = _LITERAL.match(lexeme)
    if literal is None:
        return lexeme
    lexeme = literal.group()
    if lexeme in {"NaN", "Infinity", "-Infinity"}:
        return _RefusedError(f"{lexeme} is not JSON; use null, or a text")
    if {".", "e", "E"} & set(lexeme):
        return _RefusedError("a number too large for floating point") if math.isinf(float(lexeme)) else lexeme
    try:
        int(lexeme)
    except ValueError:
        return _RefusedError(f"an integer of {len(lexeme)} digits, more than Python reads")
    return lexeme


def _end_of(text: str, start: int) -> int | None:
    try:
        return _LENIENT.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RefusedError
    return value


def _number(lexeme: str) -> float:
    number = float(lexeme)
    if math.isinf(number):
        raise _RefusedError
    return number


def _constant(_name: str) -> NoReturn:
    raise _RefusedError


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_constant)
_LENIENT = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
