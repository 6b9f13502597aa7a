"""Cells of CSV files that a spreadsheet would take for a formula."""

from __future__ import annotations

import re

GUARD = "'"
"""Stands before a cell that must stay text; spreadsheets show it as nothing."""

# Spreadsheets pass over white space and quotes, and some take the full-width signs for the others. A guard belongs to
# what is passed over, so that guarding and its opposite undo each other for every text.
_FORMULA = re.compile(r"'*[\t\r\n]|['\"\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; `unguarded` gives the cell back."""
    return GUARD + cell if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """Return a cell without its guard, also one that somebody typed."""
    return cell[1:] if cell.startswith(GUARD) and _FORMULA.match(cell, 1) else cell
