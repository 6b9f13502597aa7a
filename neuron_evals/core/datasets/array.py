"""Datasets from values in code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from neuron_evals.core.datasets.contract import Dataset, OnProblem, Record
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument

_TEXT = str | bytes | bytearray | memoryview


class ArrayDataset(Dataset):
    """A list or another sequence of items, such as `ArrayDataset([{"input": "hi", "reference": "hello"}])`.

    Args:
        items: The items. The sequence is not copied; it must not change while it is run.

    Raises:
        InvalidArgument: `items` is no sequence.
    """

    source = "items"
    rereadable = True

    def __init__(self, items: Sequence[Mapping[str, Any]]) -> None:
        given: object = items
        if not isinstance(given, Sequence) or isinstance(given, _TEXT):
            msg = f"ArrayDataset takes a list or another sequence of items, got {type(given).__name__}"
            raise InvalidArgument(msg)
        self.items = items

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)

    def read(self, on_problem: OnProblem) -> Iterator[Record]:
        """Yield the items."""
        for index, item in enumerate(self.items):
            yield Record(index, item)


class IterableDataset(Dataset):
    """Items from a generator or another iterable; they are taken as they are needed, and checked as they come.

    Args:
        items: The items. It is iterated over once for each time the dataset is read.
    """

    source = "items"
    rereadable = False

    def __init__(self, items: Iterable[Mapping[str, Any]]) -> None:
        self.items = items

    def read(self, on_problem: OnProblem) -> Iterator[Record]:
        """Yield the items."""
        for index, item in enumerate(self.items):
            yield Record(index, item)


def as_dataset(value: object) -> Dataset:
    """Return what `get_dataset` returned as a `Dataset`.

    Args:
        value: A `Dataset`, which is returned as it is; a sequence of items; or any other iterable of items, which is
            read only once, during the run.

    Raises:
        EvaluationError: `value` is none of these: text, one single item, nothing at all, or no iterable.
    """
    if isinstance(value, Dataset):
        return value
    if value is None or isinstance(value, _TEXT | Mapping | type) or not isinstance(value, Iterable):
        got = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        msg = (
            f"get_dataset() must return a Dataset, a list of items or another iterable of items, got {got}; "
            f"{_advice(value)}"
        )
        raise EvaluationError(msg)
    return ArrayDataset(value) if isinstance(value, Sequence) else IterableDataset(value)


def _advice(value: object) -> str:
    if value is None:
        return "is a return missing?"
    if isinstance(value, str):
        return "a file is read by JsonDataset, JsonLinesDataset or CsvDataset"
    if isinstance(value, Mapping):
        return "one item alone goes into a list"
    return 'an item is a mapping such as {"input": "..."}'
