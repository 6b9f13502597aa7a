"""All output drivers of the engine in one pipeline."""

from __future__ import annotations

import io
import json
from xml.etree import ElementTree as ET

import pytest

from neuron_evals.core.caches import CacheCounts
from neuron_evals.core.outputs import (
    ConsoleOutput,
    GitHubOutput,
    JsonOutput,
    JUnitOutput,
    MarkdownOutput,
    OutputDriver,
    OutputPipeline,
    render,
)
from neuron_evals.core.results import Attempt, Status
from tests.core.outputs.factories import check, evaluator, item, plan_of, report, report_of

WHOLE = report_of(item(), item("failed", 1), item("error", 2, error="ValueError: no", checks=()))
FILES = ("results.json", "junit.xml", "report.md", "summary.md")


def five(folder):
    """Return the drivers, and the streams of the console and of GitHub."""
    console, commands = io.StringIO(), io.StringIO()
    drivers = [
        JsonOutput(folder / "results.json"),
        JUnitOutput(folder / "junit.xml"),
        MarkdownOutput(folder / "report.md"),
        GitHubOutput(commands, summary=folder / "summary.md"),
        ConsoleOutput(console),
    ]
    return drivers, console, commands


def run(pipeline, whole=WHOLE):
    pipeline.start(plan_of(whole))
    for result in whole.results:
        pipeline.finished(result)
        pipeline.item(result)
    pipeline.output(whole)
    pipeline.close()


