from __future__ import annotations

import io
import json
from xml.etree import ElementTree as ET

import pytest

import neuron_evals
from neuron_evals.core.exceptions import ConfigurationError, OutputError
from neuron_evals.core.messages import Usage
from neuron_evals.core.outputs import ConsoleOutput, JsonOutput, JUnitOutput, MarkdownOutput, render
from neuron_evals.core.report import Tally
from neuron_evals.core.results import AgentSteps
from tests.core.outputs.factories import evaluator, item, report, report_of

WHOLE = report_of(item(output="größe"), item("failed", 1))


@pytest.mark.parametrize(
    ("name", "driver"), [("json", JsonOutput), ("junit", JUnitOutput), ("markdown", MarkdownOutput)]
)
def test_a_document_is_what_its_driver_writes(name, driver):
    stream = io.StringIO()
    driver(stream=stream).output(WHOLE)
    assert render(WHOLE, name) == stream.getvalue()


def test_the_console_is_what_its_driver_writes_without_colours(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    ConsoleOutput(stream, color=False).output(WHOLE)
    assert render(WHOLE, "console") == render(WHOLE) == stream.getvalue()
    assert "PASSED SupportEvaluator" not in render(WHOLE)


def test_detailed_shows_every_item_and_every_failure_with_its_input():
    lines = render(WHOLE, "detailed").splitlines()
    assert lines[:3] == [
        "PASSED SupportEvaluator #0 item-0: score 1, 0.25 s",
        "   passed SupportEvaluator:31 -> StringContains",
        "FAILED SupportEvaluator #1 item-1: score 0, 0.25 s",
    ]
    assert '   Output: "answer 1"' in lines
    assert "FAILURES!" in lines


STEPS = AgentSteps(first_token=0.25, iterations=2, retries=1, tool_calls=3, tool_errors=1)
MEASURED = report_of(
    item(usage=Usage(500, 800), cost=0.002, run_time=1.5, steps=STEPS),
    item("error", 1, error="ConnectionError: the | server is down", known_cost=0.001),
)


def test_detailed_shows_what_was_measured_under_the_names_of_nous():
    lines = render(MEASURED, "detailed").splitlines()
    assert lines[0] == (
        "PASSED SupportEvaluator #0 item-0: score 1, 0.25 s, tokens input 500 output 800, cost 0.002, "
        "first token 0.25 s, 2 model calls, 1 retry, 3 tool calls (1 error)"
    )
    at = lines.index("Metrics:")
    assert lines[at + 1 : at + 6] == [
        "  Latency (p50/p95/p99): 1.5 s / 1.5 s / 1.5 s (n=1 of 2)",
        "  First token (p50/p95/p99): 0.25 s / 0.25 s / 0.25 s (n=1 of 2)",
        "  Tokens (in/out/total): at least 500 / at least 800 / at least 1300",
        "  Estimated cost: at least 0.003",
        "  Counts: tool calls at least 3, tool errors at least 1, iterations at least 2, retries at least 1",
    ]
    assert "Latency" not in render(MEASURED)


def test_detailed_says_nothing_of_what_nobody_measured():
    assert "Metrics:" not in render(WHOLE, "detailed")


@pytest.mark.parametrize("name", ["console", "detailed", "json", "markdown", "junit"])
def test_every_form_has_the_cause_of_an_error(name):
    assert "ConnectionError: the | server is down" in render(MEASURED, name)


def test_markdown_shows_what_was_measured_and_tokens_once():
    text = render(MEASURED, "markdown")
    assert "- Latency (p50/p95/p99): 1.5 s / 1.5 s / 1.5 s (n=1 of 2)\n" in text
    assert "- Counts: tool calls at least 3, tool errors at least 1, iterations at least 2" in text
    assert text.count("Tokens") == 1


def test_detailed_tells_evaluators_of_one_short_name_apart():
    whole = report(*(evaluator(item(evaluator_class=name), name=name) for name in ("a.Same", "b.Same")))
    assert render(whole, "detailed").startswith("PASSED a.Same #0 item-0")


def test_documents_can_be_read():
    assert json.loads(render(WHOLE, "json"))["total"] == 2
    assert ET.fromstring(render(WHOLE, "junit")).attrib["tests"] == "2"  # noqa: S314  (this project's own output)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("jsn", 'did you mean "json"? '), ("JUnit", 'did you mean "junit"? '), ("zzz", ""), ("", ""), ("github", "")],
)
def test_an_unknown_name_is_refused_with_those_there_are(name, hint):
    with pytest.raises(ConfigurationError) as caught:
        render(WHOLE, name)
    expected = f'render: there is no form "{name}"; {hint}use console, detailed, json, markdown, junit'
    assert str(caught.value) == expected


def test_junit_without_results_is_refused_and_markdown_says_what_is_missing():
    bare = report(evaluator(tally=Tally([item("failed")])))
    with pytest.raises(OutputError, match="does not hold 1 of its 1 results"):
        render(bare, "junit")
    assert "1 of 1 failed or broken item" in render(bare, "markdown")


def test_it_is_a_public_name():
    assert neuron_evals.render is render
