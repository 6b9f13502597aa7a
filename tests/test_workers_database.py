"""Evaluators that use the ORM, in every kind of worker, on a SQLite file and on real servers, once over TLS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.contenttypes.models import ContentType
from django.db import connections, transaction

from neuron_evals import BaseEvaluator, Equals
from neuron_evals.container.runners import make_runner
from neuron_evals.core.runner import Limits
from neuron_evals.core.runner.pools import processes
from neuron_evals.core.runner.pools.processes import why_no_fork
from tests.databases import migrated
from tests.servers import SERVERS, database

ALIAS = "evaluated"
COUNT = 24
WORDS = [f"word{number:02}" for number in range(COUNT)]
QUESTION, ANSWER = "question", "answer"
SQLITE: dict[str, Any] = {
    "ENGINE": "django.db.backends.sqlite3",
    "OPTIONS": {"timeout": 120, "transaction_mode": "IMMEDIATE"},
}
CONCURRENCY = {"inline": 1, "threads": 8, "async": 8, "processes": 8}
SERVED = [*(pytest.param(vendor, marks=pytest.mark.server(vendor)) for vendor in SERVERS), "postgresql_tls"]

OWN_SESSION = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT connection_id()"}
END_SESSION = {"postgresql": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}
SESSIONS = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE db = database()",
}


@pytest.fixture(scope="module", params=["sqlite", *SERVED])
def migrated_database(request, django_db_blocker, tmp_path_factory):
    if request.param.startswith("sqlite"):
        path = str(tmp_path_factory.mktemp("database") / "evaluated.sqlite3")
        log = {"init_command": "PRAGMA journal_mode=WAL"} if request.param == "sqlite_wal" else {}
        entry = {**SQLITE, "OPTIONS": {**SQLITE["OPTIONS"], **log}, "NAME": path, "TEST": {"NAME": path}}
    elif request.param == "postgresql_tls":
        entry = request.getfixturevalue("postgresql_tls")
    else:
        entry = database(request.param, "neuron_evals_workers")
    with django_db_blocker.unblock(), migrated(ALIAS, entry):
        yield request.param


@pytest.fixture
def vendor(migrated_database):
    """Which database is behind the alias: it holds the questions, and nobody but this thread has a connection."""
    ContentType.objects.using(ALIAS).filter(app_label__in=[QUESTION, ANSWER]).delete()
    ContentType.objects.using(ALIAS).bulk_create(ContentType(app_label=QUESTION, model=word) for word in WORDS)
    assert settled_sessions() == 1  # a server takes a moment to end those of the test before
    return migrated_database


@pytest.fixture(params=CONCURRENCY)
def kind(request, monkeypatch):
    if request.param == "processes" and why_no_fork() is not None:
        # Idle threads that other tests left in this process do no harm.
        monkeypatch.setattr(processes, "why_no_fork", lambda: None)
    return request.param


def own_session() -> Any:
    """What tells this connection from others: its number on the server; with SQLite the address of its object."""
    connection = connections[ALIAS]
    connection.ensure_connection()
    own = OWN_SESSION.get(connection.vendor)
    return id(connection.connection) if own is None else scalar(own)


def sessions() -> Any:
    """How many connections to the database there are; with SQLite in this process."""
    vendor = connections[ALIAS].vendor
    if vendor in SESSIONS:
        return scalar(SESSIONS[vendor])
    connections[ALIAS].ensure_connection()
    name = connections[ALIAS].settings_dict["NAME"]
    return [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()].count(name)


def settled_sessions() -> Any:
    """How many connections are left, once the server has noticed which ended."""
    until = time.monotonic() + 60
    while (left := sessions()) != 1 and time.monotonic() < until:
        time.sleep(0.02)
    return left


def scalar(query: str) -> Any:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


def encrypted() -> Any:
    if connections[ALIAS].vendor != "postgresql":
        return False
    return scalar("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")


def rows(label: str) -> list[str]:
    return list(
        ContentType.objects.using(ALIAS).filter(app_label=label).order_by("model").values_list("model", flat=True)
    )


class Answering(BaseEvaluator):
    """Reads the row of a question and writes the row of its answer."""

    def __init__(self) -> None:
        self.readers: set[int] = set()

    def set_up(self):
        self.session = own_session()

    def get_dataset(self):
        # SQLite cannot be written while somebody is in the middle of a result, so it is read in one go.
        step = 1000 if connections[ALIAS].vendor == "sqlite" else 5
        for question in ContentType.objects.using(ALIAS).filter(app_label=QUESTION).iterator(step):
            self.readers.add(threading.get_ident())
            yield {"id": question.model, "input": question.model, "key": question.pk}

    def run(self, item):
        with transaction.atomic(using=ALIAS):
            question = ContentType.objects.using(ALIAS).get(pk=item["key"])
            ContentType.objects.using(ALIAS).create(app_label=ANSWER, model=question.model)
        return {"session": own_session(), "encrypted": encrypted()}

    def evaluate(self, output, item):
        answer = ContentType.objects.using(ALIAS).get(app_label=ANSWER, model=item["input"])
        self.check(Equals(item["input"]), answer.model)


class AsyncAnswering(Answering):
    """Does the same in async code."""

    async def run(self, item):
        question = await ContentType.objects.using(ALIAS).aget(pk=item["key"])
        await ContentType.objects.using(ALIAS).acreate(app_label=ANSWER, model=question.model)
        return {"session": await sync_to_async(own_session)(), "encrypted": await sync_to_async(encrypted)()}

    async def evaluate(self, output, item):
        answer = await ContentType.objects.using(ALIAS).aget(app_label=ANSWER, model=item["input"])
        await self.acheck(Equals(item["input"]), answer.model)


def run(evaluator: BaseEvaluator, kind: Any) -> Any:
    return make_runner().run(evaluator, CONCURRENCY[kind], workers=kind, limits=Limits(timeout=None))


def broken(results: Any) -> dict[str, str]:
    return {result.item_id: result.error or str(result.reason) for result in results.results if not result.passed}


@pytest.mark.parametrize("evaluator_class", [Answering, AsyncAnswering])
def test_every_item_reads_and_writes_rows__all_pass_and_no_connection_is_lost_or_left(vendor, kind, evaluator_class):
    evaluator = evaluator_class()
    before = own_session()

    results = run(evaluator, kind)

    assert broken(results) == {}
    assert [result.item_id for result in results.results] == rows(QUESTION) == rows(ANSWER) == WORDS
    assert evaluator.readers == {threading.get_ident()}
    used = {result.output["session"] for result in results.results}
    assert evaluator.session == before == own_session()
    if evaluator_class is Answering:
        assert (used == {before}) if kind == "inline" else (before not in used)
    assert {result.output["encrypted"] for result in results.results} == {vendor == "postgresql_tls"}
    assert settled_sessions() == 1


class Breaking(Answering):
    """Has one item that ends its own connection, as a server that restarts would."""

    def run(self, item):
        if item["input"] == WORDS[5]:
            end_session()
        return super().run(item)


class AsyncBreaking(AsyncAnswering):
    """Does the same in async code."""

    async def run(self, item):
        if item["input"] == WORDS[5]:
            await sync_to_async(end_session)()
        return await super().run(item)


def end_session() -> None:
    scalar(END_SESSION[connections[ALIAS].vendor].format(own_session()))


@pytest.mark.parametrize("migrated_database", SERVED, indirect=True)
@pytest.mark.parametrize("evaluator_class", [Breaking, AsyncBreaking])
@pytest.mark.parametrize("kind", ["threads", "async", "processes"])
def test_an_item_breaks_its_connection__harms_no_other(vendor, kind, evaluator_class):
    before = own_session()
    results = run(evaluator_class(), kind)
    assert list(broken(results)) == [WORDS[5]]
    assert "OperationalError" in broken(results)[WORDS[5]]
    assert rows(ANSWER) == WORDS[:5] + WORDS[6:]
    assert own_session() == before


class Closing(Answering):
    """Has a dataset that opens the caller's connection anew again and again."""

    def get_dataset(self):
        for number, item in enumerate(list(super().get_dataset())):
            if number % 5 == 0:
                connections[ALIAS].close()
                assert rows(QUESTION) == WORDS
            yield item


