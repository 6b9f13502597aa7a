from __future__ import annotations

import io
import re
import sys
import threading

import pytest

from neuron_evals.core.outputs import ConsoleOutput
from neuron_evals.core.outputs.console.bar import Bar
from neuron_evals.core.outputs.console.screen import Line, Screen
from neuron_evals.core.results import Plan, PlannedEvaluator
from tests.core.outputs.factories import HOSTILE, Terminal, item, plan_of, report_of

# What rich itself sends: styles, hide and show the cursor, go up, erase a line.
_OURS = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|[0-9]*A|2K)|\r")


@pytest.fixture(autouse=True)
def _terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def frames(total, results):
    """Return the frames that a bar draws when each result comes a second after the last."""
    stream, now = Terminal(), [0.0]
    bar = Bar(Screen(stream, color=False), Plan((PlannedEvaluator("shop.Support", total),)), lambda: now[0])
    for result in results:
        now[0] += 1.0
        bar.finished(result)
        bar.item(result)
    bar.stop()
    plain = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", stream.getvalue())
    return [frame.strip() for frame in re.split(r"[\r\n]+", plain) if frame.strip()]


def test_the_bar_shows_percentage_counts_rate_and_time_left():
    found = frames(4, [item("passed"), item("failed", 1), item("error", 2)])
    assert found[0].endswith("0%  0/4 items  0 passed")
    assert found[1].endswith("25%  1/4 items  1/s  0:03 left  1 passed")
    assert found[-1].endswith("75%  3/4 items  1/s  0:01 left  1 passed, 1 failed, 1 error")


def test_the_bar_of_an_unknown_total_shows_what_is_done_only():
    found = frames(None, [item("passed"), item("passed", 1)])
    assert found[-1].endswith("2 items  1/s  2 passed")
    assert "%" not in "".join(found)


def test_results_that_come_at_once_draw_one_frame():
    stream = Terminal()
    bar = Bar(Screen(stream, color=False), Plan((PlannedEvaluator("shop.Support", 1000),)), lambda: 5.0)
    start = len(stream.getvalue())
    for n in range(1000):
        bar.finished(item(index=n))
    assert len(stream.getvalue()) - start < 300
    bar.stop()


def test_the_bar_has_no_thread_of_its_own():
    before = threading.active_count()
    bar = Bar(Screen(Terminal(), color=False), Plan((PlannedEvaluator("shop.Support", 2),)))
    assert threading.active_count() == before
    bar.stop()


def test_lines_go_above_the_bar_and_again_straight_to_the_stream_when_it_is_gone():
    stream = Terminal()
    screen = Screen(stream, color=True)
    bar = Bar(screen, Plan((PlannedEvaluator("shop.Support", 2),)))
    screen.write([Line("[bold]above[/] :smile:", "red")])
    assert "\x1b[31m[bold]above[/] :smile:\x1b[0m\n" in stream.getvalue()
    bar.stop()
    end = len(stream.getvalue())
    screen.write([Line("after")])
    assert stream.getvalue()[end:] == "after\n"


def test_a_stream_that_goes_to_a_file_is_not_led_through_the_bar(monkeypatch):
    file, terminal = io.StringIO(), Terminal()
    monkeypatch.setattr(sys, "stdout", file)
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = Bar(Screen(terminal, color=False), Plan((PlannedEvaluator("shop.Support", 2),)))
    assert sys.stdout is file
    assert sys.stderr is not terminal
    bar.stop()
    assert sys.stderr is terminal


@pytest.mark.parametrize("verbosity", [1, 2])
@pytest.mark.parametrize("end", ["output", "close"])
def test_the_console_draws_a_bar_on_a_terminal_and_removes_it(verbosity, end):
    stream = Terminal()
    report = report_of(item(), item("failed", 1))
    console = ConsoleOutput(stream, verbosity)
    console.start(plan_of(report))
    for result in report.results:
        console.finished(result)
        console.item(result)
    assert "0/2 items" in stream.getvalue()
    assert stream.getvalue().count("\x1b[?25l") == 1
    if end == "output":
        console.output(report)
    console.close()
    assert stream.getvalue().count("\x1b[?25h") == 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_cannot_drive_a_terminal_while_the_bar_stands(text):
    stream = Terminal()
    report = report_of(item("failed", item_id=text, output=text, error=text))
    console = ConsoleOutput(stream, 2)
    console.start(plan_of(report))
    for result in report.results:
        console.finished(result)
        console.item(result)
    console.output(report)
    left = _OURS.sub("", stream.getvalue())
    assert left.replace("\n", "").isprintable()


@pytest.mark.parametrize(("variable", "value"), [("TERM", "dumb"), ("NO_COLOR", "1")])
def test_a_terminal_can_say_that_it_wants_no_bar_or_no_colour(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    stream = Terminal()
    report = report_of(item("failed"))
    console = ConsoleOutput(stream)
    console.start(plan_of(report))
    console.output(report)
    assert "\x1b[31m" not in stream.getvalue()
    assert ("\x1b" in stream.getvalue()) is (variable == "NO_COLOR")
