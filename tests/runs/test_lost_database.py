"""A database that is lost while `eval` runs a stored suite: the command ends in words, and the run can go on."""

from __future__ import annotations

import io
from contextlib import contextmanager, suppress

import pytest
from django.core.management import call_command
from django.db import Error, connections
from django.test import override_settings

from neuron_evals.models import EvalRun, EvalRunShard
from neuron_evals.runs import create_run
from tests.models.conftest import ALIAS
from tests.runs.samples import SETTINGS, Agent, again, items, leases_expire, make_suite, statuses
from tests.servers import SERVERS

TABLE = EvalRunShard._meta.db_table
PATIENCE = 0.3
OUTPUTS = ["console", {"BACKEND": "database", "OPTIONS": {"patience": PATIENCE}}]
EVALUATOR = """
from neuron_evals import BaseEvaluator, NotEmpty
from tests.runs.samples import Agent

class Support(BaseEvaluator):
    def get_dataset(self):
        return [{"id": str(number), "input": f"say {number}"} for number in range(4)]

    def run(self, item):
        return Agent().chat(item["input"]).text

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)
"""
SESSIONS = {
    "postgresql": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    "mysql": "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
}


@pytest.fixture(autouse=True)
def _routed():
    with override_settings(
        DATABASE_ROUTERS=["tests.runs.routing.ToRows"], NEURON_EVALS={**SETTINGS, "OUTPUTS": OUTPUTS}
    ):
        yield


def command(*args: str) -> tuple[int, str, list[str]]:
    """Run a command; give the exit status, what it printed, and the lines beside it."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command(*args, stdout=out, stderr=err, no_color=True)
    except SystemExit as exc:
        status = int(str(exc.code))
    return status, out.getvalue(), err.getvalue().splitlines()


@contextmanager
def lost_at(text, lose, restore):
    """Lose the database when the agent is asked `text`; it is back after the block."""
    Agent.before = lambda said: lose() if said == text else None
    try:
        yield
    finally:
        Agent.before = None
        restore()


def broken():
    """Take a table away: the database answers, and can store nothing."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {TABLE} RENAME TO taken_away")


def mended():
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(f"ALTER TABLE taken_away RENAME TO {TABLE}")


class Outage:
    """The server ends all sessions, and is to be found nowhere."""

    def __init__(self) -> None:
        self.entry = connections.databases[ALIAS]
        self.port = self.entry["PORT"]

    def begin(self) -> None:
        connection = connections[ALIAS]
        with connection.cursor() as cursor:
            cursor.execute(SESSIONS[connection.vendor])
            if connection.vendor == "mysql":
                for (number,) in cursor.fetchall():
                    with suppress(Error):
                        cursor.execute(f"KILL {int(number)}")
        connection.close()
        self.entry["PORT"] = "1"

    def end(self) -> None:
        self.entry["PORT"] = self.port


def goes_on(run: EvalRun) -> None:
    """Execute what is left, as the message says."""
    assert again(run).status == "running"
    leases_expire(run)
    call_command("eval_runs", "execute", str(run.pk), stdout=io.StringIO())
    done = again(run)
    assert (done.status, done.total_count, done.passed_count) == ("passed", 4, 4)
    assert statuses(done) == [(f"item-{number}", "passed") for number in range(4)]


def test_database_that_breaks__one_line_that_names_the_run__which_can_go_on(committing):
    make_suite(committing, items(4))
    with lost_at("say 2", broken, mended):
        status, out, lines = command("eval", "smoke-tests")

    [run] = EvalRun.objects.using(committing)
    assert status == 1
    assert "Items: 4, Passed: 4" in out
    [line] = lines
    assert line.startswith(f"run {run.pk} is left open: ")
    assert line.endswith(f"`python manage.py eval_runs execute {run.pk}` goes on, a minute later at the earliest")
    goes_on(run)


def test_database_that_breaks_while_a_run_is_executed_further__likewise(committing):
    run = create_run(make_suite(committing, items(4)))
    with lost_at("say 2", broken, mended):
        status, _, [line] = command("eval_runs", "execute", str(run.pk))

    assert status == 1
    assert line.startswith(f"run {run.pk} is left open: ")
    goes_on(run)


def test_database_that_breaks_under_evaluators__the_report_is_whole_and_the_run_named(committing, tmp_path):
    (tmp_path / "support.py").write_text(EVALUATOR)
    with lost_at("say 1", broken, mended):
        status, out, lines = command("evaluations", str(tmp_path))

    [run] = EvalRun.objects.using(committing)
    assert (status, "Items: 4, Passed: 4" in out) == (1, True)
    assert [line.partition(": ")[0] for line in lines] == ["output driver failed"] * 2
    assert lines[1] == (
        f"output driver failed: DatabaseOutput: run {run.pk} is left open; "
        "`python manage.py eval_runs sweep` closes what nobody executes, after a minute"
    )
    leases_expire(run)
    call_command("eval_runs", "sweep", stdout=io.StringIO())
    assert again(run).status == "error"


ON_SERVERS = [pytest.param(name, marks=pytest.mark.server(name)) for name in SERVERS]


@pytest.mark.parametrize("_database", ON_SERVERS, indirect=True)
def test_database_that_is_away__one_line_that_names_the_run__which_can_go_on(committing):
    make_suite(committing, items(4))
    outage = Outage()
    with lost_at("say 2", outage.begin, outage.end):
        status, out, lines = command("eval", "smoke-tests")

    [run] = EvalRun.objects.using(committing)
    assert (status, "Items: 4, Passed: 4" in out) == (1, True)
    [line] = lines
    assert line.startswith(f'run {run.pk} is left open: the database "{ALIAS}" was busy or away for ')
    goes_on(run)
