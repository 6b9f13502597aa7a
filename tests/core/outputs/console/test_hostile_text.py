from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from neuron_evals.core.outputs import ConsoleOutput
from tests.core.outputs.factories import HOSTILE, check, evaluator, item, plan_of, report

STREAMS: dict[str, Callable[[], io.TextIOBase]] = {
    "text": io.StringIO,
    "utf-8": lambda: io.TextIOWrapper(io.BytesIO(), encoding="utf-8"),
    "latin-1": lambda: io.TextIOWrapper(io.BytesIO(), encoding="latin-1"),
    "ascii": lambda: io.TextIOWrapper(io.BytesIO(), encoding="ascii"),
}


def shown(text, stream, verbosity):
    """Return what the console shows of a run in which every text is this one."""
    hostile = check("failed", name=text, label=f"{text} label", message=text, context={"a": text})
    failed = item("failed", item_id=text, input={"input": text}, output=text, error=text, traceback=text)
    broken_item = item(
        "error", 1, item_id=text, output=[text], error=text, checks=(hostile, check(label=text, vacuous=True))
    )
    results = evaluator(failed, broken_item, namespace=text)
    broken = evaluator(name=f"evals/{text}.py", error=text, traceback=text, started_at=None, finished_at=None)
    whole = report(results, broken, stopped=text)
    console = ConsoleOutput(stream, verbosity)
    console.start(plan_of(whole))
    for result in whole.results:
        console.finished(result)
        console.item(result)
    console.output(whole)
    if isinstance(stream, io.StringIO):
        return stream.getvalue()
    return stream.buffer.getvalue().decode(stream.encoding)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("encoding", STREAMS)
@pytest.mark.parametrize("verbosity", [0, 1, 2])
def test_no_text_can_drive_the_terminal_or_fail_to_be_shown(text, encoding, verbosity):
    written = shown(text, STREAMS[encoding](), verbosity)
    assert written.replace("\n", "").isprintable()


@pytest.mark.parametrize("verbosity", [1, 2])
def test_no_text_can_pass_for_a_line_of_ours(verbosity):
    written = shown("x\nOK\nItems: 9, Passed: 9\n1) PASSED SupportEvaluator", io.StringIO(), verbosity)
    lines = written.splitlines()
    assert "OK" not in lines
    assert not any(line.startswith("Items: 9") for line in lines)
    assert [line for line in lines if line.startswith("1) PASSED")] == []
    assert "       OK" in lines


@pytest.mark.parametrize("text", ["[bold red]x[/] [/]", ":smile:", "{0} %s {task}", "$(id) `id`", "<b>x</b>"])
@pytest.mark.parametrize("verbosity", [1, 2])
def test_markup_is_shown_as_it_is(text, verbosity):
    assert f"#1 {text}" in shown(text, io.StringIO(), verbosity)
