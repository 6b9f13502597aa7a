"""`JUnitOutput`: the report for CI servers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path  # noqa: TC003  (the container reads the annotations)
from typing import TYPE_CHECKING, ClassVar, TextIO

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.outputs.document import DocumentOutput
from neuron_evals.core.outputs.junit_document import report_pieces

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport


class JUnitOutput(DocumentOutput):
    """Writes the report as JUnit XML when the run has ended: a suite for each evaluator, a test case for each item.

    A file is replaced only by a complete report; until then, and after any failure, it keeps its old content.

    Args:
        path: The file, relative to the working directory as it is now.
        stream: A text stream instead of a file; standard output, as it is when first needed, when both are left out.

    Raises:
        ConfigurationError: Both `path` and `stream` are given.
    """

    needs_results: ClassVar[bool] = True

    def __init__(self, path: str | Path | None = None, stream: TextIO | None = None) -> None:
        super().__init__(path, stream)

    def pieces(self, report: EvaluationReport) -> Iterable[str]:
        """Return the report as XML text, piece by piece.

        Raises:
            OutputError: The report does not hold its results; a file without its test cases would pass for a good one.
        """
        left_out = report.total_count - len(report.results)
        if left_out:
            msg = f"the report does not hold {left_out} of its {report.total_count} results; run with keep_results=True"
            raise OutputError(msg)
        return report_pieces(report)

    def in_ascii(self, piece: str) -> str:
        """Return a piece with a character reference for each character that ASCII does not have."""
        return piece.encode("ascii", "xmlcharrefreplace").decode("ascii")
