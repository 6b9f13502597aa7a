"""Commands whose reader goes away, as with `| head`, and streams that lack characters."""

from __future__ import annotations

import io
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from neuron_evals.management import commands as package
from neuron_evals.management.lasting import LastingCommand
from neuron_evals.models import AgentDefinition, EvalRun, RunStatus
from neuron_evals.runs import create_run
from tests.management.projects import environment
from tests.runs.samples import SETTINGS, Agent, items, make_suite

COMMANDS = [module.name for module in pkgutil.iter_modules(package.__path__)]
PROVIDERS = {"shop": {"BACKEND": "tests.testapp.agents.CannedProvider"}}


class Gone(io.StringIO):
    """A pipe that nobody reads."""

    def write(self, text: str) -> int:
        del text
        raise BrokenPipeError(32, "Broken pipe")


class Ascii(io.TextIOWrapper):
    """A stream of plain ASCII."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="ascii", write_through=True)

    def written(self) -> str:
        self.seek(0)
        return self.read()


@pytest.fixture(autouse=True)
def _project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Agent.forget()
    with override_settings(NEURON_EVALS={**SETTINGS, "PROVIDERS": PROVIDERS}):
        yield


def status_of(*args: Any, **streams: Any) -> int:
    try:
        call_command(*map(str, args), **streams)
    except SystemExit as exc:
        return int(str(exc.code))
    return 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command__lasts(name):
    assert issubclass(import_module(f"{package.__name__}.{name}").Command, LastingCommand)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["eval_runs", "list"], 0),
        (["eval_runs", "list", "--format", "json"], 0),
        (["eval_runs", "sweep"], 0),
        (["eval_cache", "stats"], 0),
        (["eval_doctor"], 0),
        (["eval_import", "--judge-templates", "--provider", "shop", "--model", "m"], 0),
        (["make_evaluator", "evals.support.Support"], 0),
        (["eval", "smoke-tests", "-v", "0"], 1),
        (["eval_runs", "execute", "RUN"], 1),
    ],
)
def test_reader_gone__the_work_is_done_and_the_status_is_the_commands_own(db, tmp_path, arguments, status):
    run = create_run(make_suite("default", items(2, wrong=(1,))))

    assert status_of(*[run.pk if part == "RUN" else part for part in arguments], stdout=Gone(), stderr=Gone()) == status

    if arguments[0] == "eval_import":
        assert AgentDefinition.objects.filter(slug="eval-judge-correctness").exists()
    if arguments[0] == "make_evaluator":
        assert (tmp_path / "evals" / "support.py").exists()
    if status == 1:
        assert EvalRun.objects.newest_first()[0].status == RunStatus.FAILED


def test_export_that_nobody_reads_to_its_end__is_a_failure(db):
    make_suite("default")
    with pytest.raises(CommandError, match="the reader closed the pipe") as caught:
        call_command("eval_export", "smoke-tests", stdout=Gone())
    assert caught.value.returncode == 2


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_of_a_process__no_traceback(tmp_path, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "django", "make_evaluator", "evals.support.Support"],
            cwd=tmp_path,
            env={**environment(tmp_path, {}), "PYTHONUNBUFFERED": unbuffered},
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_character_that_the_stream_lacks__is_an_escape(db):
    suite = make_suite("default")
    suite.name = "Smöke"
    create_run(suite)
    stream = Ascii()
    call_command("eval_runs", "list", stdout=stream)
    assert r"Sm\xf6ke" in stream.written()


def test_export_to_a_stream_that_lacks_a_character__is_refused(db):
    make_suite("default", [{"input": "Grüße", "reference": "9"}])
    stream = Ascii()
    with pytest.raises(CommandError, match="takes ascii alone, which lacks a character of this; write it to a file"):
        call_command("eval_export", "smoke-tests", stdout=stream)
    assert stream.written() == ""
