"""Suites go out to files and come back the same, on each kind of database."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from neuron_evals.core.suites.yaml_text import read_yaml
from neuron_evals.models import AgentDefinition, EvalSuite
from tests.models.conftest import _database, committing  # noqa: F401  (fixtures)

ITEMS: list[dict[str, Any]] = [
    {"input": "w?", "_assertions": [{"type": "tool_was_called", "name": "weather", "arguments": {"city": "Oslo"}}]},
    {"input": "x", "reference": "y", "metadata": {"passages": ["a | b", "c;d", "| t |\n| - |"]}},
    {"input": "None", "reference": "None", "description": None, "metadata": {"none": None}},
]
FORMATS = ("csv", "jsonl", "json", "yaml")


@pytest.fixture
def suite(committing, tmp_path, monkeypatch):  # noqa: F811  (a fixture)
    monkeypatch.chdir(tmp_path)
    settings = {"AGENTS": {"echo": "tests.testapp.agents.echo"}}
    with override_settings(NEURON_EVALS=settings, DATABASE_ROUTERS=["tests.runs.routing.ToRows"]):
        agent = AgentDefinition.objects.create(name="Echo", code="echo")
        row = EvalSuite(name="Hours", agent=agent, dataset=ITEMS)
        row.full_clean()
        row.save()
        yield row


def exported(file: str) -> bytes:
    call_command("eval_export", "hours", file, stdout=StringIO())
    return Path(file).read_bytes()


@pytest.mark.parametrize("file_format", FORMATS)
def test_items__come_back_from_a_file_and_go_out_again_as_they_were(suite, file_format):
    first = exported(f"first.{file_format}")
    EvalSuite.objects.update(dataset=[], content_hash="", item_count=0)

    call_command("eval_import", f"first.{file_format}", "--suite", "hours", stdout=StringIO())

    assert said(EvalSuite.objects.get().dataset) == said(ITEMS)
    assert exported(f"second.{file_format}") == first


def said(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items without what says nothing: a cell that is empty, and one that was not there."""
    return [{key: value for key, value in item.items() if value is not None} for item in items]


def test_nothing_in_a_cell__is_empty_and_the_word_none_stays_text(suite):
    text = exported("hours.csv").decode()
    assert "None,None" in text.splitlines()[-1]
    assert json.loads(json.dumps(EvalSuite.objects.get().dataset))[2]["reference"] == "None"


def test_path_and_accents_in_metadata__are_readable_text_in_yaml(suite):
    suite.metadata = {"file": Path("data/x.txt"), "note": "na\u00efve"}
    suite.save()
    text = exported("hours.yaml").decode()
    assert read_yaml(text, "hours.yaml").value["metadata"] == {"file": "data/x.txt", "note": "na\u00efve"}
    assert "na\u00efve" in text
