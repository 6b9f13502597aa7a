"""A dataset in a JSON file."""

from __future__ import annotations

from collections.abc import Iterator

from neuron_evals.core.datasets.contract import OnProblem, Record
from neuron_evals.core.datasets.files import FileDataset
from neuron_evals.core.exceptions import DatasetProblem
from neuron_evals.core.jsonable.reading import JsonFault, parse_value, skip_space


class JsonDataset(FileDataset):
    """A JSON file that holds one array of objects, such as `[{"input": "hi", "reference": "hello"}]`.

    The file is held in memory while it is read. For many or large items there is `JsonLinesDataset`.
    """

    def read(self, on_problem: OnProblem) -> Iterator[Record]:
        """Yield the elements of the array; a syntax error ends it."""
        text = self._text(on_problem)
        if text is not None:
            yield from _Elements(text, self.source, on_problem).read()

    def _text(self, on_problem: OnProblem) -> str | None:
        readable = True

        def report(problem: DatasetProblem) -> None:
            nonlocal readable
            readable = False
            on_problem(problem)

        raw = b"".join(line for _, line in self._raw_lines(report))
        text = self._decoded(raw, 1, on_problem) if readable else None
        # In JSON no value holds a raw line end, so lines can be counted by one of them.
        return None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")


class _Elements:
    """Walks through one array, so that each element is known by its line and one at fault does not hide the next."""

    def __init__(self, text: str, source: str, on_problem: OnProblem) -> None:
        self.text = text
        self.source = source
        self.on_problem = on_problem
        self.line = 1
        self.counted = 0

    def read(self) -> Iterator[Record]:
        position = skip_space(self.text, 0)
        if not self.text.startswith("[", position):
            self._report("a JSON dataset is an array of objects: it begins with [", position)
            return
        position = skip_space(self.text, position + 1)
        index = 0
        while index or not self.text.startswith("]", position):
            try:
                value, end = parse_value(self.text, position)
            except JsonFault as fault:
                self._report(fault.message, fault.position, index)
                if fault.end is None:
                    return
                end = fault.end
            else:
                yield Record(index, value, self._line_of(position))
            index += 1
            position = skip_space(self.text, end)
            if not self.text.startswith(",", position):
                break
            position = skip_space(self.text, position + 1)
        self._end(position)

    def _end(self, position: int) -> None:
        if not self.text.startswith("]", position):
            self._report("not valid JSON: expected a comma or the end of the array", position)
            return
        position = skip_space(self.text, position + 1)
        if position != len(self.text):
            self._report("not valid JSON: more text follows the array", position)

    def _line_of(self, position: int) -> int:
        """Return the line of a position; positions are asked for in ascending order, so that none is counted twice."""
        self.line += self.text.count("\n", self.counted, position)
        self.counted = position
        return self.line

    def _report(self, message: str, position: int, item: int | None = None) -> None:
        line = self._line_of(position)
        column = position - self.text.rfind("\n", 0, position)
        self.on_problem(DatasetProblem(message, self.source, item=item, line=line, column=column))
