"""Fences: what a judge grades or is shown stands between tags that it cannot close.

The tags carry a code that is drawn for one prompt and stands in none of its texts. What only looks like one of the tags
is defused as well, because a model may take it for one.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable

_OPENER = re.compile("[<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276e\u00ab]")
_SLASHES = frozenset("/\\\uff0f\u2044\u2215\u29f8\u2571")
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
# What stands between the parts of a tag, seen or unseen, does not keep a model from reading it as one.
_PASSED_OVER = frozenset({"Cc", "Cf", "Me", "Mn", "Pc", "Pd", "Zl", "Zp", "Zs"})
_MARK = "\\"


class Fence:
    """The fences of one prompt.

    Args:
        texts: All texts that will be fenced in it.
        names: The names of the tags.

    Attributes:
        imitations: How often the fenced texts so far imitated a tag.
    """

    def __init__(self, texts: Iterable[str], names: Iterable[str]) -> None:
        self.code = _unused_code(tuple(texts))
        self.imitations = 0
        self._names = tuple(_letters(name, 0, len(name)) for name in names)
        self._longest = max(map(len, self._names))

    def around(self, name: str, text: str) -> str:
        """Return `text` between the tags `name`, each on a line of its own."""
        tag = f"{name}-{self.code}"
        return f"<{tag}>\n{self._defused(text)}\n</{tag}>"

    def _defused(self, text: str) -> str:
        """Return `text` with a backslash behind the bracket of each imitated tag."""
        parts = []
        done = 0
        for opener in _OPENER.finditer(text):
            if _letters(text, opener.end(), self._longest).startswith(self._names):
                parts += [text[done : opener.end()], _MARK]
                done = opener.end()
                self.imitations += 1
        return "".join([*parts, text[done:]])


def _unused_code(texts: tuple[str, ...]) -> str:
    while True:
        code = secrets.token_hex(8)
        if not any(code in text for text in texts):
            return code


def _letters(text: str, start: int, most: int) -> str:
    """Return up to `most` letters and digits that `text` seems to show from `start` on, without case and width."""
    letters = ""
    for position in range(start, len(text)):
        char = text[position]
        if char in _SLASHES or char in _BLANK_LETTERS or unicodedata.category(char) in _PASSED_OVER:
            continue
        if not char.isalnum():
            break
        letters += unicodedata.normalize("NFKC", char).casefold()
        if len(letters) >= most:
            break
    return letters
