"""The page about items names every key and every type."""

from __future__ import annotations

import re
from pathlib import Path

from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.suites import items, studio
from neuron_evals.core.suites.fields import type_spec

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "suite-items.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]


def named(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_every_type__has_a_row_with_its_fields_and_needs():
    rows = {name: row for row in ROWS if len(row) == 4 for name in named(row[0])}
    for name, cls in assertion_types().items():
        spec = type_spec(name, cls)
        _, shown, fields, needs = rows[name]
        assert named(shown) == [cls.__name__]
        assert [key for key in dict.fromkeys(named(fields)) if key in spec.keys] == list(spec.keys), name
        assert needs.rstrip(" |") == ", ".join(spec.needs)


def test_every_key__has_a_row():
    keys = {key for row in ROWS if len(row) == 3 for key in named(row[0])}
    assert keys >= {*items.KEYS, *studio.KEYS} - {"dataset", "items"}
