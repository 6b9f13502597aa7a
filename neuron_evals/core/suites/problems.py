"""What is wrong with a suite: every problem with its item and its field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.jsonable import clean_text
from neuron_evals.core.printable import printable

DATASET = "dataset"
"""Field of a problem that belongs to the items as a whole."""

ITEM = "(item)"
"""Field of a problem that belongs to one item as a whole."""

SHOWN_PROBLEMS = 50
"""How many problems the text of a `SuiteError` lists."""

_ID_LENGTH = 80
_FIELD_LENGTH = 200


class Problem(NamedTuple):
    """One thing that is wrong with a suite.

    Attributes:
        item_index: Position of the item, counted from 0; `None` when the problem belongs to no item.
        field: Where in the item, such as `_assertions[1].type`; `(item)` for the item as a whole, `dataset` for the
            items as a whole, and the key for a field of the suite itself.
        message: What is wrong, and what would be valid.
    """

    item_index: int | None
    field: str
    message: str

    def written(self, item_id: str | None = None) -> str:
        """Return the problem as one line: where, then what; what could drive a terminal is escaped.

        Args:
            item_id: The id that the item was given, if it has one.
        """
        field = clean_text(self.field, _FIELD_LENGTH)
        known = f' (id "{clean_text(item_id, _ID_LENGTH)}")' if item_id else ""
        where = f"item {self.item_index}{known}"
        if self.item_index is None:
            where = field
        elif self.field != ITEM:
            where = f"{where}, {field}"
        return printable(f"{where}: {self.message}")


class SuiteError(EvaluationError, ValueError):
    """A suite that cannot be run.

    Attributes:
        problems: Every problem that was found, in the order of the items.
        ids: The ids that items were given, by position, for messages.
        places: For each problem, where its value stands, such as `smoke.yaml, line 7, column 5`; empty for data.
    """

    def __init__(
        self, problems: Iterable[Problem], ids: Mapping[int, str] | None = None, places: Iterable[str] = ()
    ) -> None:
        self.problems = tuple(problems)
        self.ids = dict(ids or {})
        self.places = tuple(places)
        super().__init__(_listed(self.problems, self.ids, self.places))

    def __reduce__(self) -> tuple[type[SuiteError], tuple[tuple[Problem, ...], dict[int, str], tuple[str, ...]]]:
        """Rebuild from the problems: the default would pass the message instead."""
        return type(self), (self.problems, self.ids, self.places)


def given_ids(items: Any) -> dict[int, str]:
    """Return the ids that items were given, by position; whatever is no item or no id is passed over."""
    if not isinstance(items, list | tuple):
        return {}
    given = {index: item.get("id") for index, item in enumerate(items) if isinstance(item, Mapping)}
    return {index: str(value) for index, value in given.items() if type(value) in (str, int) and value != ""}


def _listed(problems: tuple[Problem, ...], ids: Mapping[int, str], places: tuple[str, ...]) -> str:
    lines = [
        problem.written(None if problem.item_index is None else ids.get(problem.item_index))
        for problem in problems[:SHOWN_PROBLEMS]
    ]
    if places:
        lines = [f"{printable(place)}: {line}" for place, line in zip(places, lines, strict=False)]
    if len(problems) > SHOWN_PROBLEMS:
        lines.append(f"and {len(problems) - SHOWN_PROBLEMS} more")
    if len(problems) == 1:
        return lines[0]
    counted = " (items are counted from 0)" if any(problem.item_index is not None for problem in problems) else ""
    return "\n".join([f"{len(problems)} problems{counted}:", *(f"- {line}" for line in lines)])
