"""`MarkdownOutput`: the report for comments on pull requests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path  # noqa: TC003  (the container reads the annotations)
from typing import TYPE_CHECKING, TextIO

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.console.failures import FailureLog
from neuron_evals.core.outputs.document import DocumentOutput
from neuron_evals.core.outputs.markdown_document import SMALLEST_LIMIT, report_text

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan

COMMENT_LIMIT = 65_536
"""How many characters GitHub takes in a comment."""


class MarkdownOutput(DocumentOutput):
    """Writes result, figures and what did not pass as Markdown when the run has ended.

    Text from models, datasets and errors stands in code only, so that it is no markup, link, image, mention or
    reference. A file is replaced only by a complete report.

    Args:
        path: The file, relative to the working directory as it is now.
        stream: A text stream instead of a file; standard output, as it is when first needed, when both are left out.
        limit: Largest number of characters, from 10,000. What does not fit is left out, and the last line says so.

    Raises:
        ConfigurationError: Both `path` and `stream` are given, or `limit` is too small.
    """

    def __init__(
        self, path: str | Path | None = None, stream: TextIO | None = None, limit: int = COMMENT_LIMIT
    ) -> None:
        super().__init__(path, stream)
        if type(limit) is not int or limit < SMALLEST_LIMIT:
            msg = f"MarkdownOutput: limit is a number of characters from {SMALLEST_LIMIT}, got {limit!r}"
            raise ConfigurationError(msg)
        self._limit = limit
        self._log = FailureLog(keep_all=False)

    def start(self, plan: Plan) -> None:
        """Forget an earlier run."""
        self._log = FailureLog(keep_all=False)

    def item(self, result: ItemResult) -> None:
        """Note what did not pass."""
        self._log.add(result)

    def pieces(self, report: EvaluationReport) -> Iterable[str]:
        """Return the report as Markdown text."""
        log = FailureLog(report.results, keep_all=False) if self._log.empty else self._log
        return [report_text(report, log, self._limit)]
