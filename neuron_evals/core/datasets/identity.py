"""The identity of items across runs: the id that an item was given, or one derived from its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.datasets.contract import Dataset, OnProblem, refuse
from neuron_evals.core.datasets.positions import Positions
from neuron_evals.core.exceptions import DatasetProblem
from neuron_evals.core.jsonable import canonical_json, clean_text
from neuron_evals.core.jsonable.exact_types import INTEGERS
from neuron_evals.core.jsonable.text import is_clean

UNSEEN = frozenset({"_assertions", "expected", "id", "metadata", "reference", "tags"})
"""Fields that say how an item is judged or filed, not what the agent is given; a derived id does not depend on them."""

_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """One item with its identity.

    Attributes:
        index: Position in the dataset, counted from 0.
        item_id: Identity across runs, unique in the dataset.
        item: The item as the dataset gave it.
        tags: The item's own tags.
        line: Line of the file on which the item begins; `None` when there is no file.
    """

    index: int
    item_id: str
    item: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    line: int | None = None


def identified(dataset: Dataset, on_problem: OnProblem = refuse) -> Iterator[Entry]:
    """Yield the items of a dataset with their identity and tags, in order.

    A given `id` is text, or an integer that becomes its text. An item without one gets 16 hex digits of the sha256 of
    what the agent is given (the item without `_assertions`, `expected`, `metadata`, `reference`, `tags`), the same in
    every process; the second item with the same content has `-2` appended, the third `-3`.

    Args:
        dataset: The dataset.
        on_problem: Is told every problem, those of the dataset included; by default the first one is raised.

    Raises:
        DatasetError: The first problem, when `on_problem` was not given.
    """
    seen = SeenIds()
    for record in dataset.records(on_problem):
        try:
            given = _given_id(record.item.get("id"))
            tags = record.item.get("tags")
            entry = Entry(
                record.index,
                seen.derive(_digest(record.item), record.index) if given is None else seen.take(given, record.index),
                record.item,
                () if tags is None else _tags(tags),
                record.line,
            )
        except _WrongField as wrong:
            where = {"item": record.index, "line": record.line}
            on_problem(DatasetProblem(wrong.message, dataset.source, field=wrong.field, **where))
        else:
            yield entry


def item_key(item_id: str) -> str:
    """Return the sha256 of an item's id as 64 hex digits: the same length for every id, and safe in any index."""
    return hashlib.sha256(clean_text(item_id).encode()).hexdigest()


class SeenIds:
    """The ids of a dataset so far, taken in the order of its items."""

    __slots__ = ("_positions", "_repeats")

    def __init__(self) -> None:
        self._positions = Positions()
        self._repeats: dict[str, int] = {}

    def take(self, item_id: str, index: int) -> str:
        """Note a given id, and return it.

        Raises:
            _WrongField: An item before has the same id.
        """
        before = self._positions.note(item_id, index)
        if before is not None:
            msg = f"the id {clean_text(item_id, 80)!r} is that of item {before} too; ids are unique in a dataset"
            raise _WrongField(msg, "id")
        return item_id

    def derive(self, digest: str, index: int) -> str:
        """Note the id of an item with this content, and return it: the digest, with a number when it is taken."""
        item_id = digest
        while self._positions.note(item_id, index) is not None:
            self._repeats[digest] = self._repeats.get(digest, 1) + 1
            item_id = f"{digest}-{self._repeats[digest]}"
        return item_id


class _WrongField(Exception):  # noqa: N818  (reported as a problem of the dataset)
    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def _given_id(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value in INTEGERS:
        return str(int(value))
    if not isinstance(value, str):
        what = "an integer beyond 64 bits" if isinstance(value, int) and value not in INTEGERS else type(value).__name__
        msg = f"an id is text or an integer, got {what}"
        raise _WrongField(msg, "id")
    if not value.strip():
        msg = "the id is blank; give a text, or leave the field out"
        raise _WrongField(msg, "id")
    if not is_clean(value):
        msg = "the id holds NUL or half of a surrogate pair, which databases and files cannot"
        raise _WrongField(msg, "id")
    return str.__str__(value)


def _digest(item: Mapping[str, Any]) -> str:
    content = {key: value for key, value in item.items() if key not in UNSEEN}
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:_DIGITS]


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        names = [name for name in map(str.strip, value.split(",")) if name]
    elif isinstance(value, list | tuple) and all(isinstance(name, str) and name.strip() for name in value):
        names = [name.strip() for name in value]
    else:
        got = "a list with something else in it" if isinstance(value, list | tuple) else type(value).__name__
        msg = f"tags are a list of texts, none of them blank, or one text with commas between them; got {got}"
        raise _WrongField(msg, "tags")
    return tuple(dict.fromkeys(map(clean_text, names)))
