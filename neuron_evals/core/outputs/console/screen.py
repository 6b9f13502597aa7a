"""The one place through which console text reaches a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TextIO

from neuron_evals.core.outputs.preview import preview
from neuron_evals.core.outputs.streams import flush, write_text
from neuron_evals.core.printable import printable


class Line(NamedTuple):
    """One line and its style, in rich's words; data only, nothing in the text is interpreted."""

    text: str = ""
    style: str = ""


class Screen:
    """Writes lines. Whatever they hold, each stays one line and cannot drive a terminal.

    Attributes:
        stream: Where the lines go.
        color: Whether styles are shown.
        above: Takes the lines instead while a progress bar stands below them.
    """

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        self.stream = stream
        self.color = color
        self.above: Callable[[Line], None] | None = None

    def write(self, lines: Iterable[Line]) -> None:
        """Write lines.

        Raises:
            OutputError: The reader has closed the pipe.
        """
        for line in lines:
            safe = Line(printable(line.text, multiline=True).replace("\n", "\\n"), line.style)
            if self.above is not None:
                self.above(safe)
            else:
                write_text(self.stream, f"{self._styled(safe)}\n")

    def flush(self) -> None:
        """Send what the stream has buffered.

        Raises:
            OutputError: The reader has closed the pipe.
        """
        flush(self.stream)

    def _styled(self, line: Line) -> str:
        if not (self.color and line.style and line.text):
            return line.text
        from rich.color import ColorSystem  # noqa: PLC0415  (rich is loaded only where its colours are shown)
        from rich.style import Style  # noqa: PLC0415  (as above)

        return Style.parse(line.style).render(line.text, color_system=ColorSystem.STANDARD)


def paragraph(start: str, text: str, limit: int, style: str = "") -> Iterator[Line]:
    """Yield text of several lines after `start`; those that follow are indented deeper, so that none can pass for ours.

    Args:
        start: What stands before the text, with its indentation.
        text: Any text; it is shortened to `limit` characters.
        limit: Largest number of characters.
        style: Style of all lines.
    """
    first, *others = preview(text, limit, multiline=True).split("\n")
    yield Line(start + first, style)
    indent = " " * (len(start) - len(start.lstrip()) + 4)
    yield from (Line(indent + other, style) for other in others)


def is_terminal(stream: TextIO) -> bool:
    """Whether a cursor can be moved there."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: TextIO) -> bool:
    """Whether to show colours when nobody said: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(stream)
