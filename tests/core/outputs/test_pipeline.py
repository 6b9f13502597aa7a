from __future__ import annotations

import io
from pathlib import Path

import pytest

from neuron_evals.core.exceptions import OutputError, StopRun
from neuron_evals.core.outputs import ConsoleOutput, DriverError, JsonOutput, OutputDriver, OutputPipeline
from tests.core.outputs.factories import item, plan_of, report_of

CALLS = ("start", "finished", "item", "output")


class Recording(OutputDriver):
    """Notes what it is called with; raises at one call."""

    def __init__(self, log, name="a", at=None, exc=None):
        self.log, self.label, self.at, self.exc = log, name, at, exc

    def note(self, method):
        self.log.append((self.label, method))
        if method == self.at:
            raise self.exc

    def start(self, plan):
        self.note("start")

    def finished(self, result):
        self.note("finished")

    def item(self, result):
        self.note("item")

    def output(self, report):
        self.note("output")

    def close(self):
        self.note("close")


def run(pipeline):
    report = report_of(item())
    pipeline.start(plan_of(report))
    pipeline.finished(report.results[0])
    pipeline.item(report.results[0])
    pipeline.output(report)
    pipeline.close()


def test_the_base_driver_does_nothing_and_has_no_problem():
    pipeline = OutputPipeline([OutputDriver(), OutputDriver()])
    assert pipeline.problems() == []
    run(pipeline)
    assert pipeline.errors == []
    assert not pipeline.needs_results


def test_each_call_reaches_each_driver_in_order():
    log: list[tuple[str, str]] = []
    run(OutputPipeline([Recording(log, "a"), Recording(log, "b")]))
    assert log == [(name, method) for method in (*CALLS, "close") for name in "ab"]


@pytest.mark.parametrize("at", CALLS)
def test_a_driver_that_fails_is_only_closed_and_the_other_goes_on(at):
    log: list[tuple[str, str]] = []
    pipeline = OutputPipeline([Recording(log, "a", at, ValueError("no\x1b[2J\nroom")), Recording(log, "b")])
    run(pipeline)
    assert [method for name, method in log if name == "b"] == [*CALLS, "close"]
    assert [method for name, method in log if name == "a"] == [*CALLS[: CALLS.index(at) + 1], "close"]
    (error,) = pipeline.errors
    assert error.driver == "Recording"
    assert error.text.startswith(r"ValueError: no\x1b[2J\nroom (tests/core/outputs/test_pipeline.py:")


@pytest.mark.parametrize("at", [*CALLS, "close"])
def test_a_driver_that_exits_ends_itself_and_not_the_run(at):
    log: list[tuple[str, str]] = []
    pipeline = OutputPipeline([Recording(log, "a", at, SystemExit(0)), Recording(log, "b")])
    run(pipeline)
    assert [method for name, method in log if name == "b"] == [*CALLS, "close"]
    assert [error.text.partition(" (")[0] for error in pipeline.errors] == ["SystemExit: 0"]


def test_a_driver_that_exits_when_asked_for_problems_is_a_problem():
    class Exiting(OutputDriver):
        def problems(self):
            raise SystemExit(0)

    (problem,) = OutputPipeline([Exiting()]).problems()
    assert problem.startswith("Exiting: SystemExit: 0")


def test_a_driver_that_fails_when_closed_is_an_error_and_the_other_is_closed():
    log: list[tuple[str, str]] = []
    pipeline = OutputPipeline([Recording(log, "a", "close", OutputError("full")), Recording(log, "b")])
    run(pipeline)
    assert pipeline.errors == [DriverError("Recording", "full")]
    assert str(pipeline.errors[0]) == "Recording: full"
    assert log[-1] == ("b", "close")


