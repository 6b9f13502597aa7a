"""What carries a run that the admin or the API started: a process of its own, or, in tests, the caller."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Final

from django.core.management import call_command

from neuron_evals.core.exceptions import ConfigurationError


class Launcher(ABC):
    """Has a stored run executed, somewhere.

    A run may be launched twice, or while it is executed: executors agree by leases in the database.
    """

    def problems(self) -> list[str]:
        """Return what would keep every run from being launched, a line each; nothing is launched."""
        return []

    @abstractmethod
    def launch(self, run_id: int) -> None:
        """Have a run executed, and return soon. The run's row is committed.

        Args:
            run_id: Number of the run.

        Raises:
            Exception: It could not be handed over; the text is kept with the run.
        """


class InlineLauncher(Launcher):
    """Executes the run before it returns; for tests."""

    def launch(self, run_id: int) -> None:
        """Execute a run. How it ended is in its row."""
        try:
            call_command("eval_runs", "execute", str(run_id), stdout=io.StringIO(), stderr=io.StringIO())
        except SystemExit:
            return


class ProcessLauncher(Launcher):
    """Executes each run in a process of its own, which outlives the one that launched it. It needs no queue.

    The process has the working directory, environment, module search path and Django settings of its launcher. An
    evaluator from code is looked for in the folder `evaluators` there.

    Args:
        log: File to which what the processes say is appended; nowhere by default.
        python: Interpreter that is started; the running one by default. Name it where a web server is a program that
            embeds Python.
    """

    def __init__(self, log: str | Path | None = None, python: str | None = None) -> None:
        self._log = None if log is None else Path(log).absolute()
        self._python = python or sys.executable

    def problems(self) -> list[str]:
        """Return why no process can be started."""
        found = []
        if not self._python or not os.access(self._python, os.X_OK):
            found.append(f'the launcher "process" cannot start "{self._python}"; give its option "python"')
        if _SETTINGS not in os.environ:
            found.append(f'the launcher "process" needs the settings by name, in {_SETTINGS}')
        if self._log is not None and not self._log.parent.is_dir():
            found.append(f'the launcher "process" cannot write "{self._log}": there is no such folder')
        elif self._log is not None and (self._log.is_dir() or not _is_writable(self._log)):
            found.append(f'the launcher "process" cannot write "{self._log}"')
        return found

    def launch(self, run_id: int) -> None:
        """Start a process.

        Raises:
            OSError: The system does not start one, or the log cannot be written.
            ConfigurationError: The process could not detach itself.
        """
        command = [self._python, "-m", "django", "eval_runs", "execute", str(run_id)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_search_path())}
        with Path(os.devnull if self._log is None else self._log).open("ab") as output:
            done = subprocess.run(  # noqa: S603  (a fixed command, and a number)
                [self._python, "-I", "-S", "-c", _DETACH, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
                timeout=_PATIENCE,
                check=False,
            )
        if done.returncode != 0:
            msg = f"the process of run {run_id} could not be started (status {done.returncode})"
            raise ConfigurationError(msg)


def _is_writable(log: Path) -> bool:
    return os.access(log if log.exists() else log.parent, os.W_OK)


def _search_path() -> list[str]:
    return [path or str(Path.cwd()) for path in sys.path]


_SETTINGS: Final = "DJANGO_SETTINGS_MODULE"
_PATIENCE: Final = 60

_DETACH: Final = "import os, sys; os.fork() and os._exit(0); os.execv(sys.argv[1], sys.argv[1:])"
"""Forks and ends: the process that stays has no parent that must wait for it, so that nothing of it is left behind."""
