"""Items as rows of a CSV file: a column for each key, text as it is, all else as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from neuron_evals.core.datasets.contract import Record
from neuron_evals.core.exceptions import DatasetProblem
from neuron_evals.core.jsonable.reading import JsonFault, parse_document
from neuron_evals.transfer.documents import ITEM_KEYS
from neuron_evals.transfer.formula_guard import guarded, unguarded

TEXT_COLUMNS = frozenset({"id", "name", "description", "input", "reference", "tool", "context"})
"""Keys whose cells are text as it is."""


def written_rows(items: Iterable[Mapping[str, Any]], *, guard: bool = True) -> str:
    """Return items as CSV text (RFC 4180), with the columns that any of them needs.

    Args:
        items: The items. Keys with `null` or an empty text say nothing, and leave their cells empty.
        guard: Whether cells that a spreadsheet would take for a formula are made text.
    """
    rows = [cells_of(item) for item in items]
    used = {key for row in rows for key in row}
    columns = [key for key in ITEM_KEYS if key in used] + sorted(used.difference(ITEM_KEYS))
    text = io.StringIO()
    writer = csv.writer(text)
    shown = guarded if guard else str
    writer.writerow([shown(column) for column in columns])
    writer.writerows([shown(row.get(column, "")) for column in columns] for row in rows)
    return text.getvalue()


def read_rows(
    rows: Iterable[Record], source: str, problems: list[DatasetProblem], *, guard: bool = True
) -> list[Record]:
    """Return the items that the rows of a CSV file hold.

    Args:
        rows: The cells of each row by their columns.
        source: Name of the file, for problems.
        problems: Takes a problem for each cell that must be JSON and is not.
        guard: Whether guards before cells are taken away.
    """
    items = []
    for row in rows:
        cells = {unguarded(key): unguarded(cell) for key, cell in row.item.items()} if guard else row.item
        item, faults = item_of(cells)
        problems += [
            DatasetProblem(message, source, item=row.index, line=row.line, field=field) for field, message in faults
        ]
        items.append(Record(row.index, item, row.line))
    return items


def cells_of(item: Mapping[str, Any]) -> dict[str, str]:
    """Return the cells of an item, those that are not empty."""
    cells = {key: _cell(key, value) for key, value in item.items() if value is not None}
    return {key: cell for key, cell in cells.items() if cell}


def item_of(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the item that cells make, and what is wrong with them, by column."""
    item: dict[str, Any] = {}
    faults = []
    for key, cell in cells.items():
        if not cell:
            continue
        try:
            item[key] = _value(key, cell)
        except JsonFault as fault:
            faults.append((key, f"{fault.message} (character {fault.position + 1} of the cell); cells here hold JSON"))
    return item, faults


def through_cells(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return items as they come back from a CSV file, to compare with what one holds."""
    return list(_through_cells(items))


def _through_cells(items: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for item in items:
        yield item_of(cells_of(item))[0]


def _cell(key: str, value: Any) -> str:
    if key in TEXT_COLUMNS:
        return value if isinstance(value, str) else _json(value)
    if key == "tags":
        return value if isinstance(value, str) else _tags(value)
    return _json(value)


def _value(key: str, cell: str) -> Any:
    if key in TEXT_COLUMNS:
        return cell
    if key == "tags" and not cell.lstrip().startswith("["):
        return [tag for tag in map(str.strip, cell.split(",")) if tag]
    return parse_document(cell)


def _tags(tags: Sequence[Any]) -> str:
    """Return tags with commas between them, or as JSON where that would not give them back."""
    plain = isinstance(tags, list) and all(
        isinstance(tag, str) and tag and tag == tag.strip() and not {",", "["} & set(tag) for tag in tags
    )
    return ", ".join(tags) if plain else _json(tags)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
