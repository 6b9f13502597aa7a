"""A dataset in a CSV file."""

from __future__ import annotations

from collections.abc import Iterator

from neuron_evals.core.datasets.contract import OnProblem, Record
from neuron_evals.core.datasets.csv_rows import CsvFault, Row, read_rows
from neuron_evals.core.datasets.files import FileDataset, PathText
from neuron_evals.core.exceptions import DatasetProblem, InvalidArgument


class CsvDataset(FileDataset):
    """A CSV file whose first row names the columns; every further row is an item with a text for each column.

    Rows that are blank throughout are skipped. A blank `id` cell means that the row has no id of its own.

    Args:
        path: One or two paths, as for every dataset in a file.
        delimiter: The character between cells: one, and neither a quote nor a line end.

    Raises:
        InvalidArgument: Not one or two paths, or no such delimiter.
        DatasetError: There is no such file.
    """

    def __init__(self, *path: PathText, delimiter: str = ",") -> None:
        if len(delimiter) != 1 or delimiter in '"\r\n':
            msg = f"CsvDataset: delimiter must be one character, neither a quote nor a line end, got {delimiter!r}"
            raise InvalidArgument(msg)
        super().__init__(*path)
        self.delimiter = delimiter

    def read(self, on_problem: OnProblem) -> Iterator[Record]:
        """Yield the rows as items; one that cannot be read does not hide the next."""
        rows = self._rows(on_problem)
        names = self._names(next(rows, _NO_HEADER), on_problem)
        if names is None:
            return
        for index, row in enumerate(rows):
            fault = _misfit(row, names) if isinstance(row, Row) else row
            if fault is not None:
                self._report(fault, on_problem, index)
            elif isinstance(row, Row):
                item = dict(zip(names, row.cells, strict=True))
                if not item.get("id", "given").strip():
                    del item["id"]
                yield Record(index, item, row.starts[0][0])

    def _rows(self, on_problem: OnProblem) -> Iterator[Row | CsvFault | None]:
        """Yield the rows that are not blank throughout; `None` for one whose problem was reported already."""
        damaged: list[int] = []
        for row in read_rows(self._lines(damaged, on_problem), self.delimiter):
            if isinstance(row, CsvFault):
                yield row
            elif damaged:
                yield None
            elif any(cell.strip() for cell in row.cells):
                yield row
            damaged.clear()

    def _lines(self, damaged: list[int], on_problem: OnProblem) -> Iterator[tuple[int, str]]:
        """Yield the lines as text, also those that cannot be read: rows would shift otherwise."""
        for line, raw in self._raw_lines(on_problem):
            text = self._decoded(raw, line, on_problem)
            if text is None:
                damaged.append(line)
                text = raw.decode(errors="replace")
            elif "\x00" in text:
                damaged.append(line)
                message = "a cell holds NUL, which databases cannot"
                on_problem(DatasetProblem(message, self.source, line=line, column=text.index("\x00") + 1))
            yield line, text

    def _names(self, header: Row | CsvFault | None, on_problem: OnProblem) -> list[str] | None:
        """Return the names of the columns, without white space around them; `None` when they cannot be told."""
        if not isinstance(header, Row):
            self._report(header, on_problem)
            return None
        names: list[str] = []
        sound = True
        for cell, place in zip(header.cells, header.starts, strict=True):
            name = cell.strip()
            if not name or name in names:
                sound = False
                self._report(CsvFault(_complaint_about_name(name), place), on_problem)
            names.append(name)
        return names if sound else None

    def _report(self, fault: CsvFault | None, on_problem: OnProblem, item: int | None = None) -> None:
        if fault is not None:
            line, column = fault.place
            on_problem(DatasetProblem(fault.message, self.source, item=item, line=line, column=column))


_NO_HEADER = CsvFault("the file is empty; its first row must name the columns", (1, 1))


def _complaint_about_name(name: str) -> str:
    return f"two columns have the name {name!r}" if name else "a column has no name; the first row names every column"


def _misfit(row: Row, names: list[str]) -> CsvFault | None:
    """Return what is wrong with the number of cells of a row."""
    count = len(row.cells)
    if count == len(names):
        return None
    message = f"the row has {count} cells, the header {len(names)}"
    if row.quoted or any({'"', "{"} & set(cell) for cell in row.cells):
        message += "; put a cell that holds commas or quotes in double quotes, and double the quotes in it"
    return CsvFault(message, row.starts[len(names)] if count > len(names) else row.end)
