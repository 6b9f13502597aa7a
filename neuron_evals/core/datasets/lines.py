"""A dataset in a JSON Lines file."""

from __future__ import annotations

from collections.abc import Iterator

from neuron_evals.core.datasets.contract import OnProblem, Record
from neuron_evals.core.datasets.files import FileDataset
from neuron_evals.core.exceptions import DatasetProblem
from neuron_evals.core.jsonable.reading import JsonFault, parse_document


class JsonLinesDataset(FileDataset):
    """A file with one JSON object a line, read line by line; blank lines are skipped."""

    def read(self, on_problem: OnProblem) -> Iterator[Record]:
        """Yield the values of the lines; one that cannot be read does not hide the next."""
        index = 0
        for line, raw in self._raw_lines(on_problem):
            if not raw.strip():
                continue
            text = self._decoded(raw.rstrip(b"\r\n"), line, on_problem)
            if text is not None:
                try:
                    value = parse_document(text)
                except JsonFault as fault:
                    column = fault.position + 1
                    on_problem(DatasetProblem(fault.message, self.source, item=index, line=line, column=column))
                else:
                    yield Record(index, value, line)
            index += 1
