"""How many queries the commands on suites, judges and the cache ask, whatever there is."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from neuron_evals.caches import DatabaseCache
from neuron_evals.models import EvalSuite
from tests.runs.samples import items, make_suite

pytestmark = pytest.mark.django_db

PROVIDERS = {"shop": {"BACKEND": "tests.testapp.agents.CannedProvider", "OPTIONS": {"model": "m"}}}


@pytest.fixture(autouse=True)
def _project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = {"AGENTS": {"noting": "tests.runs.samples.Agent"}, "PROVIDERS": PROVIDERS}
    with override_settings(NEURON_EVALS={**settings, "CACHE": {"BACKEND": "database"}}):
        yield


def queries(*args: str) -> int:
    """How many queries a command asks, but those that open and close transactions."""
    with CaptureQueriesContext(connection) as captured:
        call_command(*args, stdout=io.StringIO(), stderr=io.StringIO())
    asked = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
    return len(asked)


def written(tmp_path, count, slug="smoke-tests"):
    path = tmp_path / f"{slug}.json"
    path.write_text(json.dumps({"slug": slug, "agent": "noting", "dataset": items(count)}))
    return path.name


@pytest.mark.parametrize("count", [2, 200])
def test_export__as_many_queries_for_any_number_of_items(count):
    make_suite("default", items(count))
    assert queries("eval_export", "smoke-tests") == 1
    assert queries("eval_export", "smoke-tests", "out.yaml") == 1
    assert queries("eval_export", "--check", "smoke-tests", "out.yaml") == 1


@pytest.mark.parametrize("count", [2, 200])
def test_import__as_many_queries_for_any_number_of_items(tmp_path, count):
    make_suite("default", items(1))
    file = written(tmp_path, count)
    assert [queries("eval_import", file), queries("eval_import", file)] == [5, 4]
    assert queries("eval_import", "--check", file) == 1


def test_import_of_new_suites__as_many_queries_for_each(tmp_path):
    make_suite("default", items(1))
    files = [written(tmp_path, 2, f"suite-{number}") for number in range(4)]
    assert (queries("eval_import", files[0]), queries("eval_import", *files[1:])) == (5, 3 * 5)
    assert EvalSuite.objects.count() == 5


def test_judges__two_queries_for_each_new_one():
    assert [queries("eval_import", "--judge-templates") for _ in range(2)] == [1 + 2 * 6, 1]


CACHED = {
    ("stats",): 1,
    ("prune", "--older-than", "1d"): 1,
    ("prune", "--max-size", "2B"): 2,
    ("clear", "--yes"): 3,
}


@pytest.mark.parametrize("count", [2, 60])
def test_cache__as_many_queries_for_any_number_of_entries(count):
    cache = DatabaseCache()
    for number in range(count):
        cache.set(f"{number:064}", "{}")
    assert {args: queries("eval_cache", *args) for args in CACHED} == CACHED
