"""`manage.py evaluations`: run the evaluators of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.discovery import discover
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name
from neuron_evals.core.runner import BrokenEvaluator
from neuron_evals.core.tracebacks import short_path
from neuron_evals.management import options as run_options
from neuron_evals.management.running import RunCommand

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.evaluators import BaseEvaluator

DEFAULT_PATH = "evaluators"


class Command(RunCommand):
    """Finds the evaluators of a folder, runs them, and says by its exit status whether they are good enough."""

    help = "Run the evaluators of a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the folder and the run options."""
        run_options.one_line_errors(parser)
        where = f"folder of evaluators (default: {DEFAULT_PATH})"
        parser.add_argument("path", nargs="?", type=run_options.filled, metavar="PATH", help=where)
        also = "the same; wins over PATH"
        parser.add_argument("--path", type=run_options.filled, dest="path_option", metavar="PATH", help=also)
        run_options.add_run_options(parser)

    def judged(self, options: Mapping[str, Any], stop: StopToken) -> int:
        """Run the evaluators, and return the exit status."""
        path = options["path_option"] or options["path"] or DEFAULT_PATH
        return self.run_here(self._found(path), options, stop)

    def _found(self, path: str) -> Iterator[BaseEvaluator | BrokenEvaluator]:
        """Yield the evaluators of a folder; nothing is imported before the first one is wanted."""
        found = discover(path)
        if not found.evaluators and not found.broken:
            msg = f"{path}: no evaluator in this folder; write one with `manage.py make_evaluator evaluators.First`"
            raise ConfigurationError(msg)
        yield from (BrokenEvaluator(short_path(str(file.path)), file.error, file.traceback) for file in found.broken)
        yield from map(self._made, found.evaluators)

    def _made(self, cls: type[BaseEvaluator]) -> BaseEvaluator | BrokenEvaluator:
        try:
            return self.make(cls)
        except (Exception, SystemExit) as exc:
            return BrokenEvaluator.of(full_name(cls), exc)
