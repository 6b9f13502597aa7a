"""The command as a user runs it: real processes, real folders."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from io import StringIO

import pytest
from django.core.management import call_command

from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.management.commands.evaluations import Command
from tests.management.projects import SUPPORT, environment, evaluator, timeless, write

PASSING = ("--exclude-tag", "known-gap")


@pytest.mark.usefixtures("folder")
def test_all_pass__status_0(evaluations):
    process = evaluations("evaluators", *PASSING)

    assert process.returncode == 0, process.stderr
    assert "OK" in process.stdout
    assert "FAILURES" not in process.stdout


@pytest.mark.usefixtures("folder")
def test_default_path__evaluators_below_the_working_directory(evaluations):
    assert evaluations(*PASSING).returncode == 0


def test_path_option__wins_over_the_argument(evaluations, folder):
    (folder / "other").mkdir()
    process = evaluations("other", "--path", "evaluators", *PASSING)

    assert process.returncode == 0, process.stderr


@pytest.mark.usefixtures("folder")
def test_a_failure__status_1_with_evaluator_item_label_message_and_line(evaluations):
    process = evaluations("evaluators")

    assert process.returncode == 1
    line = SUPPORT.splitlines().index('        self.check(StringContains(item["word"]), output, label="answer")') + 1
    assert "FAILURES!" in process.stdout
    for part in ("Support", "greeting", "answer", "hello", f"Support:{line}"):
        assert part in process.stdout


@pytest.mark.usefixtures("folder")
def test_verbosity_2__every_item(evaluations):
    process = evaluations("evaluators", "-v", "2")

    for item in ("hours", "refund", "greeting"):
        assert item in process.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("concurrency", ["1", "4", "32"])
def test_json_output__the_same_report_for_any_concurrency(evaluations, concurrency):
    def report(*args):
        process = evaluations("evaluators", "--output", "json", *args)
        assert process.returncode == 1, process.stderr
        return timeless(json.loads(process.stdout))

    assert report("--concurrency", concurrency, "--workers", "threads") == report()


def test_json_on_stdout__what_agents_print_and_the_console_go_to_stderr(evaluations, folder):
    write(
        folder,
        "printing.py",
        evaluator(
            "Printing", '\n    def run(self, item):\n        print("from the agent")\n        return item["input"]\n'
        ),
    )
    process = evaluations("evaluators", "--output", "json", "--output", "console")

    report = json.loads(process.stdout)
    assert report["total"] == 6
    assert "from the agent" in process.stderr
    assert "FAILURES!" in process.stderr


def test_json_file__beside_the_console(evaluations, folder):
    process = evaluations("evaluators", "--output", "json=results.json", "--output", "console")

    assert process.returncode == 1
    report = json.loads((folder / "results.json").read_text())
    assert (report["total"], report["passed"], report["failed"], report["errors"]) == (3, 2, 1, 0)
    checks = [check for result in report["results"] for check in result["checks"]]
    assert [check["verdict"] for check in checks] == ["passed", "passed", "failed"]
    assert "FAILURES!" in process.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "ids"),
    [
        (("--tag", "smoke"), ["hours"]),
        (("--tag", "smoke,known-gap"), ["hours", "greeting"]),
        (("--tag", "smoke", "--tag", "known-gap"), ["hours", "greeting"]),
        (("--tag", "support", "--exclude-tag", "smoke"), ["refund", "greeting"]),
        (("--filter", "REF"), ["refund"]),
        (("--limit", "2"), ["hours", "refund"]),
    ],
)
def test_selection__which_items_run(evaluations, args, ids):
    process = evaluations("evaluators", "--output", "json", *args)

    assert [result["item_id"] for result in json.loads(process.stdout)["results"]] == ids


def test_fail_fast__the_rest_is_cancelled_and_named(evaluations, folder):
    write(folder, "failing.py", evaluator("AFailing", '\n    def run(self, item):\n        return "no"\n'))
    process = evaluations("evaluators", "--output", "json", "--fail-fast", "--filter", "failing.AFailing")

    report = json.loads(process.stdout)
    assert process.returncode == 1
    assert (report["failed"], report["cancelled"], report["stopped"]) == (1, 2, "fail-fast")


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (("--min-success-rate", "0.6"), 0, "gate reached"),
        (("--min-success-rate", "0.7"), 1, "success rate 0.6667 is below 0.7"),
        (("--min-success-rate", "0.6", "--filter", "greeting"), 1, "success rate 0.0000 is below 0.6"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_gate(evaluations, args, status, said):
    process = evaluations("evaluators", *args)

    assert process.returncode == status
    assert said in process.stderr


def test_gate__errors_are_not_forgiven_unless_asked(evaluations, folder):
    write(
        folder,
        "breaking.py",
        evaluator("Breaking", '\n    def run(self, item):\n        raise RuntimeError("provider down")\n'),
    )
    assert evaluations("evaluators", "--min-success-rate", "0.3", *PASSING).returncode == 1
    assert evaluations("evaluators", "--min-success-rate", "0.3", "--max-error-rate", "0.5", *PASSING).returncode == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("missing",), "missing"),
        (("evaluators/support.py",), "support.py"),
        (("evaluators", "--concurrency", "0"), "--concurrency: '0' is no whole number from 1 up"),
        (("evaluators", "--concurrency", "4abc"), "'4abc'"),
        (("evaluators", "--concurrency", "-2"), "-2"),
        (("evaluators", "--concurrency", "1.5"), "'1.5'"),
        (("evaluators", "--limit", "0"), "--limit: '0' is no whole number from 1 up"),
        (("evaluators", "--min-success-rate", "95"), "'95' is no fraction from 0 to 1"),
        (("evaluators", "--min-success-rate", "nan"), "'nan' is no fraction"),
        (("evaluators", "--max-error-rate", "-1"), "-1"),
        (("evaluators", "--workers", "fibers"), "fibers"),
        (("evaluators", "--no-such-option"), "--no-such-option"),
        (("evaluators", "--output", "jsn"), 'Did you mean "json"'),
        (("evaluators", "--output", "json=missing/results.json"), "missing"),
        (("evaluators", "--output", "json=evaluators"), "evaluators"),
        (("evaluators", "--output", "json=a.json", "--output", "json=a.json"), "a.json"),
        (("evaluators", "--filter", "zzz"), "'zzz'"),
        (("evaluators", "--tag", "none"), "--tag none"),
        (("evaluators", "--tag", ""), "--tag: '' names no tag"),
        (("evaluators", "--exclude-tag", " , "), "--exclude-tag: ' , ' names no tag"),
        (("evaluators", "--filter", ""), "--filter: expected a text, got an empty one"),
        (("",), "PATH: expected a text, got an empty one"),
        (("--path", ""), "--path: expected a text, got an empty one"),
    ],
)
def test_bad_input__one_clear_line_and_status_2_and_nothing_written(evaluations, folder, args, said):
    before = sorted(folder.rglob("*.json"))
    process = evaluations(*args)

    assert process.returncode == 2, process.stdout + process.stderr
    assert said in process.stderr
    assert "Traceback" not in process.stderr
    assert len(process.stderr.strip().splitlines()) == 1, process.stderr
    assert process.stdout == ""
    assert sorted(folder.rglob("*.json")) == before


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "no evaluator in this folder"),
        ("this is no Python", "SyntaxError"),
        ("import no_such_module_at_all", "no_such_module_at_all"),
        ("raise SystemExit(0)", "SystemExit"),
        (evaluator("Empty", "\n    def get_dataset(self):\n        return []\n"), "the dataset is empty"),
        (evaluator("Broken", "\n    def set_up(self):\n        raise OSError('no disk')\n"), "OSError: no disk"),
        (
            evaluator(
                "Missing",
                "\n    def get_dataset(self):\n        from neuron_evals import JsonDataset\n"
                "        return JsonDataset(__file__, 'datasets/none.json')\n",
            ),
            "none.json",
        ),
        (evaluator("Wanting", "\n    def __init__(self, path: str):\n        self.path = path\n"), '"path"'),
    ],
)
def test_only_something_broken__one_clear_line_and_status_2(evaluations, folder, source, said):
    write(folder, "support.py", source)
    process = evaluations("evaluators")

    assert process.returncode == 2, process.stdout
    assert said in process.stderr
    assert "Traceback" not in process.stderr
    assert len(process.stderr.strip().splitlines()) == 1, process.stderr
    assert process.stdout == ""


HOSTILE = "'\\x1b[31mred\\x07\\u202e\\nOK\\rItems: 1'"


@pytest.mark.parametrize(
    "source",
    [
        f"raise ValueError({HOSTILE})",
        evaluator("Broken", f"\n    def set_up(self):\n        raise OSError({HOSTILE})\n"),
    ],
)
def test_hostile_text_in_an_error__one_line_that_drives_no_terminal(evaluations, folder, source):
    write(folder, "support.py", source)
    process = evaluations("evaluators")

    assert process.returncode == 2
    assert process.stderr.rstrip("\n").isprintable(), process.stderr


def test_hostile_text_in_what_the_gate_says__one_line_that_drives_no_terminal(evaluations, folder):
    items = (
        f"\n    def get_dataset(self):\n        yield {{'input': 'a', 'word': 'a'}}\n        raise OSError({HOSTILE})\n"
    )
    write(folder, "support.py", evaluator("Breaking", items))
    process = evaluations("evaluators", "--min-success-rate", "0.5")

    assert process.returncode == 1
    assert process.stderr.startswith("gate not reached: ")
    assert process.stderr.rstrip("\n").isprintable(), process.stderr


@pytest.mark.parametrize(
    "source",
    [
        "this is no Python",
        evaluator("Empty", "\n    def get_dataset(self):\n        return []\n"),
        evaluator("Broken", "\n    def set_up(self):\n        raise OSError('no disk')\n"),
        evaluator("Wanting", "\n    def __init__(self, path: str):\n        self.path = path\n"),
        evaluator("Ending", "\n    def __init__(self):\n        raise SystemExit(0)\n"),
    ],
)
def test_something_broken_beside_others__they_run_and_status_1(evaluations, folder, source):
    write(folder, "other.py", source)
    process = evaluations("evaluators", *PASSING, "--output", "json")

    report = json.loads(process.stdout)
    assert process.returncode == 1
    assert report["passed"] == 2
    assert [e["error"] for e in report["evaluators"] if e["error"]]
    assert report["has_failures"]


def test_unknown_setting__status_2_with_a_suggestion(evaluations, folder):
    process = evaluations("evaluators", settings={"OUTPUT": ["console"]})

    assert process.returncode == 2
    assert 'Did you mean "OUTPUTS"?' in process.stderr


@pytest.mark.usefixtures("folder")
def test_outputs_setting__replaced_by_the_option(evaluations):
    setting = {"OUTPUTS": [{"BACKEND": "json", "OPTIONS": {"path": "from_settings.json"}}]}

    assert evaluations("evaluators", settings=setting).stdout == ""
    assert "FAILURES!" in evaluations("evaluators", "--output", "console", settings=setting).stdout


def test_driver_breaks_later__status_1_and_the_others_report(evaluations, folder):
    write(folder, "support.py", SUPPORT)
    (folder / "drivers.py").write_text(
        "from neuron_evals import OutputDriver\n\n"
        "class Broken(OutputDriver):\n    def output(self, report):\n        raise RuntimeError('upload refused')\n"
    )
    process = evaluations("evaluators", *PASSING, "--output", "drivers.Broken", "--output", "console")

    assert process.returncode == 1
    assert "upload refused" in process.stderr
    assert "OK" in process.stdout


def test_two_classes_of_one_short_name__both_run_and_are_shown_in_full(evaluations, folder):
    write(folder, "billing.py", SUPPORT)
    process = evaluations("evaluators")

    assert "evaluators.support.Support" in process.stdout
    assert "evaluators.billing.Support" in process.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("concurrency", ["1", "3"])
def test_interrupted__status_130_and_what_is_there_is_reported(folder, number, concurrency):
    write(
        folder,
        "support.py",
        evaluator(
            "Hanging",
            "\n    def run(self, item):\n"
            "        import sys, time\n"
            "        if item['id'] == 'refund':\n"
            "            print('hanging', file=sys.stderr, flush=True)\n"
            "            time.sleep(600)\n"
            "        return item['input']\n",
        ),
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "django", "evaluations", "--output", "json=r.json", "--concurrency", concurrency],
        cwd=folder,
        env=environment(folder),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "hanging\n"
    process.send_signal(number)
    process.communicate(timeout=300)

    report = json.loads((folder / "r.json").read_text())
    assert process.returncode == 130
    assert report["interrupted"]
    assert report["total"] == 3
    # Beside others the first item may still be at work.
    assert report["results"][0]["status"] in ({"passed"} if concurrency == "1" else {"passed", "cancelled"})
    assert report["results"][1]["status"] == "cancelled"


def test_own_command__overrides_make_and_runner(evaluations, folder):
    """A project's command may derive from ours."""
    made = []

    class OwnCommand(Command):
        def make(self, cls):
            made.append(cls.__name__)
            return super().make(cls)

        def runner(self):
            made.append("runner")
            return EvaluatorRunner()

    call_command(OwnCommand(), str(folder / "evaluators"), exclude_tag=["known-gap"], verbosity=0)

    assert sorted(made) == ["Support", "runner"]


def test_call_command__a_failure__system_exit_1(folder, capsys):
    with pytest.raises(SystemExit) as caught:
        call_command("evaluations", str(folder / "evaluators"))
    assert caught.value.code == 1


def test_call_command__own_streams_are_used(folder):
    out = StringIO()
    call_command("evaluations", str(folder / "evaluators"), exclude_tag=["known-gap"], stdout=out)

    assert "OK" in out.getvalue()
