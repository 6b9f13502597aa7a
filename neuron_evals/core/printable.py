"""Text from models, datasets and errors, made safe for a terminal and a log."""

from __future__ import annotations

import re

from neuron_evals.core.bounds import MAX_NAME

# A joiner is needed inside emoji and in some scripts; anywhere else it only hides.
_LETTER = r"[^\x00-\x7f\s\u200b-\u200f\u2060-\u206f]"
_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff]"
    rf"|(?<!{_LETTER})[\u200c\u200d]|[\u200c\u200d](?!{_LETTER})"
)
_ASCII = 0x7F
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str, *, multiline: bool = False) -> str:
    r"""Return `text` with everything that could drive a terminal, reorder text or hide in it as a visible escape.

    That is C0 and C1 controls, DEL, direction controls, invisible characters, line and paragraph separators, tags and
    lone surrogates; they become `\x1b`, `\u202e`, `\U000e0041`. Joiners stay inside emoji and in scripts that need
    them.

    Args:
        text: Any text.
        multiline: Keep newlines and tabs; the caller indents the lines. Without it the result is one line.
    """
    if text.isprintable():
        return text
    return _UNSAFE.sub(_escape_in_lines if multiline else _escape, text)


def name_fault(name: str) -> str:
    """Return what is wrong with the name of a suite or an agent; empty when nothing is.

    Names stand in reports, on terminals and on pages: one line, with nothing in it that `printable` would escape, not
    blank, of at most `MAX_NAME` characters.
    """
    if not name.strip():
        return "must not be blank: white space alone says nothing"
    if printable(name) != name:
        return "must be one line of printable characters"
    return f"must have at most {MAX_NAME} characters, got {len(name):,}" if len(name) > MAX_NAME else ""


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    return char.encode("ascii", "backslashreplace").decode("ascii") if ord(char) > _ASCII else f"\\x{ord(char):02x}"


def _escape_in_lines(match: re.Match[str]) -> str:
    return match[0] if match[0] in "\n\t" else _escape(match)
