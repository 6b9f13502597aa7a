"""Time limits, retries, repeats and kinds of workers, in processes of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree as ET

import pytest

from tests.management.projects import environment, write
from tests.patience import under_shortest_limit

HANG = 600

KINDS = [
    pytest.param((), id="inline"),
    pytest.param(("--workers", "threads", "--concurrency", "3"), id="threads"),
    pytest.param(("--workers", "async", "--concurrency", "3"), id="async"),
    pytest.param(("--workers", "processes", "--concurrency", "3"), id="processes"),
]

START = """
import asyncio, os, signal, sys, time
from pathlib import Path

from neuron_evals import BaseEvaluator, StringContains

class Support(BaseEvaluator):
    def get_dataset(self):
        return [{"id": name, "input": name} for name in NAMES]

    def evaluate(self, output, item):
        self.check(StringContains("good"), output)

"""


@pytest.fixture
def project(folder):
    """Write the one evaluator of the project: its items, the body of `run`, and class attributes."""

    def build(names, run, attributes=""):
        source = START.replace("NAMES", repr(names)) + attributes + run
        write(folder, "support.py", source)
        return folder

    return build


HANGING = f"""
    def run(self, item):
        if "hang" in item["input"]:
            time.sleep({HANG})
        return item["input"]
"""
AWAITING = HANGING.replace("def run", "async def run").replace("time.sleep", "await asyncio.sleep")


def statuses(process):
    return [result["status"] for result in json.loads(process.stdout)["results"]]


def only_hung_items_are_late(process):
    results = json.loads(process.stdout)["results"]
    return not any("TimeLimit" in str(result["error"]) for result in results if "hang" not in result["item_id"])


@pytest.mark.parametrize("run", [HANGING, AWAITING], ids=["plain", "awaited"])
@pytest.mark.parametrize("kind", KINDS)
def test_timeout__hung_items_are_errors_the_others_pass_and_the_process_ends(evaluations, project, kind, run):
    project(["good 1", "hang 1", "good 2", "hang 2", "hang 3"], run)
    started = time.monotonic()
    process, limit = under_shortest_limit(
        lambda limit: evaluations("--timeout", f"{limit:g}", "--output", "json", *kind), only_hung_items_are_late
    )

    assert time.monotonic() - started < HANG / 2
    assert process.returncode == 1, process.stderr
    assert statuses(process) == ["passed", "error", "passed", "error", "error"]
    errors = [result["error"] for result in json.loads(process.stdout)["results"] if result["error"]]
    assert errors == [f"TimeLimit: the item took longer than {limit:g} s"] * 3


def test_timeout_of_an_item__goes_before_that_of_its_class(evaluations, project):
    items = """
    def get_dataset(self):
        return [{"id": "a", "input": "hang", "timeout": 0.5}]
"""
    project([], HANGING, f"    timeout = {HANG}\n" + items)
    [result] = json.loads(evaluations("--output", "json").stdout)["results"]

    assert result["error"] == "TimeLimit: the item took longer than 0.5 s"


@pytest.mark.parametrize(
    ("deed", "error"),
    [
        ("os._exit(0)", "WorkerDied: its process ended with exit status 0 before the item did"),
        ("os._exit(3)", "WorkerDied: its process ended with exit status 3 before the item did"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "WorkerDied: its process was killed by SIGKILL"),
    ],
)
def test_processes__a_child_that_dies_is_that_items_error(evaluations, project, deed, error):
    run = f"""
    def run(self, item):
        if item["input"] == "die":
            {deed}
        return item["input"]
"""
    project(["good 1", "die", "good 2", "good 3"], run)
    process = evaluations("--workers", "processes", "--concurrency", "2", "--output", "json")

    assert process.returncode == 1
    assert statuses(process) == ["passed", "error", "passed", "passed"]
    assert json.loads(process.stdout)["results"][1]["error"].startswith(error)


SHAKY = """
    def run(self, item):
        with Path(f"tries of {item['id']}").open("a") as tries:
            tries.write("x")
        if len(Path(f"tries of {item['id']}").read_text()) <= int(item["input"][-1]):
            raise ConnectionError("no route")
        return "good"
