from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.outputs import GitHubOutput
from neuron_evals.core.outputs.github_commands import command, source_file
from neuron_evals.core.report import Tally
from tests.core.outputs.factories import HOSTILE, ClosedPipe, check, evaluator, item, plan_of, report, report_of

ROOT = Path(__file__).parents[3]
HERE = f"{__name__}.Here"
# Importing names the module differently than running it alone does; what counts is where its file is.
FILE = Path(__file__).relative_to(ROOT).as_posix()


class Here:
    """Stands for an evaluator of this file."""


@pytest.fixture(autouse=True)
def step(monkeypatch, tmp_path):
    """Be a step of a job whose repository is this one."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(ROOT))
    (tmp_path / "summary.md").touch()
    return tmp_path / "summary.md"


def unescaped(text):
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, char)
    return text


def obeyed(log):
    """Return the commands that GitHub's runner finds in a step's log, as it looks for them."""
    commands: list[tuple[str, dict[str, str], str]] = []
    resume = None
    for line in re.split(r"\r\n|\r|\n", log):
        found = re.fullmatch(r"\s*::([^\s:]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)", line)
        if found is None:
            # The old form counts wherever it stands in a line.
            found = re.search(r"##\[([^\s\]]+)([^\]]*)\](.*)", line)
        if found is None:
            continue
        name, given, data = found[1], found[2] or "", found[3]
        if resume is not None:
            resume = None if name == resume else resume
        elif name == "stop-commands":
            resume = data
        else:
            properties = dict(pair.strip().split("=", 1) for pair in given.split(",") if "=" in pair)
            commands.append((name, {key: unescaped(value) for key, value in properties.items()}, unescaped(data)))
    return commands


def written(whole, *, results=True) -> Any:
    stream = io.StringIO()
    driver = GitHubOutput(stream)
    driver.start(plan_of(whole))
    for result in whole.results if results else ():
        driver.item(result)
    driver.output(whole)
    driver.close()
    return stream.getvalue()


def test_what_did_not_pass_is_an_error_at_the_first_check_that_did_not():
    checks = (
        check(line=11),
        check("skipped", line=12),
        check("failed", line=13, message="no 9\nin it: 50%"),
        check("error", name="Judge", label="tone", line=14, message="no reply"),
    )
    results = evaluator(
        item(),
        item("failed", 1, evaluator_class=HERE, item_id="hours, all", checks=checks, repeat=1),
        item("error", 2, evaluator_class=HERE, error="ValueError: no room", checks=()),
        item("skipped", 3),
        item("cancelled", 4),
        name=HERE,
    )
    broken = evaluator(name=HERE, error="OSError: gone")
    assert obeyed(written(report(results, broken))) == [
        ("error", {"file": FILE, "title": "Here: evaluator error"}, "OSError: gone"),
        (
            "error",
            {"file": FILE, "line": "13", "title": "Here #1 hours, all: failed (repeat 2)"},
            "failed StringContains: no 9\nin it: 50%\nerror Judge (tone): no reply",
        ),
        ("error", {"file": FILE, "title": "Here #2 item-2: error"}, "ValueError: no room"),
    ]


def test_a_line_without_a_file_is_left_out():
    ((_, properties, _),) = obeyed(written(report_of(item("failed"))))
    assert properties == {"title": "SupportEvaluator #0 item-0: failed"}


@pytest.mark.parametrize("kept", [True, False])
def test_after_ten_errors_it_says_how_many_are_left(kept):
    results = [item("failed", number) for number in range(12)] + [item("error", 12)]
    whole = report(evaluator(*results, error="OSError: gone"))
    commands = obeyed(written(whole, results=kept))
    assert [name for name, _, _ in commands] == ["error"] * 10 + ["warning"]
    assert commands[-1][1:] == (
        {"title": "Agent evaluations"},
        "4 more did not pass; GitHub shows 10 errors of a step",
    )
    ten = report_of(*results[:10])
    assert [name for name, _, _ in obeyed(written(ten))] == ["error"] * 10


def test_results_that_were_not_kept_count_among_those_left():
    whole = report(evaluator(tally=Tally([item("failed")] * 3)))
    assert obeyed(written(whole))[-1][2] == "3 more did not pass; GitHub shows 10 errors of a step"


def test_nothing_that_is_printed_during_the_run_is_a_command():
    stream = io.StringIO()
    driver = GitHubOutput(stream)
    driver.start(plan_of(report_of()))
    stream.write("::error::forged\n##[error]forged\n  ::stop-commands::x\n::x::\n::error::forged\n")
    driver.output(report_of(item("failed")))
    driver.close()
    assert [data for _, _, data in obeyed(stream.getvalue())] == ["failed StringContains: it failed"]


def test_a_run_that_breaks_leaves_commands_switched_on_once():
    stream = io.StringIO()
    driver = GitHubOutput(stream)
    driver.start(plan_of(report_of()))
    driver.close()
    driver.close()
    assert stream.getvalue().count("\n") == 2
    assert obeyed(f"{stream.getvalue()}::notice::after") == [("notice", {}, "after")]
    untouched = GitHubOutput(empty := io.StringIO())
    untouched.close()
    assert empty.getvalue() == ""


def test_each_run_has_a_word_of_its_own_that_nobody_can_guess():
    stops = [written(report_of()).splitlines()[0] for _ in range(2)]
    assert all(re.fullmatch("::stop-commands::[0-9a-f]{32}", stop) for stop in stops)
    assert stops[0] != stops[1]


FORGERIES = [
    "x\n::error::forged",
    "x\r::error::forged",
    "::error file=a::forged",
    "##[error]forged",
    "a,file=b::c%0A::d",
]


@pytest.mark.parametrize("text", [*FORGERIES, *HOSTILE.values()])
def test_no_text_is_a_command_or_changes_one(text):
    one = check("failed", name=text, label=f"{text} label", message=text)
    results = evaluator(
        item("failed", item_id=text, checks=(one,)), item("error", 1, item_id=text, error=text, checks=()), name=text
    )
    log = written(report(results, evaluator(name=text, error=text), stopped=text))
    commands = obeyed(log)
    assert [(name, set(properties)) for name, properties, _ in commands] == [("error", {"title"})] * 3
    assert log.replace("\n", "").isprintable()
    assert len(log.splitlines()) == 5


@given(st.text(max_size=40))
@example(": a::b, c=d 100%")
def test_a_command_gives_back_its_text(text):
    ((name, properties, data),) = obeyed(command("error", f"m{text}", title=f"t{text}", file=None))
    assert name == "error"
    assert set(properties) == {"title"}
    if text.isprintable():
        assert (properties["title"], data) == (f"t{text}".strip(), f"m{text}")


def test_the_report_is_added_to_the_summary(step):
    step.write_text("# Build", encoding="utf-8")
    written(report_of(item("failed", item_id="größe")))
    written(report_of(item()))
    text = step.read_text(encoding="utf-8")
    assert text.startswith("# Build\n## Agent evaluations: FAILURES!\n\n| Evaluator")
    assert "`größe`" in text
    assert "\n\n## Agent evaluations: OK\n" in text


def test_a_summary_that_is_not_there_yet_is_made(step):
    step.unlink()
    written(report_of(item()))
    assert step.read_text(encoding="utf-8").startswith("## Agent evaluations: OK\n")


def test_the_summary_stays_below_the_bytes_that_github_takes(step):
    step.write_text("x" * (1024 * 1024 - 20_000))
    failed = [item("failed", number, checks=(check("failed", message="🙂" * 900),)) for number in range(50)]
    written(report_of(*failed))
    assert 1024 * 1024 - 10_000 < step.stat().st_size <= 1024 * 1024
    assert re.search(r"\*\*Left out here: \d+ of 50 failed or broken items", step.read_text(encoding="utf-8"))


def test_a_full_summary_is_an_error_after_the_annotations(step):
    step.write_text("x" * (1024 * 1024 - 5_000))
    driver = GitHubOutput(stream := io.StringIO())
    driver.start(plan_of(report_of()))
    with pytest.raises(OutputError, match=r'^cannot add to ".*summary\.md": it has 1043576 of the 1048576 bytes'):
        driver.output(report_of(item("failed")))
    assert len(obeyed(stream.getvalue())) == 1
    assert step.stat().st_size == 1024 * 1024 - 5_000


def test_a_summary_that_cannot_be_written_is_an_error(tmp_path):
    driver = GitHubOutput(io.StringIO(), summary=tmp_path / "missing" / "summary.md")
    with pytest.raises(OutputError, match=r'^cannot add to ".*missing/summary\.md": No such file or directory$'):
        driver.output(report_of(item()))


def test_without_a_summary_the_annotations_are_written_and_it_is_an_error(monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    driver = GitHubOutput(stream := io.StringIO())
    with pytest.raises(OutputError, match=r"^the environment variable GITHUB_STEP_SUMMARY is not set; "):
        driver.output(report_of(item("failed")))
    assert len(obeyed(stream.getvalue())) == 1


def test_a_reader_that_went_away_is_an_error():
    with pytest.raises(OutputError, match="the reader closed the pipe"):
        GitHubOutput(ClosedPipe()).start(plan_of(report_of()))


def test_what_would_make_it_fail_is_a_problem(monkeypatch, step):
    assert GitHubOutput(io.StringIO()).problems() == []
    closed = io.StringIO()
    closed.close()
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert GitHubOutput(closed).problems() == [
        "the stream is closed",
        "the environment variable GITHUB_STEP_SUMMARY is not set; "
        'run it in a step of GitHub Actions, or give the option "summary" a file',
    ]
    assert GitHubOutput(io.StringIO(), summary=step).problems() == []
    assert GitHubOutput(io.StringIO(), summary=step.parent).problems() == [
        f'"{step.parent}" is a directory; give a file'
    ]
    monkeypatch.setattr("sys.stdout", None)
    assert GitHubOutput(summary=step).problems() == ["there is no standard output; give another stream"]
    assert GitHubOutput(summary=step).destination is None


def test_a_relative_summary_belongs_to_the_folder_where_it_was_named(monkeypatch, tmp_path):
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path)
    driver = GitHubOutput(io.StringIO(), summary="mine.md")
    monkeypatch.chdir(tmp_path / "else")
    driver.output(report_of(item()))
    assert (tmp_path / "mine.md").exists()


def test_the_file_of_an_evaluator(tmp_path, monkeypatch):
    assert source_file(HERE, ROOT) == FILE
    assert source_file(f"{__name__}.Outer.Inner", ROOT) == FILE
    assert source_file(HERE, ROOT / "tests") == FILE.removeprefix("tests/")
    assert source_file(HERE, tmp_path) is None
    assert source_file("nowhere.at.All", ROOT) is None
    assert source_file("sys.Built", ROOT) is None
    assert source_file("Alone", ROOT) is None
    (tmp_path / "broken.py").touch()
    monkeypatch.chdir(tmp_path)
    assert source_file("broken.py", tmp_path) == "broken.py"
    assert source_file("../broken.py", tmp_path) is None
    assert source_file("gone.py", tmp_path) is None


def test_without_a_workspace_files_are_named_from_the_working_directory(monkeypatch):
    monkeypatch.delenv("GITHUB_WORKSPACE")
    monkeypatch.chdir(ROOT / "tests")
    log = written(report_of(item("failed", evaluator_class=HERE)))
    assert obeyed(log)[0][1]["file"] == FILE.removeprefix("tests/")
