"""Tests that need a server: a real database where one answers, a reason where none does, no silent skips."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from tests import servers


def test_server_database__is_migrated_and_real_in_every_thread(server_database: str) -> None:
    from django.contrib.contenttypes.models import ContentType  # noqa: PLC0415  (needs Django's apps)
    from django.db import connections  # noqa: PLC0415  (as above)

    ContentType.objects.using(server_database).create(app_label="tests", model="made_here")
    seen: list[str] = []

    def look() -> None:
        seen.extend(
            ContentType.objects.using(server_database).filter(app_label="tests").values_list("model", flat=True)
        )
        connections[server_database].close()

    thread = Thread(target=look)
    thread.start()
    thread.join()
    assert connections[server_database].vendor == {"mariadb": "mysql"}.get(server_database, server_database)
    assert seen == ["made_here"]


def test_missing__no_server_at_the_port__says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(servers.SERVERS, "nowhere", servers.Server("Nowhere", 1, "", ""))
    assert servers.missing("nowhere") == "no Nowhere answers at 127.0.0.1:1"


def test_database__unknown_vendor__names_the_valid_ones() -> None:
    with pytest.raises(ValueError, match="one of sqlite, postgresql, mariadb; got 'oracle'"):
        servers.database("oracle")


def test_database__account_in_the_environment__is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEURON_EVALS_TEST_POSTGRESQL", "someone:a:b")
    entry = servers.database("postgresql")
    assert (entry["USER"], entry["PASSWORD"]) == ("someone", "a:b")


SUITES = {
    "skipped": "import pytest\ndef test_it(): pytest.skip('no')\n",
    "skipped_module": "import pytest\npytest.importorskip('nowhere')\n",
    "expected_failure": "import pytest\n@pytest.mark.xfail\ndef test_it(): assert False\n",
    "passed": "def test_it(): pass\n",
}


@pytest.mark.parametrize(
    ("suite", "strict", "status"),
    [
        ("skipped", "1", 1),
        ("skipped", "0", 0),
        ("skipped_module", "1", 1),
        ("expected_failure", "1", 0),
        ("passed", "1", 0),
    ],
)
def test_skipped_tests__fail_the_run_only_where_everything_must_run(
    tmp_path: Path, suite: str, strict: str, status: int
) -> None:
    (tmp_path / "test_it.py").write_text(SUITES[suite])
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--rootdir", str(tmp_path), str(tmp_path)]
    result = subprocess.run(
        command,
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "NEURON_EVALS_FAIL_ON_SKIP": strict},
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == status, result.stdout + result.stderr
    assert ("none may be" in result.stdout) == (status == 1)
