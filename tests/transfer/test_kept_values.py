"""What a suite says is the same in a file and in a row, on each kind of database, or it is refused."""

from __future__ import annotations

import json
import math
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from neuron_evals import SuiteError, load_suite
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.datasets import dataset_hash
from neuron_evals.suites import suite_spec
from tests.models.conftest import _database, committing  # noqa: F401  (fixtures)
from tests.transfer.test_databases import suite  # noqa: F401  (a fixture)

LARGE = 12345678901234567890123
NUMBERS = [1e15, 1e16, -1e17, 2.0**63, 1e22, -0.0, 0.0, 1e-7, 5e-324, 2**63 - 1, -(2**63)]


def wanting(number: Any) -> dict[str, Any]:
    return {"id": "n", "input": "n?", "_assertions": [{"type": "json_equals", "expected": number}]}


def written(said: Any) -> str:
    Path("suite.json").write_text(json.dumps(said))
    return "suite.json"


def run(command: str, *args: str) -> str:
    out = StringIO()
    call_command(command, *args, stdout=out, stderr=StringIO())
    return out.getvalue()


def refused(command: str, *args: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(command, *args)
    return str(caught.value)


@pytest.mark.parametrize("number", [LARGE, -LARGE, 2**63, {"deep": [1, LARGE]}])
def test_whole_number_beyond_64_bits__is_refused_by_every_door(suite, number):  # noqa: F811  (a fixture)
    file = written({"name": "Hours", "agent": "echo", "dataset": [wanting(number)]})
    said = 'item 0 (id "n"), _assertions[0].expected'
    assert said in refused("eval_import", file)
    assert said in refused("eval_import", file, "--check")
    with pytest.raises(SuiteError, match="beyond 64 bits"):
        load_suite(file)

    suite.dataset = [wanting(number)]
    with pytest.raises(ValidationError, match="beyond 64 bits"):
        suite.full_clean()


@pytest.mark.parametrize("value", [LARGE, math.nan, "a\x00"])
def test_metadata_that_no_row_keeps__is_refused_by_every_door(suite, value):  # noqa: F811  (a fixture)
    if value is LARGE:
        file = written({"slug": "hours", "name": "Hours", "metadata": {"a": [value]}, "dataset": [wanting(1)]})
        assert "metadata: a[0]: is a whole number beyond 64 bits" in refused("eval_import", file)
        assert "metadata.a[0]: is a whole number beyond 64 bits" in refused("eval_import", file, "--check")
        with pytest.raises(SuiteError, match=r"metadata\.a\[0\]: is a whole number"):
            load_suite(file)
    for row in (suite, suite.agent):
        row.metadata = {"a": [value]}
        with pytest.raises(ValidationError) as caught:
            row.full_clean()
        assert caught.value.message_dict["metadata"][0].startswith("a[0]: ")


def test_numbers__are_the_same_in_a_file_and_in_a_row(suite):  # noqa: F811  (a fixture)
    metadata = {"n": NUMBERS}
    said = {"slug": "hours", "name": "Hours", "agent": "echo", "metadata": metadata, "dataset": [wanting(NUMBERS)]}
    file = written(said)
    assert run("eval_import", file).startswith("updated")

    row = EvalSuite.objects.get()
    assert run("eval_import", file, "--check") == "The stored suites are as the files say.\n"
    assert run("eval_import", file).startswith("unchanged")
    assert row.content_hash == dataset_hash(row.dataset) == dataset_hash(said["dataset"])
    (item,) = load_suite(file).items
    assert repr(item.item["_assertions"]) == repr(row.dataset[0]["_assertions"])
    assert repr(load_suite(file).metadata) == repr(row.metadata)


@pytest.mark.parametrize("file_format", ["json", "yaml"])
def test_export__has_keys_in_one_order_from_every_database(suite, file_format):  # noqa: F811  (a fixture)
    suite.metadata = {"longest": {"zz": 1, "a": 2}, "b": [{"yyy": 1, "x": 2}], "aa": -0.0}
    suite.save()
    run("eval_export", "hours", f"hours.{file_format}")
    text = Path(f"hours.{file_format}").read_text()
    places = [text.index(name) for name in ("metadata", "aa", "b", "x", "yyy", "longest", "zz")]
    assert places == sorted(places)
    assert text.index("yyy") < text.index("longest") < text.rindex("zz")


@pytest.mark.parametrize("name", ["\x1b[31m\u202e bad\nname", "a\u200bb", "a" * 201, "  "])
def test_name_that_is_none__is_refused_by_every_door(suite, name):  # noqa: F811  (a fixture)
    file = written({"slug": "new", "name": name, "agent": "echo", "dataset": [wanting(1)]})
    assert "name: " in refused("eval_import", file)
    with pytest.raises(SuiteError, match="name: must"):
        load_suite(file)
    for row in (EvalSuite(name=name, agent=suite.agent, dataset=[wanting(1)]), AgentDefinition(name=name, code="echo")):
        for door in (row.full_clean, row.save):
            with pytest.raises(ValidationError) as caught:
                door()
            assert set(caught.value.message_dict) == {"name"}
    suite.name = name
    with pytest.raises(ValidationError):
        suite.save()
    assert EvalSuite.objects.get().name == "Hours"


def test_row_with_an_older_name__can_be_stored_and_run(suite):  # noqa: F811  (a fixture)
    EvalSuite.objects.update(name="a\nb\x1b")
    row = EvalSuite.objects.get()
    row.is_active = False
    row.save()
    assert (str(row), suite_spec(row).name) == ("a\\nb\\x1b", "hours")
