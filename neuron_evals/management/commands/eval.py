"""`manage.py eval`: run suites."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import ConfigurationError, OutputError
from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import FAILED, NOTHING_JUDGED, PASSED
from neuron_evals.core.suites.parsing import SUFFIXES
from neuron_evals.management import options as run_options
from neuron_evals.management.faking import add_fake_options, fake_of
from neuron_evals.management.running import RunCommand
from neuron_evals.management.stored_runs import Shown, Storing, executed_run, made_run
from neuron_evals.management.suite_files import suite_evaluators, suites_in
from neuron_evals.models import RunStatus
from neuron_evals.runs import run_gate

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.outputs import OutputPipeline
    from neuron_evals.models import EvalRun


class Command(RunCommand):
    """Runs suites, stored or in files, and says by its exit status whether the agent is good enough."""

    help = "Run a stored suite, a suite file, or a folder of suite files."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the suite, who takes part, and the run options."""
        run_options.one_line_errors(parser)
        which = parser.add_mutually_exclusive_group(required=True)
        stored = "slug or number of a stored suite; its run is stored"
        which.add_argument("suite", nargs="?", type=run_options.filled, metavar="SUITE", help=stored)
        which.add_argument("--file", type=run_options.filled, metavar="F", help="suite file, YAML or JSON")
        which.add_argument("--dir", type=run_options.filled, metavar="D", help="folder of suite files")
        group = parser.add_argument_group("who takes part")
        group.add_argument(
            "--model", type=run_options.filled, metavar="[PROVIDER:]MODEL", help="the agent's model in this run"
        )
        group.add_argument(
            "--agent", type=run_options.filled, metavar="NAME", help="another agent: a name in AGENTS, or a slug"
        )
        group.add_argument("--judge", type=run_options.filled, metavar="NAME", help="another judge, likewise")
        add_fake_options(parser)
        run_options.add_run_options(parser)

    def judged(self, options: Mapping[str, Any], stop: StopToken) -> int:
        """Run what was named, and return the exit status."""
        fake = fake_of(options)
        if fake is not False and (named := [name for name in ("agent", "model") if options[name] is not None]):
            msg = f"--{named[0]} and --fake do not go together: canned replies stand in the place of the agent"
            raise ConfigurationError(msg)
        if options["suite"] is not None:
            _refuse_path(options["suite"])
            return self._run_stored(options, fake, stop)
        return self._run_files(options, fake, stop)

    def _run_files(self, options: Mapping[str, Any], fake: Any, stop: StopToken) -> int:
        said = {name: options[name] for name in ("agent", "judge", "model")}
        suites = suites_in(options["file"], options["dir"])
        evaluators = suite_evaluators(suites, fake=fake, **said)
        # A gate is for the whole report: what one suite of a folder asks for says nothing of the others.
        usual = suites[0].min_success_rate if options["file"] is not None else None
        gate = run_options.gate(options, usual)
        columns = {"fake": fake is not False}
        return self.run_here(evaluators, options, stop, own_concurrency=True, gate=gate, columns=columns)

    def _run_stored(self, options: Mapping[str, Any], fake: Any, stop: StopToken) -> int:
        storing = Storing()
        left_open = ""
        with self.outputs(options, chosen=storing.taken_out) as pipeline:
            if problems := [*pipeline.problems(), *storing.problems()]:
                raise ConfigurationError("\n".join(problems))
            run = made_run(
                options["suite"],
                agent=options["agent"],
                judge=options["judge"],
                options=run_options.run_values(options),
                fake=fake,
                storing=storing,
            )
            shown = Shown(pipeline)
            try:
                run = executed_run(run, shown, stop, self.runner(), storing)
            except OutputError as exc:
                left_open = str(exc)
        if left_open:
            return self._left_open(left_open, run, shown, pipeline, stop)
        if options["verbosity"]:
            self.stderr.write(f"stored as run {run.pk}", style_func=str)
        return self._status(run, shown, pipeline, stop)

    def _left_open(self, why: str, run: EvalRun, shown: Shown, pipeline: OutputPipeline, stop: StopToken) -> int:
        """Say what is to be done about a run that could not be closed, and return the exit status."""
        self.stderr.write(printable(why))
        if stop.interrupted:
            raise KeyboardInterrupt
        if shown.report is None:
            return NOTHING_JUDGED
        self.concluded(shown.report, run_gate(run), pipeline)
        return FAILED

    def _status(self, run: EvalRun, shown: Shown, pipeline: OutputPipeline, stop: StopToken) -> int:
        """Return the exit status: that of the report, unless the row knows worse."""
        if shown.report is None:
            if stop.interrupted:
                raise KeyboardInterrupt
            self.stderr.write(_ending(run))
            return FAILED if run.passed_count + run.failed_count + run.error_count else NOTHING_JUDGED
        status = self.concluded(shown.report, run_gate(run), pipeline)
        if status == PASSED and run.status != RunStatus.PASSED:
            self.stderr.write(_ending(run))
            return FAILED
        return status


def _ending(run: EvalRun) -> str:
    if not run.is_over:
        return f"run {run.pk} is {run.status}: another process took it over, and this command left it alone"
    return f"run {run.pk} is {run.status}: {printable(run.error, multiline=True)}"


def _refuse_path(named: str) -> None:
    """Refuse what is meant as a path, and can be no slug, before stored suites are looked up.

    Raises:
        ConfigurationError: It is one.
    """
    path = Path(named)
    if path.suffix.lower() in SUFFIXES or len(path.parts) > 1:
        option = "--file" if path.suffix else "--dir"
        msg = f'"{named}" is no slug of a stored suite; if it is a path, write {option} {named}'
        raise ConfigurationError(msg)
