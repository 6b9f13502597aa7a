"""A project's working directory, and the command in a process of its own."""

from __future__ import annotations

import pytest

from tests.management.forked import forked_commands
from tests.management.projects import SUPPORT, environment


@pytest.fixture
def folder(tmp_path):
    """A working directory with a folder of evaluators."""
    (tmp_path / "evaluators").mkdir()
    (tmp_path / "evaluators" / "support.py").write_text(SUPPORT)
    return tmp_path


@pytest.fixture(scope="session")
def commands(tmp_path_factory):
    """Runs Django's commands."""
    with forked_commands(tmp_path_factory.mktemp("streams")) as started:
        yield started


@pytest.fixture
def evaluations(tmp_path, commands):
    """Run the command in the working directory; give the finished process."""

    def run(*args, settings=None, timeout=300):
        return commands.run(["evaluations", *args], tmp_path, environment(tmp_path, settings), timeout)

    return run
