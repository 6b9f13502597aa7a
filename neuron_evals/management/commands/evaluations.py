"""`manage.py evaluations`: run the evaluators of a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper, SystemCheckError

from neuron_evals import conf, container
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.discovery import discover
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs import OutputPipeline
from neuron_evals.core.outputs.printable import printable
from neuron_evals.core.report.gate import FAILED, INTERRUPTED, NOTHING_JUDGED, PASSED
from neuron_evals.core.results import full_name
from neuron_evals.core.runner import BrokenEvaluator, EvaluatorRunner, PreparedRun
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.tracebacks import short_path
from neuron_evals.management import options as run_options
from neuron_evals.signals import SignalListener

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.report import EvaluationReport, Gate

DEFAULT_PATH = "evaluators"


class Command(BaseCommand):
    """Finds the evaluators of a folder, runs them, and says by its exit status whether they are good enough.

    A project's own command may derive from it and override `make` and `runner`.
    """

    help = "Run the evaluators of a folder."
    # Our own checks: those of the whole project are not what an evaluation depends on.
    requires_system_checks = ("neuron_evals",)

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the folder and the run options."""
        run_options.one_line_errors(parser)
        where = f"folder of evaluators (default: {DEFAULT_PATH})"
        parser.add_argument("path", nargs="?", type=run_options.filled, metavar="PATH", help=where)
        also = "the same; wins over PATH"
        parser.add_argument("--path", type=run_options.filled, dest="path_option", metavar="PATH", help=also)
        run_options.add_run_options(parser)

    def make(self, cls: type[BaseEvaluator]) -> BaseEvaluator:
        """Build an evaluator: with the container that the settings name."""
        return container.build(cls)

    def runner(self) -> EvaluatorRunner:
        """Return the runner: with the hooks that the settings name."""
        return container.make_runner()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run, and end with the exit status."""
        stop = StopToken()
        try:
            with signals_stop(stop):
                status = self._evaluate(options, stop)
        except ConfigurationError as exc:
            # Folders, evaluators and datasets have their say in it.
            raise CommandError(printable(str(exc), multiline=True), returncode=NOTHING_JUDGED) from exc
        except KeyboardInterrupt:
            msg = "interrupted"
            raise CommandError(msg, returncode=INTERRUPTED) from None
        if status != PASSED:
            sys.exit(status)

    def check(self, *args: Any, **kwargs: Any) -> None:
        """Check the settings; wrong ones end the command as wrong usage does."""
        try:
            super().check(*args, **kwargs)
        except SystemCheckError as exc:
            exc.returncode = NOTHING_JUDGED
            raise

    def _evaluate(self, options: Mapping[str, Any], stop: StopToken) -> int:
        """Check everything, run, and return the exit status."""
        gate = run_options.gate(options)
        with self._outputs(options, stop=stop, gate=gate) as pipeline:
            runner = run_options.with_cache(self.runner(), options)
            if problems := [*pipeline.problems(), *run_options.cache_problems(runner.cache)]:
                raise ConfigurationError("\n".join(problems))
            with stop.interruptible():
                run = self._prepare(runner, options, stop)
            with closing(run):
                self._refuse_nothing(run, options)
                report = run.execute(pipeline, fail_fast=options["fail_fast"], keep_results=pipeline.needs_results)
        for error in pipeline.errors:
            self.stderr.write(f"output driver failed: {error}")
        status = gate.exit_status(report)
        if status == PASSED and pipeline.errors:
            status = FAILED
        self._explain(report, gate, options)
        return status

    @contextmanager
    def _outputs(self, options: Mapping[str, Any], **context: object) -> Iterator[OutputPipeline]:
        """Give the output drivers; while a report takes standard output, all else goes to standard error."""
        out, err = _behind(self.stdout), _behind(self.stderr)
        drivers = container.output_drivers(
            options["output"] or None,
            stdout=out,
            stderr=err,
            verbosity=options["verbosity"],
            color=False if options["no_color"] else True if options["force_color"] else None,
            columns={"options": run_options.told(options)},
            **context,
        )
        report_on_stdout = any(driver.destination is out and not driver.live for driver in drivers)
        pipeline = OutputPipeline([*drivers, SignalListener()])
        with redirect_stdout(err if report_on_stdout else out), closing(pipeline):
            yield pipeline

    def _prepare(self, runner: EvaluatorRunner, options: Mapping[str, Any], stop: StopToken) -> PreparedRun:
        path = options["path_option"] or options["path"] or DEFAULT_PATH
        found = discover(path)
        if not found.evaluators and not found.broken:
            msg = f"{path}: no evaluator in this folder; write one with `manage.py make_evaluator evaluators.First`"
            raise ConfigurationError(msg)
        broken = [BrokenEvaluator(short_path(str(file.path)), file.error, file.traceback) for file in found.broken]
        return runner.prepare_run(
            [*broken, *map(self._made, found.evaluators)],
            conf.read().runner.concurrency if options["concurrency"] is None else options["concurrency"],
            workers=options["workers"],
            selection=run_options.selection(options),
            limits=run_options.limits(options),
            stop=stop,
        )

    def _made(self, cls: type[BaseEvaluator]) -> BaseEvaluator | BrokenEvaluator:
        try:
            return self.make(cls)
        except (Exception, SystemExit) as exc:
            return BrokenEvaluator.of(full_name(cls), exc)

    def _refuse_nothing(self, run: PreparedRun, options: Mapping[str, Any]) -> None:
        """Refuse a run that cannot judge anything, and say why."""
        if run.plan.total != 0:
            return
        broken = [evaluator for evaluator in run.evaluators if isinstance(evaluator, BrokenEvaluator)]
        reasons = [printable(f"{evaluator.evaluator_class}: {evaluator.error}") for evaluator in broken]
        if run.left_out:
            reasons.append(f"no item matches {run_options.selection(options)}")
        if options["verbosity"] > 1:
            reasons += [evaluator.traceback for evaluator in broken if evaluator.traceback]
        raise ConfigurationError("\n".join(["nothing was evaluated: " + reasons[0], *reasons[1:]]))

    def _explain(self, report: EvaluationReport, gate: Gate, options: Mapping[str, Any]) -> None:
        """Say whether the gate held, where one was asked for."""
        if options["min_success_rate"] is None and not options["max_error_rate"]:
            return
        problems = gate.problems(report)
        self.stderr.write(f"gate not reached: {printable('; '.join(problems))}" if problems else "gate reached")


def _behind(wrapper: OutputWrapper) -> TextIO:
    """Return the stream behind Django's wrapper, which adds line ends and would break up what others print."""
    return cast("TextIO", wrapper._out)  # noqa: SLF001  (it has no public name)
