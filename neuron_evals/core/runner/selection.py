"""Which items of a dataset run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.exceptions import ConfigurationError

if TYPE_CHECKING:
    from neuron_evals.core.datasets import Entry
    from neuron_evals.core.evaluators import BaseEvaluator


@dataclass(frozen=True, slots=True)
class Selection:
    """Which items of each evaluator run.

    Attributes:
        tags: Keep an item when one of these is among its tags or its evaluator's; all items when empty.
        exclude_tags: Leave an item out when one of these is among them; wins over `tags`.
        text: Keep an item when this text is in its id, its `name` or its evaluator's full name, in any letter case.
        limit: Keep at most this many items of each evaluator, the first ones.
        start: Of what all this keeps, leave out what is before this position in the dataset, counted from 0.
        stop: Leave out what is at this position or behind it; `None` for the end of the dataset.
        keys: Keep an item when its `item_key` is among these; all items when `None`.
    """

    tags: frozenset[str] = frozenset()
    exclude_tags: frozenset[str] = frozenset()
    text: str = ""
    limit: int | None = None
    start: int = 0
    stop: int | None = None
    keys: frozenset[str] | None = None

    def __post_init__(self) -> None:
        """Refuse a limit below 1, and positions between which there can be no item."""
        if self.limit is not None and self.limit < 1:
            msg = f"limit is a number of items from 1 up, got {self.limit}"
            raise ConfigurationError(msg)
        if self.start < 0 or (self.stop is not None and self.stop <= self.start):
            msg = f"start is a position from 0 up and stop one behind it, got {self.start} and {self.stop}"
            raise ConfigurationError(msg)

    def __str__(self) -> str:
        """Return the selection as the options that ask for it."""
        parts = []
        if self.tags:
            parts.append(f"--tag {','.join(sorted(self.tags))}")
        if self.exclude_tags:
            parts.append(f"--exclude-tag {','.join(sorted(self.exclude_tags))}")
        if self.text:
            parts.append(f"--filter {self.text!r}")
        if self.limit is not None:
            parts.append(f"--limit {self.limit}")
        return " ".join(parts)

    def of(self, entries: Iterable[Entry], evaluator: BaseEvaluator, *, to_the_end: bool = False) -> Iterator[Entry]:
        """Yield the entries that run.

        Args:
            entries: The entries of the evaluator's dataset.
            evaluator: Their evaluator.
            to_the_end: Read on behind the limit, so that problems there are found too.
        """
        kept = 0
        for entry in entries:
            if not to_the_end and self.stop is not None and entry.index >= self.stop:
                return
            if kept != self.limit and self._keeps(entry, evaluator):
                kept += 1
                if self.spans(entry.index):
                    yield entry
                if kept == self.limit and not to_the_end:
                    return

    def spans(self, index: int) -> bool:
        """Return whether a position lies in the part of the dataset that this is about."""
        return self.start <= index and (self.stop is None or index < self.stop)

    def __bool__(self) -> bool:
        """Return whether an item of that part may be left out."""
        return bool(self.tags or self.exclude_tags or self.text) or self.limit is not None or self.keys is not None

    def _keeps(self, entry: Entry, evaluator: BaseEvaluator) -> bool:
        if self.keys is not None and item_key(entry.item_id) not in self.keys:
            return False
        if not (self.tags or self.exclude_tags or self.text):
            return True
        tags = tags_of(entry, evaluator)
        if self.exclude_tags.intersection(tags) or (self.tags and not self.tags.intersection(tags)):
            return False
        if not self.text:
            return True
        wanted = self.text.casefold()
        names = (entry.item_id, str(entry.item.get("name", "")), evaluator.evaluator_name)
        return any(wanted in name.casefold() for name in names)


def tags_of(entry: Entry, evaluator: BaseEvaluator) -> tuple[str, ...]:
    """Return the evaluator's tags, then the item's own, each once."""
    return tuple(dict.fromkeys((*evaluator.tags, *entry.tags)))