def test_five_drivers_each_write_the_whole_run(tmp_path):
    drivers, console, commands = five(tmp_path)
    pipeline = OutputPipeline(drivers)
    assert pipeline.problems() == []
    assert pipeline.needs_results
    run(pipeline)
    assert pipeline.errors == []
    assert json.loads((tmp_path / "results.json").read_text())["total"] == 3
    suites = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314  (this project's own output)
    assert [suites.attrib[key] for key in ("tests", "failures", "errors")] == ["3", "1", "1"]
    assert (tmp_path / "report.md").read_text() == (tmp_path / "summary.md").read_text()
    assert commands.getvalue().count("::error ") == 2
    assert "Items: 3, Passed: 1, Failed: 1, Errors: 1" in console.getvalue()
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("broken", FILES)
def test_one_that_cannot_write_in_the_end_is_an_error_and_the_others_are_complete(tmp_path, broken):
    drivers, console, _ = five(tmp_path)
    pipeline = OutputPipeline(drivers)
    assert pipeline.problems() == []
    # After the check before the run: someone put a folder there.
    (tmp_path / broken).mkdir()
    run(pipeline)
    (error,) = pipeline.errors
    assert broken in str(error)
    assert "FAILURES!" in console.getvalue()
    for name in FILES:
        assert (tmp_path / name).is_dir() if name == broken else (tmp_path / name).stat().st_size


def test_one_that_breaks_on_the_way_takes_nothing_from_the_others(tmp_path):
    class Breaking(OutputDriver):
        def finished(self, result):
            raise RuntimeError("no room")

    drivers, console, _ = five(tmp_path)
    pipeline = OutputPipeline([Breaking(), *drivers])
    run(pipeline)
    assert [error.driver for error in pipeline.errors] == ["Breaking"]
    assert all((tmp_path / name).stat().st_size for name in FILES)
    assert "FAILURES!" in console.getvalue()


def test_drivers_of_one_place_are_problems_before_anything_runs(tmp_path):
    drivers, _, _ = five(tmp_path)
    pipeline = OutputPipeline([*drivers, MarkdownOutput(tmp_path / "junit.xml"), JUnitOutput()])
    (problem,) = pipeline.problems()
    assert problem.startswith('JUnitOutput and MarkdownOutput both write to "')
    (problem,) = OutputPipeline([JUnitOutput(), MarkdownOutput()]).problems()
    assert problem.startswith("JUnitOutput and MarkdownOutput both write to the same stream")


BROKE = Attempt(Status.ERROR, error="ConnectionError: gone")
EVENTFUL = report(
    evaluator(
        item(cached_run=True, metrics={"found": 2.0}),
        item("failed", 1, attempts=3, other_attempts=(BROKE, Attempt(Status.PASSED)), metrics={"found": 4.0}),
        item(index=1, repeat=1),
        item("error", 2, checks=(check("error", name="MaxTokens", label="budget", message="no Record"),)),
        fake=True,
        cache=CacheCounts(hits=1, misses=1, not_stored={"run() made checks": 1}),
        left_out=3,
        resumed=5,
    ),
    selection="--tag smoke",
    absent=[evaluator(name="shop.Other", left_out=2)],
)
"""A run in which everything happened that a reader must know of."""

TOLD = (
    "Repeats: 3 items in 4 executions, pass@2 1, pass^2 0 (over 1 of 3 items)",
    "Flaky: 1 item: ",
    "Tried again: 1 of 4 items, 2 times in all",
    "Cached runs: 1 of 4 (assertions evaluated again)",
    "1 output could not be cached: run() made checks (1)",
    "Left out: 5 items",
    "Only: --tag smoke; 1 evaluator without any",
    "Resumed: 5 results were there before and not counted here",
    "canned replies stood in for the agent",
)


@pytest.mark.parametrize("form", ["console", "detailed", "markdown"])
def test_what_happened_beside_the_plain_run__every_text_tells_all_of_it(form):
    text = render(EVENTFUL, form)
    assert [told for told in TOLD if told not in text] == []
    assert "3 attempts, passed on attempt 3" in text
    figures = "| `found` | 2 | 3 | 2 | 4 |" if form == "markdown" else "found: mean 3 (n=2), min 2, max 4"
    assert figures in text


def test_what_happened_beside_the_plain_run__the_annotations_and_the_summary_of_github_tell_it(tmp_path):
    summary, commands = tmp_path / "summary.md", io.StringIO()
    run(OutputPipeline([GitHubOutput(commands, summary=summary)]), EVENTFUL)
    assert summary.read_text() == render(EVENTFUL, "markdown")
    assert "3 attempts%2C passed on attempt 3" in commands.getvalue()


def test_what_happened_beside_the_plain_run__json_tells_all_of_it():
    data = json.loads(render(EVENTFUL, "json"))
    names = ("cached_runs", "retried_items", "item_retries", "left_out", "resumed", "selection", "fake")
    assert [data[name] for name in names] == [1, 1, 2, 5, 5, "--tag smoke", True]
    assert data["absent_evaluators"] == ["shop.Other"]
    assert (data["repeats"]["items"], len(data["repeats"]["flaky"])) == ({"1": 3, "2": 1}, 1)
    assert (data["evaluators"][0]["left_out"], data["evaluators"][0]["resumed"]) == (3, 5)
    assert data["recorded_metrics"]["found"]["mean"] == 3.0
    assert data["results"][1]["attempts"] == 3


def test_what_happened_beside_the_plain_run__junit_tells_all_of_it():
    (suite,) = ET.fromstring(render(EVENTFUL, "junit"))  # noqa: S314  (this project's own output)
    told = {each.get("name"): each.get("value") for each in suite.find("properties")}
    expected = {
        "cached_runs": "1",
        "cache_complaint": "1 output could not be cached: run() made checks (1)",
        "retried_items": "1",
        "item_retries": "2",
        "repeats": "2",
        "pass_at": "1",
        "pass_hat": "0",
        "flaky": "1 item: item-1 (1 of 2)",
        "left_out": "3",
        "resumed": "5",
        "selection": "--tag smoke",
        "absent_evaluators": "1",
        "fake": "true",
        "recorded_metrics.found": "mean 3 (n=2), min 2, max 4, p50 3, p95 3.9, p99 3.98",
    }
    assert {name: told.get(name) for name in expected} == expected
    cases = [{each.get("name"): each.get("value") for each in case.iter("property")} for case in suite.iter("testcase")]
    assert (cases[0]["cached_run"], cases[1]["attempts"], cases[1]["recorded_metrics.found"]) == ("true", "3", "4")


@pytest.mark.parametrize("form", ["console", "markdown", "junit"])
def test_nothing_of_that_happened__nothing_of_it_is_told(form):
    text = render(report_of(item()), form)
    words = (
        "Repeats",
        "Flaky",
        "Tried again",
        "Cached",
        "Left out",
        "Only",
        "Resumed",
        "retried",
        "left_out",
        "repeats",
    )
    assert [word for word in words if word in text] == []


@pytest.mark.parametrize("form", ["console", "markdown"])
def test_dataset_that_was_not_read_to_its_end__what_is_left_out_is_unknown(form):
    text = render(report(evaluator(item(), left_out=None), selection="--limit 1"), form)
    assert "Left out: how many items is not known" in text
    assert json.loads(render(report(evaluator(item(), left_out=None)), "json"))["left_out"] is None
