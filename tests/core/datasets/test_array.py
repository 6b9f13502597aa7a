from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest

from neuron_evals.core.datasets import ArrayDataset, Dataset, IterableDataset, Record, as_dataset
from neuron_evals.core.exceptions import DatasetError, EvaluationError, InvalidArgument

ITEMS: list[dict[str, Any]] = [{"input": "a"}, {"input": "b"}]


class Countdown(Dataset):
    source = "countdown"
    rereadable = True

    def read(self, on_problem):
        yield Record(0, {"input": 2})
        yield Record(1, "liftoff")


class Repeatable:
    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(ITEMS)


@pytest.mark.parametrize("value", [ITEMS, tuple(ITEMS), deque(ITEMS)])
def test_a_sequence_is_a_dataset_that_can_be_read_before_the_run(value):
    dataset = as_dataset(value)
    assert isinstance(dataset, ArrayDataset)
    assert dataset.rereadable
    assert len(dataset) == 2
    assert list(dataset) == list(dataset) == ITEMS


@pytest.mark.parametrize(
    "make", [lambda: iter(ITEMS), lambda: (item for item in ITEMS), Repeatable, lambda: map(dict, ITEMS)]
)
def test_another_iterable_is_read_only_during_the_run(make):
    dataset = as_dataset(make())
    assert isinstance(dataset, IterableDataset)
    assert not dataset.rereadable
    assert list(dataset) == ITEMS


def test_an_iterable_is_taken_one_item_at_a_time():
    taken: list[int] = []

    def endless():
        while True:
            taken.append(len(taken))
            yield {"input": len(taken)}

    records = as_dataset(endless()).records()
    assert next(records) == Record(0, {"input": 1})
    assert next(records) == Record(1, {"input": 2})
    assert taken == [0, 1]


def test_an_iterable_that_raises_raises_its_own_error():
    def broken():
        yield {"input": "a"}
        raise LookupError

    with pytest.raises(LookupError):
        list(as_dataset(broken()))


def test_a_dataset_is_taken_as_it_is():
    dataset = Countdown()
    assert as_dataset(dataset) is dataset


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, "NoneType; is a return missing"),
        ("items.json", "str; a file is read by JsonDataset"),
        (b"items", "bytes"),
        (bytearray(b"items"), "bytearray"),
        (memoryview(b"items"), "memoryview"),
        ({"input": "a"}, "dict; one item alone goes into a list"),
        (MappingProxyType({"input": "a"}), "mappingproxy"),
        (5, "int"),
        (Countdown, "the class Countdown"),
        (list, "the class list"),
    ],
)
def test_what_is_no_dataset_is_refused_with_what_would_be_valid(value, got):
    with pytest.raises(EvaluationError, match=r"must return a Dataset, a list") as caught:
        as_dataset(value)
    assert f"got {got}" in str(caught.value)


@pytest.mark.parametrize("items", [iter(ITEMS), "items", b"items", None, {"input": "a"}, {1, 2}])
def test_an_array_dataset_of_no_sequence_is_refused(items):
    with pytest.raises(InvalidArgument, match="list or another sequence"):
        ArrayDataset(items)


@pytest.mark.parametrize(
    ("item", "complaint"),
    [
        ("text", 'items, item 1: an item is a mapping such as {"input": "..."} (in JSON an object), got str'),
        (None, "got null"),
        (["input", "b"], "got list"),
        ({1: "b"}, "items, item 1: the keys of an item are text, got a key of type int"),
    ],
)
def test_an_item_that_is_no_mapping_with_text_keys_is_a_problem_and_the_rest_is_read(item, complaint):
    dataset = ArrayDataset([{"input": "a"}, item, MappingProxyType({"input": "c"})])
    problems: list[Any] = []
    assert [record.index for record in dataset.records(problems.append)] == [0, 2]
    assert [problem.item for problem in problems] == [1]
    assert complaint in str(problems[0])
    with pytest.raises(DatasetError) as caught:
        list(dataset)
    assert caught.value.problems == tuple(problems)


def test_a_dataset_of_ones_own_is_checked_like_every_other():
    problems: list[Any] = []
    assert [record.item for record in Countdown().records(problems.append)] == [{"input": 2}]
    assert [str(problem) for problem in problems] == [
        'countdown, item 1: an item is a mapping such as {"input": "..."} (in JSON an object), got str'
    ]