"""


@pytest.mark.parametrize("kind", KINDS)
def test_retries__help_what_breaks_less_often_and_are_counted(evaluations, project, kind):
    project(["breaks 0", "breaks 1", "breaks 2", "breaks 9"], SHAKY)
    process = evaluations("--retries", "2", "--output", "json", *kind)

    assert process.returncode == 1, process.stderr
    results = json.loads(process.stdout)["results"]
    assert [result["status"] for result in results] == ["passed", "passed", "passed", "error"]
    assert [result["attempts"] for result in results] == [1, 2, 3, 3]
    assert results[2]["other_attempts"][1]["error"].startswith("ConnectionError: no route")


def test_retries__none_by_default(evaluations, project):
    project(["breaks 1"], SHAKY)
    [result] = json.loads(evaluations("--output", "json").stdout)["results"]
    assert (result["status"], result["attempts"]) == ("error", 1)


def test_retry_failed__the_first_answer_counts_and_both_reports_say_what_came_later(evaluations, project):
    run = SHAKY.replace('raise ConnectionError("no route")', 'return "bad"')
    folder = project(["breaks 1"], run, "    retry_failed = True\n")
    process = evaluations("--retries", "1", "--output", "json=r.json", "--output", "console", "--min-success-rate", "1")

    report = json.loads((folder / "r.json").read_text())
    assert process.returncode == 1
    assert "FAILED Support #0 breaks 1 (2 attempts, passed on attempt 2)" in process.stdout
    assert (report["total"], report["failed"], report["success_rate"]) == (1, 1, 0.0)
    [result] = report["results"]
    assert (result["status"], result["output"], result["attempts"]) == ("failed", "bad", 2)
    assert [(attempt["status"], attempt["output"]) for attempt in result["other_attempts"]] == [("passed", "good")]


THIRD = """
    def run(self, item):
        with Path(f"runs of {item['id']}").open("a") as runs:
            runs.write("x")
        lucky = len(Path(f"runs of {item['id']}").read_text()) % 5 == 1
        return "good" if lucky or "steady" in item["input"] else "bad"
