"""Lists ask a constant number of queries, and leave the large columns in the database."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from neuron_evals.models import (
    AgentDefinition,
    CachedOutput,
    EvalReview,
    EvalRun,
    EvalRunItem,
    EvalRunShard,
    EvalSuite,
)
from tests.models.rows import item, make_agent, make_run, make_suite, store

pytestmark = pytest.mark.django_db

# Of each list: its queries behind session and person, and the columns that it does not read.
LISTS = {
    AgentDefinition: (3, ["instructions"]),
    CachedOutput: (2, ["payload"]),
    EvalReview: (2, ["output", "trajectory"]),
    EvalRun: (3, ["agent_snapshot", "metrics", "options", "instructions", "dataset"]),
    EvalRunItem: (2, ["input", "output", "trajectory", "checks", "details", "agent_snapshot"]),
    EvalRunShard: (2, ["agent_snapshot"]),
    EvalSuite: (2, ["dataset", "instructions"]),
}


def _add_rows(start: int) -> None:
    for number in range(start, start + 3):
        agent = make_agent("default", name=f"agent {number}")
        suite = make_suite("default", name=f"suite {number}", agent=agent)
        run = make_run("default", suite=suite, agent=agent, judge=agent, metrics={"cost": 1})
        store(run, item(run, output="said"))
        EvalReview.objects.create(item=run.items.get(), verdict="agree")
        CachedOutput.objects.create(key=f"{number:064}", payload="{}", size=2)


def _queries(root, model) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        response = root.get(reverse(f"admin:neuron_evals_{model._meta.model_name}_changelist"))
    assert response.status_code == 200
    assert len(response.context["cl"].result_list) == model.objects.count()
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.parametrize("model", LISTS)
def test_list__asks_as_many_queries_for_any_number_of_rows_and_no_large_column(model, root):
    _add_rows(0)
    few = _queries(root, model)
    _add_rows(3)
    many = _queries(root, model)
    expected, large = LISTS[model]
    assert (len(few), len(many)) == (2 + expected, 2 + expected), many
    quote = connection.ops.quote_name
    for column in large:
        assert not [sql for sql in many if f".{quote(column)}" in sql], column
