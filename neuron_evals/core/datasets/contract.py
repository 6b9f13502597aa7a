"""What every dataset can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.exceptions import DatasetError, DatasetProblem

OnProblem = Callable[[DatasetProblem], object]
"""Is told what is wrong with a dataset; reading goes on after it returned, where the format allows."""


def refuse(problem: DatasetProblem) -> None:
    """Raise `DatasetError` with the one problem: what happens where nobody collects them."""
    raise DatasetError([problem])


@dataclass(frozen=True, slots=True)
class Record:
    """One item where it stands.

    Attributes:
        index: Position in the dataset, counted from 0; an item that could not be read keeps its position.
        item: The item.
        line: Line of the file on which the item begins, counted from 1; `None` when there is no file.
    """

    index: int
    item: Any
    line: int | None = None


class Dataset(ABC):
    """A source of items. Iterating over it yields the items and raises `DatasetError` at the first problem.

    A dataset of one's own implements `read`, and sets `source` and `rereadable`.
    """

    source: str
    """Short name for messages: the file's name, or a word for data that has no file."""

    rereadable: bool
    """Whether it may be read through before the run, to find every problem before the first item costs anything."""

    @abstractmethod
    def read(self, on_problem: OnProblem) -> Iterator[Record]:
        """Yield what stands in the dataset, in order, whatever its type; report what cannot be read."""

    def records(self, on_problem: OnProblem = refuse) -> Iterator[Record]:
        """Yield the items with their positions. What is no mapping with text keys is a problem like any other.

        Args:
            on_problem: Is told every problem; by default the first one is raised.

        Raises:
            DatasetError: The first problem, when `on_problem` was not given.
        """
        for record in self.read(on_problem):
            complaint = _complaint(record.item)
            if complaint is None:
                yield record
            else:
                on_problem(DatasetProblem(complaint, self.source, item=record.index, line=record.line))

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Yield the items; raise `DatasetError` at the first problem."""
        for record in self.records():
            yield record.item


def _complaint(item: object) -> str | None:
    if type(item) is not dict and not isinstance(item, Mapping):
        return f'an item is a mapping such as {{"input": "..."}} (in JSON an object), got {_described(item)}'
    for key in item:
        if not isinstance(key, str):
            return f"the keys of an item are text, got a key of type {type(key).__name__}"
    return None


def _described(value: object) -> str:
    return "null" if value is None else type(value).__name__
