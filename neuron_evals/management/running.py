"""What the commands that run evaluations share: outputs, gate, exit status, and what ends them early."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from django.core.management.base import CommandError

from neuron_evals import conf, container
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs import OutputPipeline
from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import FAILED, INTERRUPTED, NOTHING_JUDGED, PASSED
from neuron_evals.core.runner import BrokenEvaluator, EvaluatorRunner, PreparedRun
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.management import options as run_options
from neuron_evals.management.checked import CheckedCommand
from neuron_evals.management.lasting import behind
from neuron_evals.signals import SignalListener

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.outputs import OutputDriver
    from neuron_evals.core.report import EvaluationReport, Gate

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class RunCommand(CheckedCommand):
    """A command that runs evaluations, and says by its exit status whether they are good enough.

    A project's own command may derive from one of ours and override `make` and `runner`.
    """

    def make(self, cls: type[BaseEvaluator]) -> BaseEvaluator:
        """Build an evaluator: with the container that the settings name."""
        return container.build(cls)

    def runner(self) -> EvaluatorRunner:
        """Return the runner: with the hooks that the settings name."""
        return container.make_runner()

    @abstractmethod
    def judged(self, options: Mapping[str, Any], stop: StopToken) -> int:
        """Check everything, run, and return the exit status.

        Raises:
            ConfigurationError: Nothing can be judged; the message says why.
        """

    def handle(self, *args: Any, **options: Any) -> None:
        """Run, and end with the exit status."""
        del args
        stop = StopToken(ends_process=True)
        try:
            with signals_stop(stop):
                status = self.judged(options, stop)
        except ConfigurationError as exc:
            # Folders, suites, evaluators and datasets have their say in it.
            raise CommandError(printable(str(exc), multiline=True), returncode=NOTHING_JUDGED) from exc
        except KeyboardInterrupt:
            msg = "interrupted"
            raise CommandError(msg, returncode=INTERRUPTED) from None
        if status != PASSED:
            sys.exit(status)

    def run_here(  # noqa: PLR0913  (what there is to run, and how)
        self,
        evaluators: Iterable[BaseEvaluator | BrokenEvaluator],
        options: Mapping[str, Any],
        stop: StopToken,
        *,
        own_concurrency: bool = False,
        gate: Gate | None = None,
        columns: Mapping[str, Any] = _NONE,
    ) -> int:
        """Run evaluators in this process, show them by the output drivers, and return the exit status.

        Args:
            evaluators: The evaluators, and those known to be broken; they are made when outputs and cache are sound.
            options: The options of the command.
            stop: What stops the run.
            own_concurrency: Have the evaluators say how many items are in flight, where the command does not.
            gate: What the report must reach; by default what the options say.
            columns: What a run in the database keeps beside its options.
        """
        gate = gate or run_options.gate(options)
        listeners = [SignalListener()]
        with self.outputs(options, listeners, stop=stop, gate=gate, columns=columns) as pipeline:
            runner = run_options.with_cache(self.runner(), options)
            if problems := [*pipeline.problems(), *run_options.cache_problems(runner.cache)]:
                raise ConfigurationError("\n".join(problems))
            with stop.interruptible():
                run = runner.prepare_run(
                    list(evaluators),
                    options["concurrency"] or conf.read().runner.concurrency,
                    workers=options["workers"],
                    selection=run_options.selection(options),
                    limits=run_options.limits(options),
                    stop=stop,
                    own_concurrency=own_concurrency and options["concurrency"] is None,
                )
            with closing(run):
                nothing = _why_nothing(run, options)
                if nothing and not run.evaluators:
                    raise ConfigurationError(nothing)
                # The reports say that all is broken, as a CI server looks at nothing else; people are told below.
                quiet = OutputPipeline(driver for driver in pipeline.drivers if not driver.live)
                told = quiet if nothing else pipeline
                report = run.execute(told, fail_fast=options["fail_fast"], keep_results=told.needs_results)
        status = self.concluded(report, gate, told)
        if nothing and status == NOTHING_JUDGED:
            raise ConfigurationError(nothing)
        return status

    @contextmanager
    def outputs(
        self,
        options: Mapping[str, Any],
        listeners: Sequence[OutputDriver] = (),
        *,
        columns: Mapping[str, Any] = _NONE,
        chosen: Callable[[list[OutputDriver]], list[OutputDriver]] = list,
        **context: object,
    ) -> Iterator[OutputPipeline]:
        """Give the output drivers; while a report takes standard output, all else goes to standard error.

        Args:
            options: The options of the command.
            listeners: Other drivers that are told of the run.
            columns: What a run in the database keeps beside its options.
            chosen: Returns, of the drivers that were asked for, those that are used.
            **context: What drivers may want to know, as for `container.output_drivers`.
        """
        out, err = behind(self.stdout), behind(self.stderr)
        asked = container.output_drivers(
            options["output"] or None,
            stdout=out,
            stderr=err,
            verbosity=options["verbosity"],
            color=False if options["no_color"] else True if options["force_color"] else None,
            columns={"options": run_options.told(options), **columns},
            **context,
        )
        drivers = chosen(asked)
        report_on_stdout = any(driver.destination is out and not driver.live for driver in drivers)
        pipeline = OutputPipeline([*drivers, *listeners])
        with redirect_stdout(err if report_on_stdout else out), closing(pipeline):
            yield pipeline

    def concluded(self, report: EvaluationReport, gate: Gate, pipeline: OutputPipeline) -> int:
        """Say which output drivers failed and whether the gate held, and return the exit status."""
        for error in pipeline.errors:
            self.stderr.write(f"output driver failed: {error}")
        status = gate.exit_status(report)
        if gate.min_success_rate is not None or gate.max_error_rate:
            problems = gate.problems(report)
            self.stderr.write(f"gate not reached: {printable('; '.join(problems))}" if problems else "gate reached")
        return FAILED if status == PASSED and pipeline.errors else status


def _why_nothing(run: PreparedRun, options: Mapping[str, Any]) -> str:
    """Return why a run cannot judge anything; empty when it can."""
    if run.plan.total != 0:
        return ""
    broken = [evaluator for evaluator in run.evaluators if isinstance(evaluator, BrokenEvaluator)]
    reasons = [printable(f"{evaluator.evaluator_class}: {evaluator.error}") for evaluator in broken]
    if run.absent:
        reasons.append(f"no item matches {run_options.selection(options)}")
    if options["verbosity"] > 1:
        reasons += [evaluator.traceback for evaluator in broken if evaluator.traceback]
    return "\n".join(["nothing was evaluated: " + reasons[0], *reasons[1:]])