@pytest.mark.parametrize("migrated_database", ["sqlite_wal"], indirect=True)
@pytest.mark.usefixtures("vendor")
def test_sqlite_with_a_write_ahead_log__caller_opens_its_connection_anew__no_row_is_lost(kind):
    results = run(Closing(), kind)
    connections[ALIAS].close()
    assert broken(results) == {}
    assert rows(ANSWER) == WORDS
    assert scalar("PRAGMA journal_mode") == "wal"


class Reading(BaseEvaluator):
    """Looks for a row that the run's caller has not committed."""

    def __init__(self, *, seen: bool) -> None:
        self.seen = seen

    def get_dataset(self):
        return [{"input": word} for word in WORDS[:16]]

    def run(self, item):
        assert item["input"] in rows(QUESTION)
        return "uncommitted" in rows(QUESTION)

    def evaluate(self, output, item):
        self.check(Equals(self.seen), output)


def test_run_inside_an_atomic_block__the_block_stays_as_it_is(vendor, kind):
    with transaction.atomic(using=ALIAS):
        before = own_session()
        ContentType.objects.using(ALIAS).create(app_label=QUESTION, model="uncommitted")
        results = run(Reading(seen=kind == "inline"), kind)
        assert connections[ALIAS].in_atomic_block
        assert own_session() == before
        assert "uncommitted" in rows(QUESTION)
        transaction.set_rollback(True, using=ALIAS)
    assert broken(results) == {}
    assert rows(QUESTION) == WORDS
    assert settled_sessions() == 1


EVALUATOR = """
from django.contrib.contenttypes.models import ContentType
from neuron_evals import BaseEvaluator, Equals


class Answers(BaseEvaluator):
    def set_up(self):
        self.count = ContentType.objects.filter(app_label="question").count()

    def get_dataset(self):
        for row in ContentType.objects.filter(app_label="question"):
            yield {"id": row.model, "input": row.model}

    def run(self, item):
        assert self.count == COUNT
        return ContentType.objects.create(app_label="answer", model=item["input"]).model

    def evaluate(self, output, item):
        self.check(Equals(item["input"]), ContentType.objects.get(app_label="answer", model=output).model)
"""


def test_command_with_process_workers__all_pass(vendor, tmp_path):
    (tmp_path / "evaluators").mkdir()
    (tmp_path / "evaluators" / "answers.py").write_text(EVALUATOR.replace("COUNT", str(COUNT)))
    used = connections[ALIAS].settings_dict
    entry = {key: used[key] for key in ("ENGINE", "NAME", "HOST", "PORT", "USER", "PASSWORD", "OPTIONS")}
    driver = "import pymysql\npymysql.install_as_MySQLdb()\n" if vendor == "mariadb" else ""
    (tmp_path / "own_settings.py").write_text(
        f"from tests.settings import *\n{driver}DATABASES = {{'default': {entry!r}}}\n"
    )
    command = ["evaluations", "--workers", "processes", "--concurrency", "4", "--output", "json=report.json"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "django", *command],
        cwd=tmp_path,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "own_settings",
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent.parent), str(tmp_path)]),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["passed"], report["total"]) == (COUNT, COUNT)
    assert rows(ANSWER) == WORDS
    assert settled_sessions() == 1
