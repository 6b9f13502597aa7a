"""Django commands in processes of their own, forked from one that has imported Django and the package.

Importing is most of what a command costs, and there are hundreds of them here. What a fork does not show,
how the command starts and takes signals, is tested with processes of its own that are started.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from tests.management.projects import ROOT

IMPORTED = (
    "django.db.models",
    "django.views.debug",
    "neuron_evals.apps",
    "neuron_evals.management.commands.evaluations",
)
STREAMS = ("stdin", "stdout", "stderr")


class ForkedCommands:
    """Asks the process that forks; one command at a time.

    Args:
        process: The process that forks.
        streams: Folder for what the commands write.
    """

    def __init__(self, process: subprocess.Popen[str], streams: Path) -> None:
        self._process = process
        self._streams = streams

    def run(
        self, arguments: list[str], folder: Path, environment: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run `python -W error -m django ARGUMENTS` in a folder, and return the finished process.

        Raises:
            TimeoutExpired: It did not end within `timeout` seconds.
        """
        streams = {"stdin": os.devnull} | {name: str(self._streams / name) for name in STREAMS[1:]}
        wanted = {"arguments": arguments, "folder": str(folder), "environment": dict(environment), "streams": streams}
        requests, statuses = _pipes(self._process)
        requests.write(json.dumps(wanted) + "\n")
        requests.flush()
        if not select.select([statuses], [], [], timeout)[0]:
            self._process.kill()
            raise subprocess.TimeoutExpired(arguments, timeout)
        status = int(statuses.readline())
        output, errors = (Path(streams[name]).read_text(encoding="utf-8") for name in STREAMS[1:])
        return subprocess.CompletedProcess(arguments, status, output, errors)


@contextmanager
def forked_commands(streams: Path) -> Iterator[ForkedCommands]:
    """Start the process that forks, and end it."""
    code = f"from {__name__} import serve; serve()"
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield ForkedCommands(process, streams)
        _pipes(process)[0].close()


def serve() -> None:
    """Fork a process for each command that is asked for, and tell how it ended."""
    for name in IMPORTED:
        import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
            return
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become(wanted: dict[str, Any]) -> None:
    """Run a command as a process would that was started for it; its end is the end of this process."""
    from django.core.management import execute_from_command_line  # noqa: PLC0415  (in the process that forks alone)

    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["folder"])
    sys.path[:1] = [wanted["folder"], *os.environ["PYTHONPATH"].split(os.pathsep)]
    for number, name in enumerate(STREAMS):
        flags = os.O_RDONLY if name == "stdin" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(wanted["streams"][name], flags), number)
    execute_from_command_line(["django", *wanted["arguments"]])


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