@pytest.mark.parametrize("at", CALLS)
def test_a_stop_passes_through_after_every_driver_had_the_call(at):
    log: list[tuple[str, str]] = []
    pipeline = OutputPipeline([Recording(log, "a", at, StopRun("budget spent")), Recording(log, "b")])
    with pytest.raises(StopRun, match="budget spent"):
        run(pipeline)
    assert log[-2:] == [("a", at), ("b", at)]
    assert pipeline.errors == []
    log.clear()
    pipeline.close()
    assert log == [("a", "close"), ("b", "close")]


def test_the_first_of_two_stops_is_the_reason():
    log: list[tuple[str, str]] = []
    first, second = Recording(log, "a", "item", StopRun("first")), Recording(log, "b", "item", StopRun("second"))
    with pytest.raises(StopRun, match="first"):
        OutputPipeline([first, second]).item(item())


def test_an_interruption_is_not_kept_as_a_failure():
    pipeline = OutputPipeline([Recording([], "a", "item", KeyboardInterrupt())])
    with pytest.raises(KeyboardInterrupt):
        pipeline.item(item())
    assert pipeline.errors == []


def test_the_problems_of_all_drivers_come_together(tmp_path):
    class Asking(OutputDriver):
        def problems(self):
            raise LookupError("unknown")

    closed = io.StringIO()
    closed.close()
    pipeline = OutputPipeline(
        [ConsoleOutput(closed), JsonOutput(tmp_path), JsonOutput(tmp_path / "no" / "x.json"), Asking()]
    )
    first, second, third, fourth = pipeline.problems()
    assert first == "ConsoleOutput: the stream is closed"
    assert second == f'JsonOutput: "{tmp_path}" is a directory; give a file'
    assert third.startswith("JsonOutput: ")
    assert third.endswith(f'the folder "{tmp_path}/no" does not exist')
    assert fourth.startswith("Asking: LookupError: unknown")


@pytest.mark.parametrize("other", ["results.json", "./results.json", "../here/results.json", "link.json"])
def test_two_drivers_of_one_file_are_a_problem(tmp_path, monkeypatch, other):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    Path("link.json").symlink_to("results.json")
    (problem,) = OutputPipeline([JsonOutput("results.json"), JsonOutput(other)]).problems()
    assert problem == (
        f'JsonOutput and JsonOutput both write to "{here.resolve()}/results.json"; give one of them a path of its own'
    )


def test_two_drivers_of_one_place_that_has_a_name_are_a_problem():
    class Storing(OutputDriver):
        def __init__(self, where):
            self.destination = where

        destination = ""

    (problem,) = OutputPipeline([Storing("the table\x1b"), Storing("the table\x1b"), Storing("another")]).problems()
    assert problem == r"Storing and Storing both write to the table\x1b; leave one of them out"


def test_two_drivers_on_standard_output_are_a_problem_and_two_places_are_none(tmp_path):
    (problem,) = OutputPipeline([JsonOutput(), ConsoleOutput()]).problems()
    assert problem == "ConsoleOutput and JsonOutput both write to the same stream; give one of them a path of its own"
    assert OutputPipeline([JsonOutput(tmp_path / "a"), ConsoleOutput()]).problems() == []
    assert OutputPipeline([JsonOutput(), ConsoleOutput(io.StringIO())]).problems() == []
    assert OutputPipeline([JsonOutput(tmp_path / "a"), JsonOutput(tmp_path / "b")]).problems() == []


def test_a_driver_that_cannot_name_its_place_is_a_problem():
    class Lost(OutputDriver):
        @property
        def destination(self):
            raise LookupError("nowhere")

    (problem,) = OutputPipeline([Lost(), ConsoleOutput(io.StringIO())]).problems()
    assert problem.startswith("ConsoleOutput and Lost: LookupError: nowhere")


def test_what_draws_on_the_screen_comes_first_and_results_are_kept_when_one_driver_reads_them():
    console, json = ConsoleOutput(io.StringIO()), JsonOutput()
    pipeline = OutputPipeline([json, console])
    assert pipeline.drivers == (console, json)
    assert pipeline.needs_results
    assert not OutputPipeline([console]).needs_results
