"""`evaluations --output database` as a user runs it: real processes and a SQLite file."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys

import pytest

from tests.management.projects import SUPPORT, environment, write

SETTINGS = """
from tests.settings import *

DATABASES = {{"default": {{
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": {name!r},
    "OPTIONS": {{"transaction_mode": "IMMEDIATE", "timeout": 30, "init_command": "PRAGMA journal_mode=WAL"}},
}}}}
DATABASES["other"] = DATABASES["default"]
NEURON_EVALS = {settings!r}
"""
HANGING = """
    def get_dataset(self):
        return [{"id": str(number), "input": "We open at 9", "word": "9"} for number in range(10)]

    def run(self, item):
        import sys, time
        if item["id"] == "3":
            print("hanging", file=sys.stderr, flush=True)
            time.sleep(600)
        return item["input"]
"""


@pytest.fixture
def project(folder):
    """A project with a database in a file; give a function that starts a command of it."""

    def start(*args, settings=None):
        text = SETTINGS.format(name=str(folder / "db.sqlite3"), settings=settings or {})
        (folder / "file_settings.py").write_text(text)
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "django", *args],
            cwd=folder,
            env={**environment(folder), "DJANGO_SETTINGS_MODULE": "file_settings"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def command(project):
    """Run a command of the project; give its exit status, standard output and standard error."""

    def run(*args, settings=None):
        process = project(*args, settings=settings)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    return run


@pytest.fixture
def migrated(command):
    status, _, err = command("migrate", "-v", "0")
    assert status == 0, err


RUN = "neuron_evals_evalrun"
ITEM = "neuron_evals_evalrunitem"


def rows(folder, columns, table=RUN):
    """Return columns of all rows, in the order in which they were stored."""
    connection = sqlite3.connect(folder / "db.sqlite3")
    try:
        return connection.execute(f"SELECT {columns} FROM {table} ORDER BY id").fetchall()  # noqa: S608  (our own names)
    finally:
        connection.close()


def test_tables_missing__status_2_before_anything_runs_and_the_command_to_run(command, folder):
    write(folder, "support.py", "raise SystemExit('imported')")
    status, out, err = command("evaluations", "--output", "database")

    assert status == 2, out
    assert 'the database "default" has no table neuron_evals_evalrun' in err
    assert "run `python manage.py migrate neuron_evals`" in err
    assert "imported" not in err


@pytest.mark.usefixtures("migrated")
def test_table_of_an_older_version__the_command_to_run(command, folder):
    connection = sqlite3.connect(folder / "db.sqlite3")
    connection.execute("ALTER TABLE neuron_evals_evalrunitem DROP COLUMN details")
    connection.close()
    status, _, err = command("evaluations", "--output", "database")

    assert status == 2
    assert "has no column neuron_evals_evalrunitem.details; run" in err


def test_database_unreachable__status_2_and_its_name(command, folder):
    (folder / "db.sqlite3").mkdir()
    status, _, err = command("evaluations", "--output", "database")

    assert status == 2
    assert 'the database "default" cannot be used: OperationalError' in err


@pytest.mark.usefixtures("migrated")
def test_option_and_setting__results_are_rows_and_the_exit_status_is_as_ever(command, folder):
    options = ("--tag", "support", "--limit", "2", "--repeat", "2")
    assert command("evaluations", "--output", "database", "--output", "json=r.json", *options)[0] == 0
    assert command("evaluations", settings={"OUTPUTS": ["database"]})[0] == 1

    [first, second] = rows(folder, "status, total_count, passed_count, options, source")
    assert first[:3] == ("passed", 4, 4)
    assert json.loads(first[3]) == {"tag": ["support"], "limit": 2, "repeat": 2, "concurrency": 1, "workers": "inline"}
    assert first[4] == "evaluators.support.Support"
    assert second[:3] == ("failed", 3, 2)
    stored = rows(folder, "item_id, repeat, status", ITEM)
    assert stored[:2] == [("hours", 0, "passed"), ("hours", 1, "passed")]
    assert len(stored) == 7


@pytest.mark.usefixtures("migrated")
def test_gate_that_holds__a_passed_run(command, folder):
    assert command("evaluations", "--output", "database", "--min-success-rate", "0.5")[0] == 0
    assert rows(folder, "status, failed_count") == [("passed", 1)]


@pytest.mark.usefixtures("migrated")
@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_other_workers__each_result_once(command, folder, workers):
    status, _, err = command("evaluations", "--output", "database", "--workers", workers, "--concurrency", "3")

    assert status == 1, err
    assert rows(folder, "status, total_count") == [("failed", 3)]
    assert sorted(rows(folder, "item_id", ITEM)) == [("greeting",), ("hours",), ("refund",)]


@pytest.mark.usefixtures("migrated")
def test_interrupted__status_130_a_cancelled_run_and_what_came_is_kept(project, folder):
    write(folder, "support.py", SUPPORT.replace("class Support", "class Hanging") + HANGING)
    process = project("evaluations", "--output", "database")
    assert process.stderr is not None
    assert "hanging" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)

    assert process.returncode == 130
    assert rows(folder, "status, passed_count, cancelled_count") == [("cancelled", 3, 7)]
    assert rows(folder, "item_id, status", ITEM)[:3] == [("0", "passed"), ("1", "passed"), ("2", "passed")]


@pytest.mark.usefixtures("migrated")
def test_fail_fast__a_cancelled_run(command, folder):
    write(
        folder, "support.py", SUPPORT.replace('"id": "hours", "input": "We open at 9"', '"id": "hours", "input": "?"')
    )
    assert command("evaluations", "--output", "database", "--fail-fast")[0] == 1
    assert rows(folder, "status, failed_count, cancelled_count") == [("cancelled", 1, 2)]


def test_path__refused(command):
    status, _, err = command("evaluations", "--output", "database=runs.db")
    assert status == 2
    assert 'the output driver "database" has no option "path"' in err
    assert "Its options are using, batch, trigger, patience." in err


@pytest.mark.usefixtures("migrated")
def test_stored_suite_with_the_output_in_another_database__refused(command, folder):
    agents = {"AGENTS": {"echo": "tests.testapp.agents.echo"}}
    suite = {"name": "Smoke", "agent": "echo", "dataset": [{"input": "a", "reference": "a"}]}
    (folder / "suite.json").write_text(json.dumps(suite))
    assert command("eval_import", "suite.json", settings=agents)[0] == 0

    outputs = ["console", {"BACKEND": "database", "OPTIONS": {"using": "other"}}]
    status, _, err = command("eval", "smoke", settings={**agents, "OUTPUTS": outputs})

    assert status == 2
    assert 'is stored beside the suite, in the database "default", and not in "other"' in err
    assert rows(folder, "id") == []
    assert command("eval", "smoke", "--output", "console", settings={**agents, "OUTPUTS": outputs})[0] == 0


@pytest.mark.usefixtures("migrated")
def test_named_twice__refused_and_nothing_is_stored(command, folder):
    status, _, err = command("evaluations", "--output", "database", "--output", "database")
    assert status == 2
    assert 'both write to the database "default"; leave one of them out' in err
    assert rows(folder, "id") == []
