"""A complete suite file, with the models and the code of a project: it runs without an agent in code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings

from neuron_evals import Agent, FakeProvider, load_suite, render, run_suite
from neuron_evals.container import get_provider
from neuron_evals.core.suites import SuiteDefaults
from tests.testapp import suite_code

if TYPE_CHECKING:
    from neuron_evals.core.providers.contract import ModelRequest

SUITES = Path(__file__).parent.parent / "core" / "suites"
FILE = SUITES / "nous_complete.yaml"
DOCUMENT = SUITES / "nous_document.yaml"
"""The complete suite of the Nous.Eval guide, as it stands there."""
ANSWERS: dict[str, Any] = {
    "Say hello to the user": "Hello!",
    "What is 15 + 27?": "42",
    "Calculate 15% tip on $50": "The tip is $7.50.",
    "Extract: John is 30 years old": {"name": "John", "age": 30},
    "Review: This product is amazing!": "I am glad to hear it.",
    "Explain recursion to a beginner": "A thing that is made of smaller things like it.",
}
SETTINGS = {
    "PROVIDERS": {"lmstudio": {"BACKEND": "tests.testapp.agents.AnsweringProvider", "OPTIONS": {"answers": ANSWERS}}},
    "SUITE_IMPORTS": ["tests.testapp.suite_code"],
}


def requests() -> list[ModelRequest]:
    provider = get_provider("lmstudio")
    assert isinstance(provider, FakeProvider)
    return provider.requests


@pytest.fixture
def project():
    suite_code.calls.clear()
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


@pytest.mark.usefixtures("project")
def test_complete_suite__runs_on_the_models_that_it_names():
    report = run_suite(load_suite(FILE))

    assert report.success_rate == 1.0, render(report, "detailed")
    assert [result.item_id for result in report.results] == [
        "greeting",
        "math",
        "tip_calculation",
        "person",
        "mood",
        "explanation_quality",
    ]
    assert suite_code.calls == ["begin", ("end", {"shop": "open"})]
    asked = {request.messages[0].content: request for request in requests()}
    assert asked["Say hello to the user"].instructions == "Be concise and helpful."
    assert asked["Say hello to the user"].model == "ministral-3-14b-reasoning"
    explained = asked["Explain recursion to a beginner"]
    assert (explained.model, explained.instructions) == ("qwen3", "Explain things simply.")
    tip = report.results[2].trajectory.last_tool_call("calculate")
    assert (tip.arguments, tip.result) == ({"amount": 50, "percent": 15}, 7.5)


@pytest.mark.usefixtures("project")
def test_complete_suite__a_part_of_it_by_tags():
    report = run_suite(load_suite(FILE), tags=["basic", "tool"], exclude_tags=["tool"], model="lmstudio:qwen-7b")
    assert [result.item_id for result in report.results] == ["greeting", "math"]
    assert {request.model for request in requests()} == {"qwen-7b"}


@pytest.mark.usefixtures("project")
def test_suite_of_the_guide__runs_as_it_stands_with_the_tools_attached():
    agent = Agent(get_provider("lmstudio"), tools=[suite_code.calculate])
    suite = load_suite(DOCUMENT)
    report = run_suite(suite, agent=agent)

    assert report.success_rate == 1.0, render(report, "detailed")
    assert (suite.name, suite.description, suite.metadata) == (
        "basic_agent_tests",
        "Smoke tests for the support agent",
        {"owner": "platform-team"},
    )
    assert suite.defaults == SuiteDefaults(
        "lmstudio:ministral-3-14b-reasoning",
        "Be concise and helpful.",
        timeout=30.0,
        retries=1,
        concurrency=2,
        retry_failed=True,
    )
    assert [(result.item_id, result.tags) for result in report.results] == [
        ("greeting", ("basic",)),
        ("math", ()),
        ("tip_calculation", ()),
        ("explanation_quality", ()),
    ]
    asked = {(request.messages[0].content, request.model, request.instructions) for request in requests()}
    assert ("What is 15 + 27?", "ministral-3-14b-reasoning", "Be concise and helpful.") in asked
    assert ("Explain recursion to a beginner", "qwen3", "Explain things simply.") in asked


@pytest.mark.usefixtures("project")
def test_suite_of_the_guide__a_tool_that_nobody_attached_is_a_failure_of_its_case_alone():
    report = run_suite(load_suite(DOCUMENT))
    assert [result.item_id for result in report.failed_results] == ["tip_calculation"]
    assert "calculate" in report.failed_results[0].reason
