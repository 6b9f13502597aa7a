"""What commands on rows say where there are no tables."""

from __future__ import annotations

import json

import pytest

from tests.management.projects import environment

SETTINGS = {"AGENTS": {"echo": "tests.testapp.agents.echo"}, "CACHE": {"BACKEND": "database"}}
SUITE = {"name": "Smoke", "agent": "echo", "dataset": [{"input": "a", "reference": "a"}]}


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval_runs", "list"],
        ["eval_runs", "show", "1"],
        ["eval_runs", "sweep"],
        ["eval_runs", "prune", "--keep", "1"],
        ["eval_import", "suite.json"],
        ["eval_import", "--check", "suite.json"],
        ["eval_import", "--judge-templates", "--provider", "shop"],
        ["eval_export", "smoke"],
        ["eval", "smoke"],
        ["eval_cache", "stats"],
        ["evaluations", "--output", "database"],
    ],
    ids=" ".join,
)
def test_tables_missing__one_line_with_the_command_to_run(commands, folder, arguments):
    (folder / "suite.json").write_text(json.dumps(SUITE))
    providers = {"shop": {"BACKEND": "tests.testapp.agents.CannedProvider", "OPTIONS": {"model": "m"}}}
    settings = {**SETTINGS, "PROVIDERS": providers}

    done = commands.run(arguments, folder, environment(folder, settings), 300)

    assert (done.returncode, done.stdout) == (2, "")
    assert "manage.py migrate" in done.stderr
    assert done.stderr.count("\n") == 1
