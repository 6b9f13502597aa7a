"""The runner that commands use: its hooks and its database connections."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import make_runner

ROOT = Path(__file__).parent.parent.parent

SCRIPT = """
import sys, threading
import django
from django.conf import settings

hooks = {hooks!r}
database = {{"ENGINE": "django.db.backends.sqlite3", "NAME": sys.argv[1]}}
settings.configure(INSTALLED_APPS=["neuron_evals"], DATABASES={{"default": database}}, NEURON_EVALS={{"RUNNER": hooks}})
django.setup()

from django.db import connection, connections, transaction
from django.db.backends.signals import connection_created
from neuron_evals import BaseEvaluator, NotEmpty
from neuron_evals.container import make_runner

opened = {{}}
connection_created.connect(
    lambda connection, **_: opened.setdefault(threading.get_ident(), []).append(connection), weak=False
)


class Rows(BaseEvaluator):
    def get_dataset(self):
        return [{{"n": n}} for n in range(20)]

    def run(self, item):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return str(cursor.fetchone()[0])

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)


with transaction.atomic():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE note (body TEXT)")
        cursor.execute("INSERT INTO note VALUES ('kept')")
    results = make_runner().run(Rows(), concurrency={concurrency})
    assert results.passed_count == results.total_count == 20, results.results
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM note")
        assert cursor.fetchall() == [("kept",)]
assert connection.connection is not None

main = threading.get_ident()
workers = {{thread for thread in opened if thread != main}}
assert bool(workers) == ({concurrency} > 1), opened
assert all(used.connection is None for thread in workers for used in opened[thread]), opened
from tests.testapp import hooks
print(hooks.calls.count("before"), hooks.calls.count("after"))
"""


def run(tmp_path: Path, **values: Any) -> str:
    script = SCRIPT.format(**values)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", script, str(tmp_path / "rows.sqlite3")]
    result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


HOOKS = {"BEFORE_CHILD": "tests.testapp.hooks.before", "AFTER_CHILD": "tests.testapp.hooks.after"}


def test_threads__close_what_they_opened_and_leave_the_callers_transaction_alone(tmp_path: Path) -> None:
    assert run(tmp_path, hooks={}, concurrency=4) == "0 0"


def test_inline__uses_the_callers_connection_and_closes_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, hooks=HOOKS, concurrency=1) == "0 0"


def test_hooks__called_around_each_item_of_a_thread(tmp_path: Path) -> None:
    assert run(tmp_path, hooks=HOOKS, concurrency=4) == "20 20"


def test_hook__cannot_be_called__refused() -> None:
    hooks = {"AFTER_CHILD": "tests.testapp.hooks.NOT_CALLABLE"}
    with override_settings(NEURON_EVALS={"RUNNER": hooks}), pytest.raises(SettingsError) as caught:
        make_runner()
    assert str(caught.value).startswith('NEURON_EVALS["RUNNER"]["AFTER_CHILD"]: "tests.testapp.hooks.NOT_CALLABLE"')
