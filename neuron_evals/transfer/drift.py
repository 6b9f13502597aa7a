"""What differs between a suite file and the stored suite."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.suites.yaml_text import write_yaml
from neuron_evals.models.agents import UNSTORED, named_agent
from neuron_evals.transfer.csv_items import through_cells
from neuron_evals.transfer.documents import as_rows_keep, document_of

if TYPE_CHECKING:
    from neuron_evals.models import AgentDefinition, EvalSuite

SHOWN_LINES = 40
"""How many lines of a difference are shown."""

_CONTEXT = 1


def difference(
    document: Mapping[str, Any], suite: EvalSuite, source: str, *, items_alone: bool, cells: bool
) -> list[str]:
    """Return what differs between a file and a stored suite, as lines of a unified diff; empty when nothing does.

    Args:
        document: What the file says, with what was said beside it.
        suite: The stored suite.
        source: Name of the file.
        items_alone: Whether the file holds items only, so that nothing else is compared but what was said beside it.
        cells: Whether its items are rows of cells, which do not keep everything of an item.

    Raises:
        SuiteError: The file holds values that no row keeps.
    """
    stored, document = document_of(suite), as_rows_keep(document)
    stated = {**({} if items_alone else {key: stored[key] for key in ("name", "slug", "agent")}), **document}
    for role, chosen in (("agent", suite.agent), ("judge", suite.judge)):
        if role in stated and _means(stated[role], chosen):
            stated[role] = stored[role]
    if items_alone:
        stored = {key: stored.get(key) for key in stated}
    if cells and isinstance(stored["dataset"], list):
        stored, stated = _through_cells(stored), _through_cells(stated)
    if canonical_json(stored) == canonical_json(stated):
        return []
    lines = list(
        difflib.unified_diff(_lines(stated), _lines(stored), source, f"suite {suite.slug}", lineterm="", n=_CONTEXT)
    )
    more = len(lines) - SHOWN_LINES
    return [*lines[:SHOWN_LINES], f"... and {more} more lines"] if more > 0 else lines


def _means(name: str, chosen: AgentDefinition | None) -> bool:
    found = named_agent(name)
    if found is None or chosen is None:
        return False
    return found.code == chosen.code if found.pk == UNSTORED else found.pk == chosen.pk


def _through_cells(document: Mapping[str, Any]) -> dict[str, Any]:
    return {**document, "dataset": through_cells(document["dataset"])}


def _lines(document: Mapping[str, Any]) -> list[str]:
    return write_yaml({key: document[key] for key in sorted(document)}).splitlines()
