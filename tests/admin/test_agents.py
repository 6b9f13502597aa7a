"""Agent definitions in the admin: validated, and kept while something names them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from neuron_evals.models import AgentDefinition
from tests.models.rows import make_agent, make_run, make_suite

pytestmark = pytest.mark.django_db
ADD = "admin:neuron_evals_agentdefinition_add"


def _errors(response) -> dict[str, list[str]]:
    return dict(response.context["adminform"].form.errors)


def test_definition_with_a_provider__is_stored(root):
    form = {
        "name": "Shop",
        "provider": "canned",
        "model": "m",
        "tools": '["lookup"]',
        "temperature": "0.5",
        "is_active": "on",
    }
    response = root.post(reverse(ADD), form)
    assert response.status_code == 302, _errors(response)
    agent = AgentDefinition.objects.get()
    assert (agent.slug, agent.tools, agent.approval_tools, agent.temperature) == ("shop", ["lookup"], [], 0.5)
    assert (agent.top_p, agent.max_tokens, agent.seed) == (None, None, None)
    page = root.get(reverse("admin:neuron_evals_agentdefinition_change", args=[agent.pk])).content.decode()
    assert agent.fingerprint in page


def test_definition_with_problems__shows_all_of_them_and_is_not_stored(root):
    form = {"name": "x", "provider": "cannde", "tools": '["lokup"]', "top_p": "2", "seed": "x", "metadata": "[]"}
    errors = _errors(root.post(reverse(ADD), form))
    assert {"provider", "tools", "top_p", "seed", "metadata"} <= set(errors)
    assert 'Did you mean "canned"' in errors["provider"][0]
    assert AgentDefinition.objects.count() == 0


def test_definition_of_an_agent_in_code__takes_nothing_else(root):
    errors = _errors(root.post(reverse(ADD), {"name": "x", "code": "support", "model": "m"}))
    assert errors == {"model": ["Leave this empty: the agent in code says it."]}


@pytest.mark.parametrize("text", ["null", ""])
def test_tools_left_empty__are_none(text, root):
    root.post(reverse(ADD), {"name": "x", "code": "support", "tools": text})
    assert AgentDefinition.objects.get().tools == []


@pytest.mark.parametrize(("field", "text"), [("tools", "{}"), ("approval_tools", '""'), ("metadata", "[]")])
def test_json_of_another_kind__is_refused_even_when_it_is_empty(field, text, root):
    errors = _errors(root.post(reverse(ADD), {"name": "x", "code": "support", field: text}))
    assert errors[field][0].startswith("Use a JSON ")
    assert AgentDefinition.objects.count() == 0


def test_agent_that_others_name__is_not_deleted(root):
    agent = make_agent("default")
    make_suite("default", agent=agent)
    make_run("default", agent=agent, judge=agent)
    page = reverse("admin:neuron_evals_agentdefinition_delete", args=[agent.pk])
    assert root.get(page).context["protected"] == ["1 suites", "2 runs"]
    root.post(page, {"post": "yes"})
    assert AgentDefinition.objects.count() == 1


def test_agent_that_nobody_names__is_deleted(root):
    agent = make_agent("default")
    root.post(reverse("admin:neuron_evals_agentdefinition_delete", args=[agent.pk]), {"post": "yes"})
    assert AgentDefinition.objects.count() == 0
