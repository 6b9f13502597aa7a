"""Launchers: a run is executed elsewhere, whatever becomes of who launched it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError, transaction
from django.test import override_settings

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.launchers import InlineLauncher, Launcher, ProcessLauncher
from neuron_evals.models import EvalRun, RunStatus
from neuron_evals.runs import RunError, create_run, launch_run, make_and_launch
from tests.killed_runs.processes import PATIENCE, processes_on, wait_for
from tests.runs.samples import SETTINGS, Agent, again, make_suite

LAUNCH = """
import sys
from neuron_evals.launchers import ProcessLauncher

ProcessLauncher().launch(int(sys.argv[1]))
print("launched", flush=True)
sys.stdin.read()
"""


class Unreachable(Launcher):
    def launch(self, run_id: int) -> None:
        raise ConnectionError("no queue answers")


class Unusable(Launcher):
    def problems(self) -> list[str]:
        return ["no queue is installed"]

    def launch(self, run_id: int) -> None:
        raise AssertionError("never asked")


class Noting(Launcher):
    launched: list[int] = []  # noqa: RUF012  (emptied by the test)

    def launch(self, run_id: int) -> None:
        self.launched.append(run_id)


def launching(backend: str) -> override_settings:
    return override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": backend})


@pytest.fixture
def environment(committing, tmp_path, monkeypatch):
    """This process as one that launches: with the settings and the database of the test in its environment."""
    with processes_on(committing, tmp_path) as processes:
        for name, value in processes.environment().items():
            monkeypatch.setenv(name, value)
        yield processes


def children():
    """The processes of which this one is the parent, those too that have ended and nobody waited for."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:  # it ended meanwhile
            continue
        if int(parent) == os.getpid():
            found.add(int(folder.name))
    return found


def test_process__executes_the_run__and_leaves_no_child(environment, committing):
    run = create_run(make_suite(committing))
    before = children()  # other tests have some

    ProcessLauncher().launch(run.pk)

    assert children() <= before
    wait_for(lambda: again(run).is_over)
    assert again(run).status == RunStatus.PASSED
    pids = {int(pid) for pid, _ in environment.calls()}
    assert os.getpid() not in pids
    assert len(pids) == 1


def test_process__its_launcher_is_killed_with_its_whole_group__runs_on(environment, committing, tmp_path):
    run = create_run(make_suite(committing))
    worker = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(run.pk)],
        env=environment.environment("before the claim"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"launched\n"
    wait_for(lambda: list(tmp_path.glob("reached-*[0-9]")))

    os.killpg(worker.pid, signal.SIGKILL)
    worker.communicate(timeout=PATIENCE)
    (tmp_path / "go").touch()

    wait_for(lambda: again(run).is_over)
    assert again(run).status == RunStatus.PASSED


def test_process__log__has_what_was_said(environment, committing, tmp_path):
    run = create_run(make_suite(committing))
    log = tmp_path / "runs.log"

    ProcessLauncher(log=log).launch(run.pk)

    wait_for(lambda: log.exists() and "success rate 100.0%" in log.read_text())
    assert f"Run {run.pk}: Smoke tests" in log.read_text()


def test_process__problems__all_that_keeps_it_from_starting(tmp_path, monkeypatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "shop.settings")
    assert ProcessLauncher().problems() == []

    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")
    nowhere = tmp_path / "nowhere" / "runs.log"
    assert ProcessLauncher(log=nowhere, python="/nowhere/python").problems() == [
        'the launcher "process" cannot start "/nowhere/python"; give its option "python"',
        'the launcher "process" needs the settings by name, in DJANGO_SETTINGS_MODULE',
        f'the launcher "process" cannot write "{nowhere}": there is no such folder',
    ]


def test_process__log_that_is_a_folder__is_a_problem(tmp_path, monkeypatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "shop.settings")
    assert ProcessLauncher(log=tmp_path).problems() == [f'the launcher "process" cannot write "{tmp_path}"']
    assert ProcessLauncher(log=tmp_path / "runs.log").problems() == []


def test_process__interpreter_that_fails__is_an_error(monkeypatch):
    with pytest.raises(ConfigurationError, match="process of run 7 could not be started"):
        ProcessLauncher(python="/bin/false").launch(7)


@pytest.mark.django_db(transaction=True)
def test_inline__run_is_over_when_it_returns():
    run = launch_run(create_run(make_suite("default")))

    assert (again(run).status, again(run).launcher, run.dispatch_error) == ("passed", "inline", "")
    assert len(Agent.asked) == 3


@pytest.mark.django_db(transaction=True)
def test_inline__run_that_fails__is_no_error_of_the_launcher():
    run = create_run(make_suite("default", [{"input": "say 0", "reference": "1"}]))
    InlineLauncher().launch(run.pk)
    assert again(run).status == RunStatus.FAILED


def test_launch__after_the_commit(committing):
    Noting.launched = []
    run = create_run(make_suite(committing))
    with launching(f"{__name__}.Noting"), transaction.atomic(committing):
        launch_run(run)
        assert Noting.launched == []
    assert Noting.launched == [run.pk]


def test_launcher_cannot_be_reached__run_waits__and_says_why_until_it_is_launched(committing):
    run = create_run(make_suite(committing))
    with launching(f"{__name__}.Unreachable"):
        launch_run(run)
    assert (again(run).status, again(run).dispatch_error) == ("queued", "ConnectionError: no queue answers")

    with launching(f"{__name__}.Noting"):
        launch_run(again(run))
    assert again(run).dispatch_error == ""


@pytest.mark.parametrize(
    ("backend", "why"),
    [
        (f"{__name__}.Unusable", "no queue is installed"),
        ("rq", 'the launcher "rq" is not installed'),
        ("proces", 'there is no launcher "proces". Did you mean "process"?'),
    ],
)
def test_launcher_that_cannot_be_used_at_all__refused_and_nothing_noted(using, backend, why):
    run = create_run(make_suite(using))
    with launching(backend), pytest.raises(RunError) as caught:
        launch_run(run)
    assert why in str(caught.value)
    assert again(run).launcher == ""


def test_make_and_launch__launcher_that_cannot_be_used__nothing_is_made(committing):
    suite = make_suite(committing)
    with launching(f"{__name__}.Unusable"), pytest.raises(RunError, match="no queue is installed"):
        make_and_launch(lambda: create_run(suite), committing)
    assert not EvalRun.objects.using(committing).exists()


def test_make_and_launch__had_to_give_way_to_others__one_run_that_is_launched_once(committing):
    suite = make_suite(committing)
    Noting.launched = []
    tries: list[int] = []

    def make() -> EvalRun:
        run = create_run(suite)
        tries.append(run.pk)
        if len(tries) == 1:
            raise OperationalError("database is locked")
        return run

    with launching(f"{__name__}.Noting"):
        run = make_and_launch(make, committing)

    assert [row.pk for row in EvalRun.objects.using(committing).all()] == [run.pk]
    assert Noting.launched == [run.pk]
    assert (len(tries), again(run).launcher) == (2, f"{__name__}.Noting")


def test_process__working_directory_and_search_path__are_those_of_the_launcher(environment, committing, monkeypatch):
    folder = Path(environment.folder) / "elsewhere"
    folder.mkdir()
    (folder / "own_settings.py").write_text("from tests.killed_runs.settings import *\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "own_settings")
    monkeypatch.syspath_prepend("")
    monkeypatch.delenv("PYTHONPATH")
    run = create_run(make_suite(committing))

    ProcessLauncher().launch(run.pk)

    wait_for(lambda: again(run).is_over)
    assert again(run).status == RunStatus.PASSED
