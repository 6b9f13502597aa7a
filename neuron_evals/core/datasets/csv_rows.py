"""The rows of CSV text, with the place of every cell.

The standard library's reader tells no columns and limits the size of a cell by a setting of the whole process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Place = tuple[int, int]
"""Line and column, both counted from 1."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        cells: The texts of the cells.
        starts: Where each cell begins.
        end: Where the row ends.
        quoted: Whether a cell is in quotes.
    """

    cells: list[str]
    starts: list[Place]
    end: Place
    quoted: bool = False


class CsvFault(Exception):  # noqa: N818  (a fault of the text, reported as a problem of the dataset)
    """A row that cannot be read: what is wrong, and where."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


def read_rows(lines: Iterator[tuple[int, str]], delimiter: str) -> Iterator[Row | CsvFault]:
    """Yield the rows of numbered lines, line ends included; a fault stands for the row that has it.

    A cell in double quotes may hold delimiters and line ends, and quotes when they are doubled. Elsewhere a quote is a
    character like any other.
    """
    for line, text in lines:
        if '"' not in text:
            yield _plain_row(line, text, delimiter)
            continue
        try:
            yield _QuotedRow(line, text, lines, delimiter).read()
        except CsvFault as fault:
            yield fault


def _plain_row(line: int, text: str, delimiter: str) -> Row:
    bare = text.rstrip("\r\n")
    cells = bare.split(delimiter)
    starts = [(line, 1)]
    for cell in cells[:-1]:
        starts.append((line, starts[-1][1] + len(cell) + 1))
    return Row(cells, starts, (line, len(bare) + 1))


class _QuotedRow:
    """Reads one row that has a quote somewhere, and as many further lines as its quoted cells need."""

    def __init__(self, line: int, text: str, more: Iterator[tuple[int, str]], delimiter: str) -> None:
        self.line = line
        self.text = text
        self.more = more
        self.delimiter = delimiter
        self.position = 0
        self.quoted = False

    def read(self) -> Row:
        cells: list[str] = []
        starts: list[Place] = []
        while True:
            starts.append((self.line, self.position + 1))
            cells.append(self._quoted_cell(starts[-1]) if self.text.startswith('"', self.position) else self._cell())
            if not self.text.startswith(self.delimiter, self.position):
                return Row(cells, starts, (self.line, self.position + 1), self.quoted)
            self.position += 1

    def _cell(self) -> str:
        start, end = self.position, self.text.find(self.delimiter, self.position)
        self.position = len(self.text.rstrip("\r\n")) if end < 0 else end
        return self.text[start : self.position]

    def _quoted_cell(self, start: Place) -> str:
        self.quoted = True
        self.position += 1
        parts = []
        while True:
            end = self.text.find('"', self.position)
            if end < 0:
                parts.append(self.text[self.position :])
                self._next_line(start)
            elif self.text.startswith('"', end + 1):
                parts.append(self.text[self.position : end + 1])
                self.position = end + 2
            else:
                parts.append(self.text[self.position : end])
                self.position = end + 1
                self._expect_end_of_cell()
                return "".join(parts)

    def _next_line(self, start: Place) -> None:
        following = next(self.more, None)
        if following is None:
            msg = "the quote that opens this cell is never closed"
            raise CsvFault(msg, start)
        self.line, self.text = following
        self.position = 0

    def _expect_end_of_cell(self) -> None:
        following = self.text[self.position : self.position + 1]
        if following and following not in {self.delimiter, "\r", "\n"}:
            msg = "text follows the closing quote of a cell; double the quotes inside a quoted cell"
            raise CsvFault(msg, (self.line, self.position + 1))
