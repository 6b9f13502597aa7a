from __future__ import annotations

import enum
import hashlib
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.datasets import ArrayDataset, CsvDataset, IterableDataset, identified, item_key
from neuron_evals.core.exceptions import DatasetError


def ids(*items):
    return [entry.item_id for entry in identified(ArrayDataset(items))]


def problems_of(*items):
    problems: list[Any] = []
    entries = list(identified(ArrayDataset(items), problems.append))
    return entries, [str(problem) for problem in problems]


class Name(enum.StrEnum):
    FIRST = "first"


@pytest.mark.parametrize(
    ("given_id", "item_id"),
    [
        ("hours", "hours"),
        (7, "7"),
        (0, "0"),
        (-1, "-1"),
        (" hours ", " hours "),
        ("\u4f60 #1", "\u4f60 #1"),
        (Name.FIRST, "first"),
    ],
)
def test_a_given_id_is_kept(given_id, item_id):
    assert ids({"id": given_id, "input": "a"}) == [item_id]
    assert type(ids({"id": given_id})[0]) is str


@pytest.mark.parametrize(
    ("given_id", "complaint"),
    [
        (True, "an id is text or an integer, got bool"),
        (1.0, "an id is text or an integer, got float"),
        (["a"], "an id is text or an integer, got list"),
        (2**63, "an id is text or an integer, got an integer beyond 64 bits"),
        ("", "the id is blank; give a text, or leave the field out"),
        (" \n", "the id is blank; give a text, or leave the field out"),
        ("a\x00", "the id holds NUL or half of a surrogate pair, which databases and files cannot"),
        ("\ud800", "the id holds NUL or half of a surrogate pair, which databases and files cannot"),
    ],
)
def test_an_id_that_is_none_is_a_problem_and_the_rest_is_read(given_id, complaint):
    entries, problems = problems_of({"input": "a"}, {"id": given_id, "input": "b"}, {"input": "c"})
    assert [entry.index for entry in entries] == [0, 2]
    assert problems == [f'items, item 1, field "id": {complaint}']


def test_an_id_given_twice_is_a_problem_that_names_both_items():
    entries, problems = problems_of({"id": "7"}, {"id": "b"}, {"id": 7})
    assert [entry.item_id for entry in entries] == ["7", "b"]
    assert problems == ["items, item 2, field \"id\": the id '7' is that of item 0 too; ids are unique in a dataset"]


def test_an_item_without_id_gets_one_from_its_content():
    content = b'{"input":"a","n":[1,null]}'
    expected = hashlib.sha256(content).hexdigest()[:16]
    assert ids({"n": [1, None], "input": "a"}) == [expected]
    assert ids({"input": "a", "id": None, "n": (1, float("nan"))}) == [expected]


@pytest.mark.parametrize("field", ["_assertions", "expected", "metadata", "reference", "tags"])
def test_what_the_agent_never_sees_does_not_change_a_derived_id(field):
    assert ids({"input": "a", field: "x"}) == ids({"input": "a"})


def test_items_with_the_same_content_are_numbered():
    first, *others = ids(*[{"input": "a"}] * 3, {"input": "b"}, {"input": "a", "reference": "x"})
    assert others[:2] == [f"{first}-2", f"{first}-3"]
    assert others[3] == f"{first}-4"


def test_many_items_with_the_same_content_are_numbered_in_time():
    entries = list(identified(IterableDataset({"input": "a"} for _ in range(20_000))))
    assert entries[-1].item_id == f"{entries[0].item_id}-20000"


def test_a_given_id_that_is_a_derived_one_before_is_a_problem():
    (derived,) = ids({"input": "a"})
    _, problems = problems_of({"input": "a"}, {"id": derived, "input": "b"})
    assert "is that of item 0 too" in problems[0]


def test_a_derived_id_does_not_take_one_that_was_given_before():
    (derived,) = ids({"input": "a"})
    assert ids({"id": derived}, {"id": f"{derived}-2"}, {"input": "a"}, {"input": "a"}) == [
        derived,
        f"{derived}-2",
        f"{derived}-3",
        f"{derived}-4",
    ]


@given(
    st.lists(
        st.fixed_dictionaries({"input": st.sampled_from("abc")}, optional={"id": st.sampled_from(["x-2", "y", "z"])})
    )
)
def test_ids_are_unique_and_no_item_is_lost(items):
    entries, problems = problems_of(*items)
    assert len({entry.item_id for entry in entries}) == len(entries)
    assert len(entries) + len(problems) == len(items)
    assert all(entry.item is items[entry.index] for entry in entries)


def test_a_derived_id_is_the_same_in_every_process_whatever_the_item_holds():
    code = (
        "from neuron_evals.core.datasets import ArrayDataset, identified\n"
        "class Client: pass\n"
        "items = [{'input': {'b', 'a', 'c'}, 'client': Client(), 'call': len}]\n"
        "print([entry.item_id for entry in identified(ArrayDataset(items))])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_rows_without_id_get_distinct_ids(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("id,input\n7,a\n,b\n,c\n,b\n")
    entries = list(identified(CsvDataset(path)))
    assert entries[0].item_id == "7"
    assert len({entry.item_id for entry in entries}) == 4
    assert [entry.line for entry in entries] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (None, ()),
        ("", ()),
        ("smoke", ("smoke",)),
        (" smoke, support,,smoke ", ("smoke", "support")),
        (["smoke", " support "], ("smoke", "support")),
        (("smoke",), ("smoke",)),
        ([], ()),
    ],
)
def test_tags_are_a_list_or_a_text_with_commas(tags, expected):
    (entry,) = identified(ArrayDataset([{"input": "a", "tags": tags}]))
    assert entry.tags == expected


@pytest.mark.parametrize(
    ("tags", "got"),
    [(5, "int"), ({"smoke": True}, "dict"), ({"smoke"}, "set"), (["smoke", 1], "a list with something else in it"),
     (["smoke", " "], "a list with something else in it")],
)  # fmt: skip
def test_tags_of_another_kind_are_a_problem(tags, got):
    entries, problems = problems_of({"input": "a", "tags": tags}, {"input": "b"})
    assert [entry.index for entry in entries] == [1]
    assert problems == [
        'items, item 0, field "tags": tags are a list of texts, none of them blank, '
        f"or one text with commas between them; got {got}"
    ]


def test_problems_of_dataset_and_identity_come_in_order():
    _, problems = problems_of("text", {"id": ""}, {1: "x"}, {"id": 1.5})
    assert [f"items, item {index}" in problem for index, problem in enumerate(problems)] == [True] * 4


def test_the_first_problem_is_raised_when_nobody_collects_them():
    entries = identified(ArrayDataset([{"id": "a"}, {"id": "a"}]))
    assert next(entries).item_id == "a"
    with pytest.raises(DatasetError, match="item 1") as caught:
        next(entries)
    assert len(caught.value.problems) == 1


def test_the_key_of_an_id_is_its_sha256():
    assert item_key("h\u00e9") == hashlib.sha256("h\u00e9".encode()).hexdigest()
    assert item_key("Case") != item_key("case")
