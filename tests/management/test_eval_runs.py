"""The command `eval_runs`: what it shows, does, and how it ends."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from neuron_evals.models import EvalRun, RunStatus
from neuron_evals.models.leases import claim
from neuron_evals.runs import create_run, execute_run
from tests.management.projects import environment
from tests.runs.samples import SETTINGS, Agent, again, items, leases_expire, make_suite

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _agents():
    Agent.forget()
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


@pytest.fixture
def suite():
    return make_suite("default", items(3, wrong=(1,)))


def done(suite: Any, **given: Any) -> EvalRun:
    return execute_run(create_run(suite, **given).pk)


def eval_runs(*args: object, **streams: object) -> tuple[str, int]:
    """What the command prints, and its exit status."""
    out = io.StringIO()
    try:
        call_command("eval_runs", *map(str, args), stdout=out, **streams)
    except SystemExit as exc:
        return out.getvalue(), int(str(exc.code))
    return out.getvalue(), 0


def refused(*args: object) -> str:
    with pytest.raises(CommandError) as caught:
        eval_runs(*args)
    assert caught.value.returncode == 2
    return str(caught.value)


def test_list__newest_first__in_one_query(suite, django_assert_num_queries):
    first, second = done(suite), create_run(suite, fake=True)
    with django_assert_num_queries(1):
        text, status = eval_runs("list")

    lines = text.splitlines()
    assert status == 0
    assert lines[0].split() == ["RUN", "STATUS", "PASSED", "RATE", "CREATED", "WHAT"]
    assert lines[1].startswith(f"{second.pk} ".ljust(3))
    assert "queued" in lines[1]
    assert lines[1].endswith("Smoke tests (fake)")
    assert "2/3" in lines[2]
    assert "66.7%" in lines[2]
    assert lines[2].startswith(str(first.pk))


def test_list__json_and_filters(suite):
    first, second = done(suite, batch="b"), create_run(suite)
    text, _ = eval_runs("list", "--format", "json")
    values = json.loads(text)
    assert [run["id"] for run in values] == [second.pk, first.pk]
    assert values[1]["counts"] == {
        "planned": 3,
        "total": 3,
        "passed": 2,
        "failed": 1,
        "error": 0,
        "skipped": 0,
        "cancelled": 0,
        "cached": 0,
    }
    assert (values[1]["suite"], values[1]["status"], values[0]["success_rate"]) == ("smoke-tests", "failed", None)

    for options, expected in (
        (["--status", "queued"], [second.pk]),
        (["--batch", "b"], [first.pk]),
        (["--suite", "smoke-tests"], [second.pk, first.pk]),
        (["--limit", "1"], [second.pk]),
        (["--status", "passed"], []),
    ):
        assert [run["id"] for run in json.loads(eval_runs("list", "--format", "json", *options)[0])] == expected


def test_list__nothing__says_so():
    assert eval_runs("list") == ("No runs.\n", 0)
    assert eval_runs("list", "--format", "json") == ("[]\n", 0)


def test_show__what_did_not_pass__in_constant_queries(suite, django_assert_num_queries):
    run = done(suite)
    with django_assert_num_queries(2):
        text, status = eval_runs("show", run.pk)

    assert status == 0
    assert "Results: 3 (2 passed, 1 failed); success rate 66.7%" in text
    assert '- failed: item-1\n    reference: "say 1" does not contain "never"' in text
    assert "item-0" not in text
    assert "- passed: item-0" in eval_runs("show", run.pk, "--all")[0]


def half_done(suite: Any) -> EvalRun:
    """A run that is being resumed: two of its three results are there, and its row counts three."""
    run = done(suite)
    run.items.filter(item_id="item-2").delete()
    EvalRun.objects.filter(pk=run.pk).update(status=RunStatus.RUNNING, finished_at=None)
    return run


def test_show__run_that_is_not_over__counts_what_is_stored_now(suite, django_assert_num_queries):
    run = half_done(suite)
    with django_assert_num_queries(3):
        text, _ = eval_runs("show", run.pk)

    assert "Results: 2 of 3 planned (1 passed, 1 failed); success rate 50.0%" in text
    values = json.loads(eval_runs("show", run.pk, "--format", "json")[0])
    assert (values["counts"]["total"], values["counts"]["failed"], values["success_rate"]) == (2, 1, 0.5)


def test_list__run_that_is_not_over__figures_are_unknown(suite):
    run = half_done(suite)
    assert eval_runs("list")[0].splitlines()[1].split()[:4] == [str(run.pk), "running", "-", "-"]
    (values,) = json.loads(eval_runs("list", "--format", "json")[0])
    assert values["counts"] == {"planned": 3} | dict.fromkeys(
        ("total", "passed", "failed", "error", "skipped", "cancelled", "cached")
    )
    assert (values["success_rate"], values["aggregate_score"]) == (None, None)


def test_show__json__has_what_the_run_keeps(suite):
    run = done(suite)
    values = json.loads(eval_runs("show", run.pk, "--format", "json", "--all", "--limit", 2)[0])
    assert [item["status"] for item in values["items"]] == ["passed", "failed"]
    assert values["agent_snapshot"]["definition"] == {"code": "noting"}


def test_text_of_models__cannot_drive_the_terminal():
    hostile = "\x1b]52;c;eA==\x07\u202ereversed\r\nRun 1: passed"
    suite = make_suite("default", [{"id": "a" + hostile, "input": hostile, "reference": "never"}])
    type(suite).objects.update(name="suite " + hostile)
    suite.refresh_from_db()
    run = done(suite)

    for text in (eval_runs("show", run.pk)[0], eval_runs("list")[0]):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\r" not in text
        assert not [line for line in text.splitlines() if line.startswith("Run 1: passed")]


@pytest.mark.parametrize(("wrong", "status"), [((), 0), ((1,), 1)])
def test_execute__exit_status_is_the_runs(wrong, status):
    run = create_run(make_suite("default", items(3, wrong=wrong)))
    text, ended = eval_runs("execute", run.pk)
    assert ended == status
    assert f"Run {run.pk}: Smoke tests" in text
    assert eval_runs("execute", run.pk)[1] == status
    assert len(Agent.asked) == 3


def test_execute__another_executor_has_it__status_2(suite):
    run = create_run(suite)
    claim(run, "shop-2:4711\x1b[31m")
    err = io.StringIO()
    text, status = eval_runs("execute", run.pk, stderr=err)
    assert (status, Agent.asked) == (2, [])
    assert "Status: running" in text
    assert f"run {run.pk}: another process has it (shop-2:4711" in err.getvalue()
    assert "\x1b" not in err.getvalue()


def test_resume__goes_on_in_this_process(suite):
    run = create_run(suite)
    eval_runs("cancel", run.pk)
    text, status = eval_runs("resume", run.pk)
    assert status == 1
    assert "Resumed: once" in text
    assert again(run).status == RunStatus.FAILED
    assert "it is failed; use rerun" in refused("resume", run.pk)


def test_rerun_failed__is_a_new_run(suite):
    run = done(suite)
    text, status = eval_runs("rerun-failed", run.pk)
    child = EvalRun.objects.get(parent=run)
    assert status == 1
    assert f"Run {child.pk}: Smoke tests" in text
    assert f"Repeats a part of run {run.pk}" in text
    assert child.total_count == 1
    assert "has no item that broke" in refused("rerun-errors", run.pk)


@pytest.mark.django_db(transaction=True)
def test_detach__hands_the_run_to_the_launcher(suite):
    run = done(suite)
    text, status = eval_runs("rerun-failed", run.pk, "--detach")
    child = EvalRun.objects.get(parent=run)
    assert (status, child.launcher, child.status) == (0, "inline", "failed")
    assert f"Run {child.pk}: Smoke tests" in text


NO_LOG = {"BACKEND": "process", "OPTIONS": {"log": "/nowhere/at/all/runs.log"}}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("verb", ["resume", "rerun-failed"])
def test_detach__launcher_that_cannot_be_used__nothing_is_queued(verb, suite):
    run = done(suite)
    EvalRun.objects.filter(pk=run.pk).update(status=RunStatus.CANCELLED)
    with override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": NO_LOG}):
        assert 'cannot write "/nowhere/at/all/runs.log"' in refused(verb, run.pk, "--detach")
    assert [(row.status, row.attempt) for row in EvalRun.objects.all()] == [("cancelled", 1)]


@pytest.mark.django_db(transaction=True)
def test_detach__launcher_that_cannot_be_reached__status_2_and_the_reason(suite):
    run = done(suite)
    with override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": "tests.runs.test_launching.Unreachable"}):
        text, status = eval_runs("rerun-failed", run.pk, "--detach")
    assert status == 2
    assert "Status: queued" in text
    assert "Launcher: ConnectionError: no queue answers" in text


def test_cancel__of_a_run_that_is_over__refused(suite):
    run = create_run(suite)
    assert "Status: cancelled" in eval_runs("cancel", run.pk)[0]
    assert refused("cancel", run.pk) == f"run {run.pk} is over: cancelled"


def test_cancel__of_a_running_one__says_that_it_will_be(suite):
    run = create_run(suite)
    claim(run, "another")
    assert "Status: running, to be cancelled" in eval_runs("cancel", run.pk)[0]


def test_sweep__says_what_it_closed_and_what_waits(suite):
    assert eval_runs("sweep") == ("Nothing to sweep.\n", 0)
    lost, waiting = create_run(suite), create_run(suite)
    claim(lost, "killed")
    leases_expire(lost)
    EvalRun.objects.filter(pk=waiting.pk).update(launcher="process", queued_at="2026-01-01T00:00Z")

    text, status = eval_runs("sweep")

    assert status == 0
    assert f"Run {lost.pk} was closed: error." in text
    assert f"Run {waiting.pk} waits, and nobody has begun it" in text
    assert json.loads(eval_runs("sweep", "--format", "json")[0]) == {"closed": [], "waiting": [waiting.pk]}


def test_sweep__queued_run_that_no_launcher_was_to_carry__is_told_and_never_launched(suite):
    killed = create_run(suite)
    EvalRun.objects.filter(pk=killed.pk).update(queued_at="2026-01-01T00:00Z")
    said = (
        f"Run {killed.pk} waits, and no launcher was to carry it; "
        f"`eval_runs execute {killed.pk}` or `eval_runs cancel {killed.pk}`.\n"
    )
    assert eval_runs("sweep") == eval_runs("sweep", "--relaunch") == (said, 0)
    assert again(killed).launcher == ""


def test_sweep__relaunch__launcher_that_cannot_be_used__what_was_closed_is_told_all_the_same(suite):
    lost, waiting = create_run(suite), create_run(suite)
    claim(lost, "killed")
    leases_expire(lost)
    EvalRun.objects.filter(pk=waiting.pk).update(launcher="process", queued_at="2026-01-01T00:00Z")
    with override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": "rq"}):
        text, status = eval_runs("sweep", "--relaunch")
    assert status == 2
    assert f"Run {lost.pk} was closed: error." in text
    assert f"Run {waiting.pk} could not be launched again:" in text
    assert 'the launcher "rq" is not installed' in text


@pytest.mark.django_db(transaction=True)
def test_sweep__relaunch__launches_what_nobody_has_begun(suite):
    waiting = create_run(suite)
    EvalRun.objects.filter(pk=waiting.pk).update(launcher="process", queued_at="2026-01-01T00:00Z")
    assert f"Run {waiting.pk} was launched again." in eval_runs("sweep", "--relaunch")[0]
    assert again(waiting).status == RunStatus.FAILED


def test_prune__says_how_many(suite):
    run = done(suite)
    assert eval_runs("prune", "--keep", 0, "--dry-run") == ("Would delete 1 run.\n", 0)
    assert json.loads(eval_runs("prune", "--keep", 0, "--format", "json")[0]) == {"deleted": [run.pk], "dry_run": False}
    assert not EvalRun.objects.exists()
    assert "by their age" in refused("prune")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["show", 999], "there is no run 999"),
        (["show", "first"], "'first' is no whole number from 1 up"),
        (["show", "9" * 20], "is too large; the largest is 9223372036854775807"),
        (["list", "--limit", "9" * 20], "is too large; the largest is 2147483647"),
        (["prune", "--keep", "9" * 20], "is too large; the largest is 2147483647"),
        (["list", "--suite", "zzz"], 'There is no suite "zzz"'),
        (["prune", "--older-than", "old"], "'old' is no age"),
        (["list", "--status", "done"], "invalid choice"),
        (["shw"], "invalid choice"),
        ([], "required"),
    ],
)
def test_wrong_usage__one_line__status_2(args, why):
    text = refused(*args)
    assert why in text
    assert "\n" not in text.strip()


CODED = """
from neuron_evals import BaseEvaluator, NotEmpty

