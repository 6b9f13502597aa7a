"""Executing a run: its shards are claimed one after the other until none is free, and the last one closes the run."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import Error, router

from neuron_evals import conf
from neuron_evals.connections import refresh_connections
from neuron_evals.container import make_cache, make_runner
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError, OutputError
from neuron_evals.core.outputs import OutputPipeline
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.core.report import Gate
from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.core.runner.interruption import signals_stop
from neuron_evals.core.tracebacks import describe_error
from neuron_evals.models import EvalRun
from neuron_evals.models.leases import Lease, LeaseLost, claim
from neuron_evals.outputs import DatabaseOutput, close_run, give_back, stored_keys
from neuron_evals.outputs.driver import executor as this_process
from neuron_evals.outputs.patience import PATIENCE, patiently
from neuron_evals.runs.keeping import kept
from neuron_evals.runs.options import RunOptions
from neuron_evals.runs.problems import RunError, lines_of
from neuron_evals.runs.reruns import kept_by_parent
from neuron_evals.runs.subjects import evaluator_of, suite_as_it_was
from neuron_evals.signals import SignalListener
from neuron_evals.suites import kept_defaults

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.runner import PreparedRun
    from neuron_evals.core.runner.crew import AroundFork

_log = logging.getLogger(__name__)


def execute_run(  # noqa: PLR0913  (what a door knows of an execution)
    run_id: int,
    *,
    evaluator: BaseEvaluator | None = None,
    executor: str = "",
    listeners: list[OutputDriver] | None = None,
    stop: StopToken | None = None,
    runner: EvaluatorRunner | None = None,
    using: str | None = None,
    patience: float = PATIENCE,
) -> EvalRun:
    """Execute what is left of a run, as far as no other executor has it. Asked again, it goes on or does nothing.

    Results that are stored already are not made again. The process may be killed at any moment: what was in flight and
    the results of one commit are lost then, and made by whoever executes the run next.

    Args:
        run_id: Number of the run.
        evaluator: The evaluator, for a run of one from code.
        executor: Who executes, for people; host and process by default.
        listeners: Output drivers that are told of the results too; the caller closes none of them.
        stop: Set it from elsewhere to stop: the run is cancelled then, and can be resumed.
        runner: What runs the items; by default one with the hooks that the settings name.
        using: Alias of the database; by default the one that routers name.
        patience: Seconds that the database may be busy or away while results are stored, 0 or more.

    Returns:
        The run as it is now: over, or running when other executors have parts of it.

    Raises:
        RunError: There is no such run, or it needs an evaluator that was not given.
        OutputError: The database broke, or was busy or away for too long, so that the run is left open; the message
            says how to go on.
    """
    refresh_connections()
    run = found_run(run_id, using)
    if run.is_over:
        return run
    if run.suite_id is None and evaluator is None:
        raise RunError([f'run {run.pk} is of the evaluator "{run.source}" from code; name its folder'])
    execution = _Execution(
        run, evaluator, executor or this_process(), listeners or [], stop or StopToken(), runner, patience
    )
    try:
        with signals_stop(execution.stop):
            execution.run_shards()
        return found_run(run_id, run.database)
    except (OutputError, Error) as exc:
        raise OutputError(_left_open(run, exc)) from exc


def found_run(run_id: int, using: str | None = None) -> EvalRun:
    """Return a stored run.

    Raises:
        RunError: There is none with that number.
    """
    # Not from a replica: it may not have the row yet, and a run is executed where its row was read.
    runs = EvalRun.objects.using(using or router.db_for_write(EvalRun))
    found: EvalRun | None = runs.select_related("parent").filter(pk=run_id).first()
    if found is None:
        raise RunError([f"there is no run {run_id}"])
    return found


@dataclass(slots=True)
class _Execution:
    """One process at work on one run."""

    run: EvalRun
    evaluator: BaseEvaluator | None
    executor: str
    listeners: list[OutputDriver]
    stop: StopToken
    runner: EvaluatorRunner | None
    patience: float

    def run_shards(self) -> None:
        """Execute shards until none is free, and close the run when no part of it is left."""
        using = self.run.database
        gate: Gate | None = None
        broken = ""
        while not self.stop.is_set():
            lease = patiently(using, partial(claim, self.run, self.executor), self.patience)
            if lease is None:
                break
            try:
                gate, error = self._run_shard(lease)
            except LeaseLost as exc:
                _log.info("%s", exc)
                return
            broken = broken or error
        self._close(gate, broken)

    def _run_shard(self, lease: Lease) -> tuple[Gate | None, str]:
        """Execute a shard and give it back; return what its run must reach, and why it broke.

        Raises:
            LeaseLost: Somebody else has the shard, or the run was given up.
        """
        gate: Gate | None = None
        error = ""
        try:
            subject = _Subject.of(self.run, self.evaluator)
            gate = subject.gate
            error = self._evaluate(subject, lease)
        except (ConfigurationError, EvaluationError) as exc:
            error = "\n".join(lines_of(exc))
        except (Exception, SystemExit) as exc:
            if isinstance(exc, LeaseLost):
                raise
            _log.exception("run %s broke", self.run.pk)
            error = describe_error(exc)
        except KeyboardInterrupt:
            self.stop.set("interrupted", abandon=True)
        cancelled = self.stop.is_set() and not error
        patiently(lease.using, partial(give_back, lease, error=error, cancelled=cancelled), self.patience)
        return gate, error

    def _evaluate(self, subject: _Subject, lease: Lease) -> str:
        """Run the items that have no result yet; return why that broke, or an empty text."""
        skip = stored_keys(self.run)
        with kept(lease, self.stop) as around_fork, self.stop.interruptible():
            prepared = subject.prepared(self.run, lease, self.stop, skip, self.runner, around_fork=around_fork)
        with closing(prepared):
            if not prepared.evaluators:
                return ""
            self._note_plan(lease, prepared, len(skip))
            with self._outputs(lease) as pipeline:
                keep = pipeline.needs_results
                report = prepared.execute(pipeline, fail_fast=subject.options.fail_fast, keep_results=keep)
        self._note_failure(pipeline)
        return _broken(report, pipeline)

    @contextmanager
    def _outputs(self, lease: Lease) -> Iterator[OutputPipeline]:
        database = DatabaseOutput(self.run, lease, stop=self.stop, patience=self.patience)
        pipeline = OutputPipeline([database, SignalListener(), *self.listeners])
        try:
            yield pipeline
        finally:
            database.close()

    def _note_plan(self, lease: Lease, prepared: PreparedRun, stored: int) -> None:
        """Note how many results there will be, where that was not known before and the shard is the whole run."""
        total = prepared.plan.total
        if self.run.planned_count is None and total is not None and (lease.start, lease.stop) == (0, None):
            self.run.planned_count = total + stored
            save = partial(self.run.save, using=lease.using, update_fields=["planned_count"])
            patiently(lease.using, save, self.patience)

    def _note_failure(self, pipeline: OutputPipeline) -> None:
        """Note that results could not be stored: a database that was waited for once is not waited for again."""
        if any(error.driver == DatabaseOutput.__name__ for error in pipeline.errors):
            self.patience = 0

    def _close(self, gate: Gate | None, error: str) -> None:
        cancelled = self.stop.is_set() and not error
        gate = gate or run_gate(self.run)
        close = partial(close_run, self.run, gate, error=error, cancelled=cancelled)
        patiently(self.run.database, close, self.patience)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is evaluated, and how."""

    evaluator: BaseEvaluator
    options: RunOptions
    concurrency: int
    gate: Gate

    @classmethod
    def of(cls, run: EvalRun, evaluator: BaseEvaluator | None) -> _Subject:
        """Return the subject of a run.

        Raises:
            RunError: It cannot be run any more.
        """
        options = RunOptions.of(run.options)
        usual = conf.read().runner.concurrency
        if evaluator is not None:
            return cls(evaluator, options, options.concurrency or usual, options.gate())
        suite = suite_as_it_was(run)
        concurrency = options.concurrency or suite.concurrency or usual
        evaluator = evaluator_of(suite, options, kept_defaults(run.metadata.get("suite") or {}))
        return cls(evaluator, options, concurrency, options.gate(suite.min_success_rate))

    def prepared(  # noqa: PLR0913  (what there is to run, and what watches over it)
        self,
        run: EvalRun,
        lease: Lease,
        stop: StopToken,
        skip: Any,
        runner: EvaluatorRunner | None,
        *,
        around_fork: AroundFork,
    ) -> PreparedRun:
        """Return what is left of a shard, ready to run."""
        keys = None if self.options.only is None else kept_by_parent(run.parent, self.options.only)
        selection = replace(self.options.selection(), start=lease.start, stop=lease.stop, keys=keys)
        return self._cached(runner or make_runner()).prepare_run(
            [self.evaluator],
            self.concurrency,
            workers=self.options.workers,
            selection=selection,
            limits=self.options.limits(),
            stop=stop,
            skip=skip,
            around_fork=around_fork,
        )

    def _cached(self, runner: EvaluatorRunner) -> EvaluatorRunner:
        if not (self.options.cache or self.options.fresh):
            return runner
        return runner.with_cache(make_cache(), refresh=self.options.fresh)


def run_gate(run: EvalRun) -> Gate:
    """Return what a run must reach of which this process executed no part: its executor was killed before the end."""
    options = RunOptions.of(run.options)
    kept = (run.metadata.get("suite") or {}).get("defaults") or {}
    return options.gate(kept.get("min_success_rate"))


def _left_open(run: EvalRun, exc: Exception) -> str:
    """Return what to do about a run that its executor can neither go on with nor close."""
    why = str(exc) if isinstance(exc, OutputError) else " ".join(f"{type(exc).__name__}: {exc}".split())
    return (
        f"run {run.pk} is left open: {why}. What was stored stays; "
        f"`python manage.py eval_runs execute {run.pk}` goes on, a minute later at the earliest"
    )


def _broken(report: EvaluationReport, pipeline: OutputPipeline) -> str:
    errors = [str(results.error) for results in report.evaluators if results.error]
    errors += [str(error) for error in pipeline.errors if error.driver == DatabaseOutput.__name__]
    return "\n".join(errors)
