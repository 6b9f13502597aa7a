"""What drivers share that write one text when the run has ended."""

from __future__ import annotations

import codecs
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.core.outputs.files import file_problems, write_file
from neuron_evals.core.outputs.streams import flush, write_text

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport


class DocumentOutput(OutputDriver, ABC):
    """Writes the text that `pieces` gives to a file or a stream when the run has ended.

    A file is replaced only by a complete text; until then, and after any failure, it keeps its old content.

    Args:
        path: The file, relative to the working directory as it is now.
        stream: A text stream instead of a file; standard output, as it is when first needed, when both are left out.

    Raises:
        ConfigurationError: Both `path` and `stream` are given.
    """

    def __init__(self, path: str | Path | None, stream: TextIO | None) -> None:
        if path is not None and stream is not None:
            msg = f"{type(self).__name__}: give a path or a stream, not both"
            raise ConfigurationError(msg)
        # Absolute at once: an evaluator may change the working directory.
        self._path = None if path is None else Path(path).absolute()
        self._stream = stream

    @abstractmethod
    def pieces(self, report: EvaluationReport) -> Iterable[str]:
        """Return the text piece by piece, so that a long one is never held as a whole."""

    def in_ascii(self, piece: str) -> str:
        """Return a piece for a stream of another encoding than UTF-8, in the escapes that the format has."""
        return piece

    @property
    def destination(self) -> Path | TextIO | None:
        """The file, or the stream; `None` when there is no path and the process has no standard output."""
        if self._path is not None:
            return self._path.resolve()
        return sys.stdout if self._stream is None else self._stream

    def problems(self) -> list[str]:
        """Return why the text could not be written: no folder, a directory in place of the file, no permission."""
        if self._path is not None:
            return file_problems(self._path)
        stream = sys.stdout if self._stream is None else self._stream
        if stream is None:
            return ["there is no standard output; give a path"]
        return ["the stream is closed"] if stream.closed else []

    def output(self, report: EvaluationReport) -> None:
        """Write the text.

        Raises:
            OutputError: The file cannot be written, or the reader has closed the pipe.
        """
        pieces = self.pieces(report)
        if self._path is not None:
            write_file(self._path, pieces)
            return
        stream = sys.stdout if self._stream is None else self._stream
        if not _is_utf8(stream):
            pieces = map(self.in_ascii, pieces)
        for piece in pieces:
            write_text(stream, piece)
        flush(stream)


def _is_utf8(stream: TextIO) -> bool:
    encoding = getattr(stream, "encoding", None)
    return not encoding or codecs.lookup(encoding).name == "utf-8"
