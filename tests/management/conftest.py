"""A project's working directory, and the command in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.management.projects import SUPPORT, environment


@pytest.fixture
def folder(tmp_path):
    """A working directory with a folder of evaluators."""
    (tmp_path / "evaluators").mkdir()
    (tmp_path / "evaluators" / "support.py").write_text(SUPPORT)
    return tmp_path


@pytest.fixture
def evaluations(tmp_path):
    """Run the command in the working directory; give the finished process."""

    def run(*args, settings=None, timeout=300):
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "django", "evaluations", *args],
            cwd=tmp_path,
            env=environment(tmp_path, settings),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
