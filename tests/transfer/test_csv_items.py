"""Items as CSV: what comes back is what went out, and no cell is a formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.datasets.contract import Record
from neuron_evals.transfer.csv_items import read_rows, through_cells, written_rows
from neuron_evals.transfer.formats import read_file
from neuron_evals.transfer.formula_guard import guarded, unguarded

if TYPE_CHECKING:
    from neuron_evals.core.exceptions import DatasetProblem

ITEMS: list[dict[str, Any]] = [
    {
        "id": "hours",
        "input": 'What are "your" hours,\nplease?\r\nNow',
        "reference": "9",
        "tags": ["smoke", "hours"],
        "timeout": 2.5,
        "repeats": 3,
        "_assertions": [{"type": "contains_any", "values": ["monday", "\u00e9\U0001f600"]}],
        "metadata": {"ticket": 12},
    },
    {"turns": ["I want a refund", "Yes"], "approvals": {"refund": ["reject", "too much"]}, "tool": "refund"},
    {"input": "  spaces around  ", "reference": "=1+1", "tags": ["a,b", " c"], "context": "@x"},
]
FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "\nx",
    " =1",
    '"=1',
    "'=1",
    "\u3000\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff20x",
    "''@",
    "'\t",
]
ORDINARY = ["", "9", "1-1", "a=b", "it's", "'quoted'", "[1]", "{}", "\u00e9", "  x", "'x"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_formula__guarded_and_given_back(cell):
    assert guarded(cell) == f"'{cell}"
    assert unguarded(guarded(cell)) == cell


@pytest.mark.parametrize("cell", ORDINARY)
def test_ordinary_cell__left_alone_both_ways(cell):
    assert guarded(cell) == unguarded(cell) == cell


def test_guard_that_somebody_typed__taken_away():
    assert unguarded("'=1+1") == "=1+1"


@given(st.text(alphabet="'\"=+-@ \t\r\n\uff1dax", max_size=8) | st.text(max_size=8))
def test_any_text__comes_back_and_no_guarded_one_begins_a_formula(text):
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in set("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def test_text_of_a_million_spaces__looked_at_once():
    assert guarded(" " * 1_000_000) == " " * 1_000_000


@pytest.mark.parametrize("guard", [True, False])
def test_items__come_back_from_the_file(tmp_path, guard):
    path = tmp_path / "items.csv"
    path.write_bytes(written_rows(ITEMS, guard=guard).encode())
    assert read_file(path, "csv", guard=guard) == ITEMS == through_cells(ITEMS)


def test_raw_items__hold_formulas_as_they_are_and_others_do_not():
    raw, safe = (list(csv.DictReader(io.StringIO(written_rows(ITEMS, guard=guard)))) for guard in (False, True))
    assert raw[2]["reference"] == "=1+1"
    assert safe[2]["reference"] == "'=1+1"
    assert safe[2]["context"] == "'@x"


def test_columns__those_that_are_used_in_one_order():
    text = written_rows([{"tool": "t", "input": "a"}, {"id": "x", "input": "b", "name": None, "description": ""}])
    assert text == "id,input,tool\r\n,a,t\r\nx,b,\r\n"


def items_of(*rows: dict[str, str]) -> list[Any]:
    problems: list[DatasetProblem] = []
    records = read_rows([Record(index, row) for index, row in enumerate(rows)], "x.csv", problems)
    assert not problems
    return [record.item for record in records]


def test_column_that_is_none_of_the_format__kept_and_guarded():
    text = written_rows([{"input": "a", "=cmd": 1}])
    assert text.startswith("input,'=cmd\r\n")
    assert items_of({"input": "a", "'=cmd": "1"}) == [{"input": "a", "=cmd": 1}]


def test_cells_that_are_no_json__all_told_with_line_and_column():
    rows = [({"input": "a", "_assertions": "contains 9"}, 2), ({"input": "b", "metadata": '{"a": NaN}'}, 3)]
    problems: list[DatasetProblem] = []
    read_rows([Record(index, *row) for index, row in enumerate(rows)], "items.csv", problems)
    assert [(problem.line, problem.item, problem.field) for problem in problems] == [
        (2, 0, "_assertions"),
        (3, 1, "metadata"),
    ]
    assert all("cells here hold JSON" in str(problem) for problem in problems)


@pytest.mark.parametrize(
    ("cell", "tags"),
    [("smoke", ["smoke"]), ("a, b ,c,", ["a", "b", "c"]), ('["a,b"]', ["a,b"]), ("[]", []), (" x ", ["x"])],
)
def test_tags__with_commas_or_as_json(cell, tags):
    assert items_of({"tags": cell}) == [{"tags": tags}]
