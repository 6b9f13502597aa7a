"""`JsonOutput`: the report for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path  # noqa: TC003  (the container reads the annotations)
from typing import TYPE_CHECKING, ClassVar, TextIO

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.document import DocumentOutput
from neuron_evals.core.outputs.json_document import report_pieces

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class JsonOutput(DocumentOutput):
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
        super().__init__(path, stream)
        if indent is not None and (type(indent) is not int or indent < 0):
            msg = f"JsonOutput: indent is a number of spaces from 0, or None, got {indent!r}"
            raise ConfigurationError(msg)
        self._indent = indent

    def pieces(self, report: EvaluationReport) -> Iterable[str]:
        """Return the report as JSON text, piece by piece."""
        return report_pieces(report, self._indent)

    def in_ascii(self, piece: str) -> str:
        r"""Return a piece with `\u` escapes. Outside of strings JSON has only ASCII, so that they are always right."""
        return _NOT_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], piece)