"""


@pytest.mark.parametrize("workers", [(), ("--workers", "processes")], ids=["inline", "processes"])
def test_repeat__each_item_so_often_with_its_figures_in_both_reports(evaluations, project, workers):
    folder = project(["steady", "lucky"], THIRD)
    process = evaluations("--repeat", "5", "--output", "json=r.json", "--output", "console", *workers)
    report = json.loads((folder / "r.json").read_text())

    assert process.returncode == 1
    assert [(result["item_id"], result["repeat"]) for result in report["results"]] == [
        (name, repeat) for name in ("steady", "lucky") for repeat in range(5)
    ]
    assert (report["total"], report["passed"], report["failed"]) == (10, 6, 4)
    assert report["success_rate"] == pytest.approx(0.6)
    assert report["repeats"]["pass_at"] == pytest.approx({"1": 0.6, "2": 0.7, "3": 0.8, "4": 0.9, "5": 1.0})
    assert report["repeats"]["pass_hat"] == pytest.approx({"1": 0.6, "2": 0.5, "3": 0.5, "4": 0.5, "5": 0.5})
    assert [item["item_id"] for item in report["repeats"]["flaky"]] == ["lucky"]
    assert "Items: 10, Passed: 6, Failed: 4," in process.stdout
    assert "Success rate: 60% (95% interval " in process.stdout
    assert ", 2 items, 10 executions)" in process.stdout
    assert "Repeats: 2 items in 10 executions, pass@5 1, pass^5 0.5 (over 2 of 2 items)" in process.stdout
    assert "Flaky: 1 item: lucky (1 of 5)" in process.stdout


def test_repeat__goes_before_the_class(evaluations, project):
    project(["lucky"], THIRD, "    repeats = 5\n")
    by_class = json.loads(evaluations("--output", "json").stdout)
    by_option = json.loads(evaluations("--output", "json", "--repeat", "3").stdout)

    assert by_class["repeats"]["most"] == 5
    assert by_option["repeats"]["most"] == 3
    assert by_option["success_rate"] == pytest.approx(1 / 3)
    assert by_option["repeats"]["pass_at"]["2"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--repeat", "0", "'0' is no whole number from 1 to 10,000"),
        ("--repeat", "-1", "-1"),
        ("--repeat", "9" * 30, f"'{'9' * 30}' is no whole number from 1 to 10,000"),
        ("--repeat", "true", "'true' is no whole number from 1 to 10,000"),
        ("--repeat", "1.5", "'1.5' is no whole number from 1 to 10,000"),
        ("--retries", "-1", "-1"),
        ("--retries", "x", "'x' is no whole number from 0 to 1,000"),
        ("--timeout", "0", "'0' is no number of seconds above 0"),
        ("--timeout", "inf", "'inf' is no number of seconds above 0"),
        ("--timeout", "nan", "'nan' is no number of seconds above 0"),
        ("--timeout", "5s", "'5s' is no number of seconds above 0"),
    ],
)
def test_option_out_of_range__one_line_with_the_range_and_nothing_runs(evaluations, folder, option, value, said):
    process = evaluations(option, value)

    assert process.returncode == 2
    assert option in process.stderr
    assert said in process.stderr
    assert process.stderr.count("\n") == 1
    assert process.stdout == ""


@pytest.mark.parametrize("repeats", ["0", "-1", "'3'", "True", "2.0"])
def test_repeats_of_a_class_out_of_range__status_2_with_class_and_range(evaluations, project, repeats):
    project(["good"], HANGING, f"    repeats = {repeats}\n")
    process = evaluations()

    assert process.returncode == 2
    assert "evaluators.support.Support.repeats is a whole number from 1 to 10,000, got " in process.stderr
    assert process.stderr.count("\n") == 1


@pytest.mark.parametrize("repeat", [(), ("--repeat", "5")], ids=["once", "repeated"])
@pytest.mark.parametrize(
    ("names", "args"),
    [([], ()), (["good"], ("--filter", "tag:none")), (["good"], ("--tag", "none"))],
    ids=["empty", "filter", "tag"],
)
def test_nothing_to_repeat__status_2_and_no_rate(evaluations, project, names, args, repeat):
    project(names, HANGING)
    process = evaluations(*args, *repeat)

    assert process.returncode == 2
    assert process.stderr.startswith("CommandError: nothing was evaluated: ")
    assert "%" not in process.stdout + process.stderr


TELLING = f"""
    def run(self, item):
        if item["input"] == "good 3":
            print("running", file=sys.stderr, flush=True)
            time.sleep({HANG})
        if item["input"] > "good 3":
            time.sleep({HANG})
        return item["input"]
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param((), id="inline"),
        pytest.param(("--workers", "threads", "--concurrency", "1"), id="threads"),
        pytest.param(("--workers", "async", "--concurrency", "1"), id="async"),
        pytest.param(("--workers", "processes", "--concurrency", "1"), id="processes"),
    ],
)
def test_interrupted_after_3_of_10__status_130_three_kept_and_seven_cancelled(project, kind, number):
    folder = project([f"good {n}" for n in range(10)], TELLING)
    process = subprocess.Popen(
        [sys.executable, "-m", "django", "evaluations", "--output", "json=r.json", *kind],
        cwd=folder,
        env=environment(folder),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr.readline() == "running\n"
        process.send_signal(number)
        process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()

    report = json.loads((folder / "r.json").read_text())
    assert process.returncode == 130
    assert [result["status"] for result in report["results"]] == ["passed"] * 3 + ["cancelled"] * 7
    assert (report["interrupted"], report["success_rate"], report["cancelled"]) == (True, 1.0, 7)


BROKEN = {
    "file": "import no_such_module",
    "set-up": START.replace("NAMES", "['good']")
    + HANGING
    + """
    def set_up(self):
        raise RuntimeError("no key")
""",
    "empty dataset": START.replace("NAMES", "[]") + HANGING,
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_all_that_should_run_is_broken__status_2_and_each_report_says_what(evaluations, folder, source):
    write(folder, "support.py", source)
    outputs = [f"--output={name}={name}" for name in ("junit", "json", "markdown")]
    process = evaluations(*outputs, "--output", "console")
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("CommandError: nothing was evaluated: ")
    said = process.stderr.splitlines()[0].partition("support")[2].partition(": ")[2]
    assert said
    (suite,) = ET.parse(folder / "junit").getroot()  # noqa: S314  (this project's own output)
    assert (suite.get("errors"), said in ET.tostring(suite, "unicode")) == ("1", True)
    (evaluator,) = json.loads((folder / "json").read_text())["evaluators"]
    assert said in evaluator["error"]
    assert said in (folder / "markdown").read_text()


SWALLOWING = """
    def run(self, item):
        if item["input"] != "hang":
            return item["input"]
        while True:
            try:
                print("now", file=sys.stderr, flush=True)
                signal.pause()
            except BaseException:
                pass
"""


def test_agent_that_swallows_interruptions__the_second_one_ends_the_command_with_what_was_finished(project):
    folder = project(["good 1", "good 2", "hang", "good 3"], SWALLOWING)
    outputs = [f"--output={name}={folder / name}" for name in ("json", "junit")]
    process = subprocess.Popen(
        [sys.executable, "-m", "django", "evaluations", *outputs, "--output", "console"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(2):
            assert process.stderr.readline().startswith("now")
            process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    data = json.loads((folder / "json").read_text())
    assert data["interrupted"] is True
    assert [result["status"] for result in data["results"]] == ["passed", "passed", "cancelled", "cancelled"]
    assert "INTERRUPTED" in told
    assert (folder / "junit").stat().st_size
