"""Runs of stored suites with the cache in the database, and an agent at a provider that is asked over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from neuron_evals.models import AgentDefinition, CachedOutput, EvalRun, EvalSuite
from neuron_evals.runs import create_run, execute_run
from tests.core.providers.server import Answer, Server

OK = Answer({"choices": [{"message": {"role": "assistant", "content": "ok"}}]})
RATE_LIMIT = Answer({"error": {"message": "rate limit"}})


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    with Server() as first, Server() as second:
        yield first, second


@pytest.fixture
def suite(committing, servers) -> Iterator[EvalSuite]:
    """A suite with one item. The agent asks the first server; `elsewhere` is the second, `untooled` forbids tools."""
    first, second = servers
    providers = {
        "here": {"base_url": first.url},
        "elsewhere": {"base_url": second.url},
        "untooled": {"base_url": first.url, "extra_body": {"tool_choice": "none"}},
    }
    settings = {
        "PROVIDERS": {
            name: {"BACKEND": "openai", "OPTIONS": {**options, "api_key": "x", "max_retries": 0}}
            for name, options in providers.items()
        },
        "CACHE": {"BACKEND": "database"},
    }
    with override_settings(NEURON_EVALS=settings, DATABASE_ROUTERS=["tests.runs.routing.ToRows"]):
        agent = AgentDefinition.objects.create(name="Tested", provider="here", model="m1")
        yield EvalSuite.objects.create(name="Cached", agent=agent, dataset=[{"input": "p", "reference": "ok"}])


def executed(suite: EvalSuite) -> EvalRun:
    return execute_run(create_run(suite, options={"cache": True}).pk)


def asked(servers: tuple[Server, Server]) -> int:
    return sum(len(server.asked) for server in servers)


AGENTS: dict[str, list[dict[str, Any]]] = {
    "temperature and seed": [{"temperature": 0.0}, {"temperature": 1.0}, {"temperature": 1.0, "seed": 7}],
    "model and address": [{"model": "m1"}, {"model": "m2"}, {"model": "m1", "provider": "elsewhere"}],
    "length and choice of tools": [
        {"max_tokens": 16},
        {"max_tokens": 4000},
        {"max_tokens": 4000, "provider": "untooled"},
    ],
}
UNSET = {"provider": "here", "model": "m1", "temperature": None, "seed": None, "max_tokens": None}


@pytest.mark.parametrize("agents", AGENTS.values(), ids=AGENTS)
def test_agents_that_differ__each_is_asked_once_and_has_its_own_entry(suite, servers, agents):
    for server in servers:
        server.answers(*[OK] * 3)
    for round_ in range(2):
        for changes in agents:
            AgentDefinition.objects.update(**{**UNSET, **changes})
            run = executed(EvalSuite.objects.select_related("agent").get())
            assert (run.status, run.cached_count) == ("passed", round_)
    assert asked(servers) == 3
    assert CachedOutput.objects.count() == 3


def test_error_in_an_answer_with_status_200__is_no_output_and_the_next_run_asks_again(suite, servers):
    servers[0].answers(RATE_LIMIT, OK)

    first, second, third = (executed(suite) for _ in range(3))

    assert [(run.status, run.error_count, run.cached_count) for run in (first, second, third)] == [
        ("failed", 1, 0),
        ("passed", 0, 0),
        ("passed", 0, 1),
    ]
    assert "rate limit" in first.items.get().error
    assert second.items.get().output == "ok"
    assert asked(servers) == 2
    assert CachedOutput.objects.count() == 1
