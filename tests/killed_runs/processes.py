"""Processes that execute a run on the database of a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connections

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds after which a test gives up; a machine may be slow."""

_KEPT = ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")


class Processes:
    """Starts `manage.py eval_runs execute` in processes of their own.

    Args:
        using: Alias of the database of the test.
        folder: Where the processes note what they do.
    """

    def __init__(self, using: str, folder: Path) -> None:
        self.folder = folder
        settings = connections[using].settings_dict
        self._database = json.dumps({key: settings[key] for key in _KEPT}, default=str)
        self.started: list[subprocess.Popen[str]] = []
        self.said: dict[int, str] = {}

    def execute(self, run_id: int, phase: str = "", *, verb: str = "execute") -> subprocess.Popen[str]:
        """Start a process; it stands still at `phase`."""
        process = subprocess.Popen(
            [sys.executable, "-m", "django", "eval_runs", verb, str(run_id)],
            cwd=self.folder,
            env=self.environment(phase),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(process)
        return process

    def environment(self, phase: str = "") -> dict[str, str]:
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.killed_runs.settings",
            "PYTHONPATH": str(ROOT),
            "TEST_DATABASE": self._database,
            "TEST_FOLDER": str(self.folder),
            "TEST_PHASE": phase,
        }

    def reached(self, process: subprocess.Popen[str]) -> str:
        """Wait until a process stands still, and return what it said."""
        mark = self.folder / f"reached-{process.pid}"
        wait_for(mark.exists, lambda: process.poll() is None)
        return mark.read_text()

    def kill(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL

    def end(self, process: subprocess.Popen[str]) -> int:
        """Wait for the end of a process that is left alone."""
        said, _ = process.communicate(timeout=PATIENCE)
        self.said[process.pid] = said
        assert process.returncode in (0, 2), said
        return process.returncode

    def calls(self) -> list[tuple[str, str]]:
        """What the agents were asked: process and text."""
        try:
            lines = (self.folder / "calls").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [(pid, text) for pid, _, text in (line.partition(" ") for line in lines)]


def wait_for(condition: Any, goes_on: Any = lambda: True) -> None:
    """Wait until something is so, as long as there is a reason to."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert goes_on(), "the process ended"
        assert time.monotonic() < end
        time.sleep(0.02)


@contextmanager
def processes_on(using: str, folder: Path) -> Iterator[Processes]:
    """Give processes, and kill what is left of them."""
    processes = Processes(using, folder)
    try:
        yield processes
    finally:
        for process in processes.started:
            if process.poll() is None:
                process.kill()
                process.communicate()
