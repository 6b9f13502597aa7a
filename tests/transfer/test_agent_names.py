"""A name means the same agent by every door, on each kind of database."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import override_settings

from neuron_evals.container import get_agent
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.agents import UNSTORED, named_agent
from neuron_evals.runs import create_run
from tests.models.conftest import _database, committing  # noqa: F401  (fixtures)

PROVIDERS: dict[str, Any] = {"shop": {"BACKEND": "tests.testapp.agents.CannedProvider"}}
ITEMS = [{"id": "a", "input": "x", "reference": "x"}]


@pytest.fixture
def shadowed(committing, tmp_path, monkeypatch):  # noqa: F811  (a fixture)
    """A row of a provider whose slug became a name in `AGENTS` later."""
    monkeypatch.chdir(tmp_path)
    settings = {"PROVIDERS": PROVIDERS, "AGENTS": {"echo": "tests.testapp.agents.echo"}}
    with override_settings(NEURON_EVALS=settings, DATABASE_ROUTERS=["tests.runs.routing.ToRows"]):
        yield AgentDefinition.objects.create(name="echo", slug="echo", provider="shop", model="m1")


def imported(said: dict[str, Any]) -> EvalSuite:
    Path("suite.json").write_text(json.dumps({"slug": "hours", "name": "Hours", "dataset": ITEMS, **said}))
    call_command("eval_import", "suite.json", stdout=StringIO())
    return EvalSuite.objects.select_related("agent", "judge").get()


def test_name_in_agents__goes_before_the_slug_of_a_row_by_every_door(shadowed):
    suite = imported({"agent": "echo", "judge": "echo"})
    assert (suite.agent.code, suite.agent.slug, suite.judge) == ("echo", "echo-2", suite.agent)
    assert get_agent("echo").fingerprint == get_agent("echo-2").fingerprint
    found = named_agent("echo")
    assert (found.code, found.pk) == ("echo", UNSTORED)
    assert create_run("hours", agent="echo").agent_snapshot["definition"] == {"code": "echo"}
    assert create_run("hours").agent == suite.agent

    out = StringIO()
    call_command("eval_import", "suite.json", "--check", stdout=out)
    assert "are as the files say" in out.getvalue()
    EvalSuite.objects.update(agent=shadowed, judge=None)
    with pytest.raises(SystemExit):
        call_command("eval_import", "suite.json", "--check", stdout=StringIO())


def test_suite_of_an_agent_that_a_name_hides__is_exported_so_that_it_comes_back(shadowed):
    suite = imported({"agent": "echo"})
    call_command("eval_export", "hours", "out.json", stdout=StringIO())
    assert json.loads(Path("out.json").read_text())["agent"] == "echo-2"
    EvalSuite.objects.all().delete()
    call_command("eval_import", "out.json", stdout=StringIO())
    assert EvalSuite.objects.get().agent_id == suite.agent_id


def test_new_row__takes_no_name_in_agents_as_its_slug(shadowed):
    other = {"provider": "shop", "model": "m1"}
    row = AgentDefinition(name="Other", slug="echo", **other)
    AgentDefinition.objects.all().delete()
    with pytest.raises(ValidationError, match="is a name in AGENTS"):
        row.full_clean()
    assert AgentDefinition.objects.create(name="Echo", **other).slug == "echo-2"
    code = AgentDefinition(name="Echo", slug="echo", code="echo")
    code.full_clean()
    code.save()

    shadowed = AgentDefinition.objects.get(slug="echo-2")
    with override_settings(NEURON_EVALS={"PROVIDERS": PROVIDERS, "AGENTS": {"echo-2": "tests.testapp.agents.echo"}}):
        shadowed.full_clean()  # a stored one stays
