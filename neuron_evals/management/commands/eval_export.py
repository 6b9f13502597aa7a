"""`manage.py eval_export`: a stored suite becomes a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.files import write_file
from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import FAILED
from neuron_evals.management import options as run_options
from neuron_evals.management.transfers import RowsCommand, problems_of_file
from neuron_evals.models import EvalSuite
from neuron_evals.transfer.documents import document_of
from neuron_evals.transfer.files import SuiteFile
from neuron_evals.transfer.formats import FORMATS, format_of, written

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(RowsCommand):
    """Writes a suite to a file that is replaced whole, or to standard output."""

    help = "Write a stored suite as JSON, JSON Lines, CSV or YAML."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the suite, the file and its format."""
        run_options.one_line_errors(parser)
        filled = run_options.filled
        parser.add_argument("suite", type=filled, metavar="SUITE", help="slug or number of the suite")
        parser.add_argument("file", nargs="?", type=filled, metavar="FILE", help="the file (default: standard output)")
        parser.add_argument("--format", choices=FORMATS, help="its format (default: by the end of its name, else json)")
        parser.add_argument(
            "--raw", action="store_true", help="leave cells of CSV as they are, also those that begin a formula"
        )
        parser.add_argument(
            "--check", action="store_true", help="write nothing; show what differs, and end with 1 when something does"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write, or compare."""
        del args
        try:
            suite = EvalSuite.objects.select_related("agent", "judge").find(options["suite"])
        except EvalSuite.DoesNotExist as exc:
            raise ConfigurationError(str(exc)) from exc
        path = None if options["file"] is None else Path(options["file"])
        guard = not options["raw"]
        if options["check"]:
            self._check(suite, path, options["format"], guard=guard)
            return
        file_format = options["format"] or "json" if path is None else format_of(path, options["format"])
        text = written(document_of(suite), file_format, guard=guard)
        if path is None:
            self.stdout.write_whole(text)
        else:
            write_file(path, [text])
            self.stdout.write(printable(f"Wrote {path}."))

    def _check(self, suite: EvalSuite, path: Path | None, file_format: str | None, *, guard: bool) -> None:
        if path is None:
            msg = "--check needs the file to compare with"
            raise ConfigurationError(msg)
        with problems_of_file(str(path)):
            file = SuiteFile.read(path, None, file_format, guard=guard)
        lines = file.difference(suite)
        for line in [f'{path} and the stored suite "{suite.slug}" differ:', *lines] if lines else []:
            self.stdout.write(printable(line))
        if lines:
            sys.exit(FAILED)
        self.stdout.write(printable(f'{path} is as the stored suite "{suite.slug}" says.'))
