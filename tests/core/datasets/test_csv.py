from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.datasets import CsvDataset
from neuron_evals.core.exceptions import InvalidArgument


def read(path, text, **options):
    """Return the items of a file and its problems as text."""
    path.write_bytes(text.encode())
    problems: list[Any] = []
    items = [record.item for record in CsvDataset(path, **options).records(problems.append)]
    return items, [str(problem) for problem in problems]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "d.csv"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("input\nhi\n", [{"input": "hi"}]),
        ("\ufeffinput,expected\nhi,hello\n", [{"input": "hi", "expected": "hello"}]),
        ("input,n\n 5 ,007\nNone,\n", [{"input": " 5 ", "n": "007"}, {"input": "None", "n": ""}]),
        (" input , expected \nhi,hello", [{"input": "hi", "expected": "hello"}]),
        ('"in,put"\n"a ""b"", c"\n', [{"in,put": 'a "b", c'}]),
        ('input,b\n"line 1\r\nline 2\n\nline 4",x\r\n', [{"input": "line 1\r\nline 2\n\nline 4", "b": "x"}]),
        ('input,b\nsay "hi" now,"",\n'[:-2], [{"input": 'say "hi" now', "b": ""}]),
        ('input\n"{""a"": 1}"\n', [{"input": '{"a": 1}'}]),
        ("input,b\n,\n \t, \nx,y\n\n", [{"input": "x", "b": "y"}]),
        ("\n  \ninput\nhi", [{"input": "hi"}]),
        ("input\n=1+1\n\u4f60\u597d\n", [{"input": "=1+1"}, {"input": "\u4f60\u597d"}]),
        ("input,b\n", []),
    ],
)
def test_rows_become_items_with_text(text, items, path):
    assert read(path, text) == (items, [])


def test_another_delimiter_is_taken(path):
    assert read(path, "a;b\n1,5;2\n", delimiter=";") == ([{"a": "1,5", "b": "2"}], [])
    assert read(path, 'a\tb\n"x\ty"\t2\n', delimiter="\t") == ([{"a": "x\ty", "b": "2"}], [])


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r"])
def test_a_delimiter_that_cannot_part_cells_is_refused(delimiter, path):
    path.write_text("a\n")
    with pytest.raises(InvalidArgument, match="delimiter must be one character"):
        CsvDataset(path, delimiter=delimiter)


HINT = "; put a cell that holds commas or quotes in double quotes, and double the quotes in it"


@pytest.mark.parametrize(
    ("row", "line", "column", "message"),
    [
        ("x,y,z", 2, 5, "the row has 3 cells, the header 2"),
        ("x", 2, 2, "the row has 1 cells, the header 2"),
        ('x,{"answer": "y", "n": 2}', 2, 18, "the row has 3 cells, the header 2" + HINT),
        ("x,{answer: y, n: 2}", 2, 14, "the row has 3 cells, the header 2" + HINT),
        ('"x",y,', 2, 7, "the row has 3 cells, the header 2" + HINT),
        ('"a\nb",y,z', 3, 6, "the row has 3 cells, the header 2" + HINT),
        ('"a\nb"', 3, 3, "the row has 1 cells, the header 2" + HINT),
        ('x,"a"b', 2, 6, "text follows the closing quote of a cell; double the quotes inside a quoted cell"),
        ('x,"{"a": 1}"', 2, 6, "text follows the closing quote of a cell; double the quotes inside a quoted cell"),
        ("x,a\x00b", 2, 4, "a cell holds NUL, which databases cannot"),
    ],
)
def test_a_row_that_does_not_fit_is_a_problem_with_its_place_and_the_rest_is_read(row, line, column, message, path):
    items, problems = read(path, f"input,expected\n{row}\nb,c\n")
    assert items == [{"input": "b", "expected": "c"}]
    item = "" if "NUL" in message else ", item 0"
    assert problems == [f"d.csv, line {line}, column {column}{item}: {message}"]


def test_a_quote_that_is_never_closed_is_a_problem_where_it_opens(path):
    items, problems = read(path, 'input,b\na,1\nb,"2\nc,3\n' + "d,4\n" * 100)
    assert items == [{"input": "a", "b": "1"}]
    assert problems == ["d.csv, line 3, column 3, item 1: the quote that opens this cell is never closed"]


def test_a_line_that_is_no_utf8_inside_a_quoted_cell_does_not_shift_the_rows(path):
    path.write_bytes(b'input\n"a\n\xff\nb"\nc\n')
    problems: list[Any] = []
    records = list(CsvDataset(path).records(problems.append))
    assert [(record.index, record.item, record.line) for record in records] == [(1, {"input": "c"}, 5)]
    assert [problem.line for problem in problems] == [3]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1, column 1: the file is empty; its first row must name the columns"),
        ("\n \n", "line 1, column 1: the file is empty; its first row must name the columns"),
        ("input,,b\n1,2,3\n", "line 1, column 7: a column has no name; the first row names every column"),
        ("\ninput,b, input\n1,2,3\n", "line 2, column 9: two columns have the name 'input'"),
        ('"input\nhi\n', "line 1, column 1: the quote that opens this cell is never closed"),
        ("in\x00put\nhi\n", "line 1, column 3: a cell holds NUL, which databases cannot"),
    ],
)
def test_a_header_that_does_not_name_the_columns_is_a_problem(text, problem, path):
    assert read(path, text) == ([], [f"d.csv, {problem}"])


def test_a_blank_id_is_left_out(path):
    items, problems = read(path, "id,input\n7,a\n,b\n ,c\n")
    assert items == [{"id": "7", "input": "a"}, {"input": "b"}, {"input": "c"}]
    assert problems == []


def test_a_cell_of_any_size_is_read_without_changing_the_limit_of_the_process(path):
    limit = csv.field_size_limit()
    big = "x" * (limit + 1)
    assert read(path, f'a,b\n{big},"{big}"\n') == ([{"a": big, "b": big}], [])
    assert csv.field_size_limit() == limit


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8) | st.text('",\n\r {', max_size=5)


@given(
    st.lists(st.lists(cells, min_size=2, max_size=2), max_size=5), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
)
def test_what_the_standard_library_writes_is_read_again(tmp_path_factory, rows, quoting):
    path = tmp_path_factory.mktemp("data") / "d.csv"
    written = io.StringIO()
    csv.writer(written, quoting=quoting).writerows([["a", "b"], *rows])
    expected = [{"a": a, "b": b} for a, b in rows if a.strip() or b.strip()]
    assert read(path, written.getvalue()) == (expected, [])
