"""Text that every database, terminal and file format can hold."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from neuron_evals.core.exceptions import InvalidArgument

MIN_LIMIT = 80
"""Smallest limit of `clean_text`, in characters: room for the marker and some of the text."""

_PAIR = "[\ud800-\udbff][\udc00-\udfff]"
_UNSTORABLE = re.compile(f"{_PAIR}|[\ud800-\udfff\x00]")
_LONGEST_CLUSTER = 32
_JOINERS = {"\u200d", "\ufe0f"}


def clean_text(text: str, limit: int | None = None) -> str:
    """Return `text` without what PostgreSQL, MariaDB or UTF-8 refuse; nothing else is changed or normalised.

    A lone surrogate becomes U+FFFD, a pair of surrogates the character it stands for, NUL the visible U+2400.

    Args:
        text: Any text.
        limit: Greatest length of what is returned, in characters, at least 80. A longer text keeps its beginning,
            followed by a marker with its length and the first 12 hex digits of the sha256 of its UTF-8 bytes, both
            taken after cleaning.

    Returns:
        The cleaned text; cleaning it again with the same limit changes nothing.

    Raises:
        InvalidArgument: `limit` is below 80.
    """
    cleaned = text if is_clean(text) else _UNSTORABLE.sub(_replacement, text)
    if type(cleaned) is not str:
        cleaned = str.__str__(cleaned)
    if limit is None:
        return cleaned
    if limit < MIN_LIMIT:
        msg = f"clean_text: limit must be at least {MIN_LIMIT} characters, got {limit}"
        raise InvalidArgument(msg)
    return cleaned if len(cleaned) <= limit else _shortened(cleaned, limit)


def is_clean(text: str) -> bool:
    """Return whether `text` holds neither NUL nor a surrogate."""
    if str.isascii(text):
        return not str.__contains__(text, "\x00")
    return _UNSTORABLE.search(text) is None


def _replacement(found: re.Match[str]) -> str:
    text = found.group()
    if text == "\x00":
        return "\u2400"
    if len(text) == 1:
        return "\ufffd"
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _shortened(text: str, limit: int) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    marker = f"\u2026 [shortened: {len(text)} characters, sha256 {digest}]"
    end = limit - len(marker)
    for cut in range(end, max(0, end - _LONGEST_CLUSTER), -1):
        if not _continues(text, cut):
            return text[:cut] + marker
    return text[:end] + marker


def _continues(text: str, cut: int) -> bool:
    """Return whether a cut would part a letter from its accents, or an emoji from what is joined to it."""
    following = text[cut]
    return following in _JOINERS or text[cut - 1] == "\u200d" or unicodedata.category(following).startswith("M")
