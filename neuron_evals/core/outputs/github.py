"""`GitHubOutput`: annotations and the summary of a step of GitHub Actions."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.outputs.console.failures import FailureLog
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.core.outputs.files import file_problems
from neuron_evals.core.outputs.github_commands import annotation_lines, command
from neuron_evals.core.outputs.markdown_document import SMALLEST_LIMIT, report_text
from neuron_evals.core.outputs.streams import flush, write_text

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan

SUMMARY_LIMIT = 1024 * 1024
"""How many bytes GitHub takes as the summary of one step."""

_NO_SUMMARY = (
    "the environment variable GITHUB_STEP_SUMMARY is not set; "
    'run it in a step of GitHub Actions, or give the option "summary" a file'
)


class GitHubOutput(OutputDriver):
    """Shows what did not pass as annotations, and adds the report to the summary of the step.

    GitHub's runner reads commands out of a step's log. From the start of the run to its end they are switched off, so
    that nothing an agent said can be one, whoever prints it.

    Args:
        stream: Where workflow commands go; standard output, as it is when first needed, when left out.
        summary: The file that the summary is added to, relative to the working directory as it is now; the one that
            the environment variable `GITHUB_STEP_SUMMARY` names when left out.
    """

    def __init__(self, stream: TextIO | None = None, summary: str | Path | None = None) -> None:
        file = summary or os.environ.get("GITHUB_STEP_SUMMARY")
        # Absolute at once: an evaluator may change the working directory.
        self._summary = Path(file).absolute() if file else None
        self._root = Path(os.environ.get("GITHUB_WORKSPACE") or ".").absolute()
        self._stream = stream
        self._log = FailureLog(keep_all=False)
        self._switch_on: str | None = None

    @property
    def destination(self) -> TextIO | None:
        """The stream; `None` when the process has no standard output."""
        return sys.stdout if self._stream is None else self._stream

    def problems(self) -> list[str]:
        """Return whether the stream is missing or closed, and why the summary could not be written."""
        stream = self.destination
        found = []
        if stream is None:
            found.append("there is no standard output; give another stream")
        elif stream.closed:
            found.append("the stream is closed")
        if self._summary is None:
            found.append(_NO_SUMMARY)
        else:
            found += file_problems(self._summary)
        return found

    def start(self, plan: Plan) -> None:
        """Switch workflow commands off."""
        self._log = FailureLog(keep_all=False)
        token = secrets.token_hex(16)
        self._write([command("stop-commands", token)])
        self._switch_on = command(token, "")

    def item(self, result: ItemResult) -> None:
        """Note what did not pass."""
        self._log.add(result)

    def output(self, report: EvaluationReport) -> None:
        """Write the annotations, and add the report to the summary.

        Raises:
            OutputError: There is no summary, it is full or cannot be written, or the reader has closed the pipe.
        """
        log = FailureLog(report.results, keep_all=False) if self._log.empty else self._log
        self.close()
        self._write([*annotation_lines(report, log, self._root)])
        if self._summary is None:
            raise OutputError(_NO_SUMMARY)
        _append(self._summary, report, log)

    def close(self) -> None:
        """Switch workflow commands on again, if that did not happen yet; the stream stays open."""
        switch_on, self._switch_on = self._switch_on, None
        if switch_on is not None:
            self._write([switch_on])

    def _write(self, lines: list[str]) -> None:
        stream = sys.stdout if self._stream is None else self._stream
        for line in lines:
            write_text(stream, line)
        flush(stream)


def _append(path: Path, report: EvaluationReport, log: FailureLog) -> None:
    """Add the report to a file that other commands of the step may have written to before.

    Raises:
        OutputError: The file is full or cannot be written.
    """
    try:
        taken = path.stat().st_size if path.exists() else 0
        start = "\n" if taken else ""
        limit = SUMMARY_LIMIT - taken - len(start)
        if limit < SMALLEST_LIMIT:
            msg = f'cannot add to "{path}": it has {taken} of the {SUMMARY_LIMIT} bytes that GitHub takes'
            raise OutputError(msg)
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(start + report_text(report, log, limit, _bytes))
    except OSError as exc:
        msg = f'cannot add to "{path}": {exc.strerror or exc}'
        raise OutputError(msg) from exc


def _bytes(text: str) -> int:
    return len(text.encode())
