"""All output drivers of the engine in one pipeline."""

from __future__ import annotations

import io
import json
from xml.etree import ElementTree as ET

import pytest

from neuron_evals.core.outputs import (
    ConsoleOutput,
    GitHubOutput,
    JsonOutput,
    JUnitOutput,
    MarkdownOutput,
    OutputDriver,
    OutputPipeline,
)
from tests.core.outputs.factories import item, plan_of, report_of

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
