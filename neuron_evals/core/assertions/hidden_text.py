"""Characters that a person does not see, and texts that look alike but are not equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Literal

# Control characters other than white space, and what Unicode calls default-ignorable code points.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NAMED = 5


def without_invisible(text: str) -> str:
    """Return `text` without zero-width, control and other characters that show nothing; white space stays."""
    return _INVISIBLE.sub("", text)


def looks_alike(actual: str, expected: str, matches: Callable[[str, str], bool], subject: str = "they differ") -> str:
    """Return a clause for the reason when two texts do not match, but would match as a person sees them.

    Args:
        actual: The text under test.
        expected: The text of the assertion.
        matches: The rule of the assertion, which did not hold for the two.
        subject: How the clause begins.

    Returns:
        A clause that begins with `"; "`, or an empty text.
    """
    bare_actual, bare_expected = without_invisible(actual), without_invisible(expected)
    if expected and not bare_expected:
        return ""
    if (bare_actual, bare_expected) != (actual, expected) and matches(bare_actual, bare_expected):
        return f"; {subject} only in invisible characters: {_names(actual + expected)}"
    if _match_in_form("NFC", bare_actual, bare_expected, matches):
        return f"; {subject} only in Unicode form (composed or decomposed characters)"
    if _match_in_form("NFKC", bare_actual, bare_expected, matches):
        return f"; {subject} only in compatibility characters (such as U+00A0 NO-BREAK SPACE)"
    return ""


def _match_in_form(
    form: Literal["NFC", "NFKC"], actual: str, expected: str, matches: Callable[[str, str], bool]
) -> bool:
    return matches(unicodedata.normalize(form, actual), unicodedata.normalize(form, expected))


def _names(text: str) -> str:
    """Return code point and name of the different invisible characters of `text`."""
    found = list(dict.fromkeys(_INVISIBLE.findall(text)))
    names = [f"U+{ord(char):04X} {unicodedata.name(char, 'CONTROL')}" for char in found[:_NAMED]]
    if len(found) > _NAMED:
        names.append(f"and {len(found) - _NAMED} more")
    return ", ".join(names)
