"""The published files, with the types of assertions that come with the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from neuron_evals.core.jsonable import dump_json
from neuron_evals.core.suites.schema import cases, items

_HERE = Path(__file__).parent
_SCHEMAS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    f"items-{items.VERSION}.json": items.suite_schema,
    f"cases-{cases.VERSION}.json": cases.cases_schema,
}


def published() -> dict[Path, str]:
    """Return the published files, with what must stand in each."""
    return {_HERE / name: dump_json(schema(), indent=2) + "\n" for name, schema in _SCHEMAS.items()}
