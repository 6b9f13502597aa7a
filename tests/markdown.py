"""Code blocks of the documentation, with what the comment above each says about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[\w-]+)(?:: (?P<value>.+?))? -->\n)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A code block.

    Attributes:
        page: Path of its page.
        line: Line of the page on which it begins.
        language: What the fence says.
        text: The code.
        mark: First word of the comment directly above; empty when there is none. `fragment`: it cannot run alone.
            `file`, `append`: the file it belongs to. `exit`: the status with which its command ends.
        value: What the comment says behind the word.
    """

    page: Path
    line: int
    language: str
    text: str
    mark: str
    value: str


def blocks(page: Path) -> list[Block]:
    """Return the code blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            text.count("\n", 0, found.start("text")),
            found["language"],
            found["text"],
            found["mark"] or "",
            found["value"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]