class Coded(BaseEvaluator):
    def get_dataset(self):
        return [{"id": "a", "input": "a"}, {"id": "b", "input": ""}]

    def run(self, item):
        return item["input"]

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)
"""


def test_run_of_an_evaluator_from_code__is_found_in_the_folder_that_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "coded.py").write_text(CODED)
    call_command("evaluations", "evals", "--limit", "1", "--output", "database", stdout=io.StringIO())
    run = EvalRun.objects.get()
    assert run.status == RunStatus.PASSED
    assert "neuron_evals" in run.versions
    assert run.metadata["settings"]["agents"] == SETTINGS["AGENTS"]
    EvalRun.objects.filter(pk=run.pk).update(status="cancelled", options={})

    assert f'there is no evaluator "{run.source}" in this folder' in refused("resume", run.pk, "--path", tmp_path)
    refusal = 'a launcher looks for evaluators in the folder "evaluators", and not in "evals"; leave --detach out'
    assert refused("resume", run.pk, "--path", "evals", "--detach") == refusal
    assert again(run).status == RunStatus.CANCELLED
    (tmp_path / "other").mkdir()
    text, status = eval_runs("resume", run.pk, "--path", "evals")

    assert status == 1
    assert "Results: 2" in text
    assert again(run).failed_count == 1


def test_row__that_names_something_to_import__imports_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evaluators").mkdir()
    (tmp_path / "evaluators" / "coded.py").write_text(CODED)
    run, _ = EvalRun.objects.enqueue(source="antigravity.Evaluator")

    assert 'there is no evaluator "antigravity.Evaluator"' in refused("execute", run.pk)
    assert "antigravity" not in sys.modules
    assert again(run).status == RunStatus.QUEUED


def test_command__in_a_process__without_tables__says_what_to_do(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "django", "eval_runs", "list"],
        cwd=tmp_path,
        env=environment(tmp_path, {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith('CommandError: the database "default" has no table ')
    assert done.stderr.endswith("; run `python manage.py migrate neuron_evals`\n")
