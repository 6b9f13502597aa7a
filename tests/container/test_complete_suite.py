"""A complete suite file, with the models and the code of a project: it runs without an agent in code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings

from neuron_evals import FakeProvider, load_suite, render, run_suite
from neuron_evals.container import get_provider
from tests.testapp import suite_code

if TYPE_CHECKING:
    from neuron_evals.core.providers.contract import ModelRequest

FILE = Path(__file__).parent.parent / "core" / "suites" / "nous_complete.yaml"
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
