"""`JsonOutput`: the report for programs."""

from __future__ import annotations

import codecs
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TextIO

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.core.outputs.files import file_problems, write_file
from neuron_evals.core.outputs.json_document import report_pieces
from neuron_evals.core.outputs.streams import flush, write_text

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class JsonOutput(OutputDriver):
    """Writes the whole report as one JSON document (RFC 8259, UTF-8) when the run has ended.

    A file is replaced only by a complete report; until then, and after any failure, it keeps its old content.

    Args:
        path: The file, relative to the working directory as it is now.
        stream: A text stream instead of a file; standard output, as it is when first needed, when both are left out.
        indent: Spaces for each level, from 0; `None` for one line for each key, result and evaluator.

    Raises:
        ConfigurationError: Both `path` and `stream` are given, or `indent` is no number of spaces.
    """

    needs_results: ClassVar[bool] = True

    def __init__(self, path: str | Path | None = None, stream: TextIO | None = None, indent: int | None = 2) -> None:
        if path is not None and stream is not None:
            msg = "JsonOutput: give a path or a stream, not both"
            raise ConfigurationError(msg)
        if indent is not None and (type(indent) is not int or indent < 0):
            msg = f"JsonOutput: indent is a number of spaces from 0, or None, got {indent!r}"
            raise ConfigurationError(msg)
        # Absolute at once: an evaluator may change the working directory.
        self._path = None if path is None else Path(path).absolute()
        self._stream = stream
        self._indent = indent

    @property
    def destination(self) -> Path | TextIO | None:
        """The file, or the stream; `None` when there is no path and the process has no standard output."""
        if self._path is not None:
            return self._path.resolve()
        return sys.stdout if self._stream is None else self._stream

    def problems(self) -> list[str]:
        """Return why the report could not be written: no folder, a directory in place of the file, no permission."""
        if self._path is not None:
            return file_problems(self._path)
        stream = sys.stdout if self._stream is None else self._stream
        if stream is None:
            return ["there is no standard output; give a path"]
        return ["the stream is closed"] if stream.closed else []

    def output(self, report: EvaluationReport) -> None:
        """Write the report.

        Raises:
            OutputError: The file cannot be written, or the reader has closed the pipe.
        """
        pieces = report_pieces(report, self._indent)
        if self._path is not None:
            write_file(self._path, pieces)
            return
        stream = sys.stdout if self._stream is None else self._stream
        ascii_only = not _is_utf8(stream)
        for piece in pieces:
            write_text(stream, _NOT_ASCII.sub(_escape, piece) if ascii_only else piece)
        flush(stream)


def _is_utf8(stream: TextIO) -> bool:
    encoding = getattr(stream, "encoding", None)
    return not encoding or codecs.lookup(encoding).name == "utf-8"


def _escape(match: re.Match[str]) -> str:
    # Outside of strings JSON has no such characters, so that the escape of JSON strings is always right.
    return json.dumps(match[0])[1:-1]
