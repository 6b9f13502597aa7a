"""`DatabaseOutput`: results as rows, each stored as soon as its item ended."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import Error, connections, router, transaction

from neuron_evals.connections import others_see
from neuron_evals.core.exceptions import ConfigurationError, OutputError, StopRun
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.models import EvalRun, Trigger
from neuron_evals.models.leases import LeaseLost, claim
from neuron_evals.models.tables import table_problems
from neuron_evals.outputs.closing import close_run, give_back
from neuron_evals.outputs.course import Course, StoredRun
from neuron_evals.outputs.heartbeat import Heartbeat
from neuron_evals.outputs.patience import PATIENCE, patiently
from neuron_evals.outputs.storing import Store
from neuron_evals.outputs.surroundings import surroundings
from neuron_evals.outputs.writers import CallingWriter, ThreadWriter, Writer, in_own_thread

if TYPE_CHECKING:
    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.report import EvaluationReport, EvaluationResults, Gate
    from neuron_evals.core.results import ItemResult, Plan, PlannedEvaluator
    from neuron_evals.models.leases import Lease

NOT_ENDED = "the command broke off before the run ended"


class DatabaseOutput(OutputDriver):
    """Stores each result in the database as soon as its item ended.

    Without `run` it makes one run for each evaluator of the plan, and closes them with the report. With `run` it stores
    the results of one evaluator into that run; whoever has the lease gives the shard back and closes the run then (see
    `give_back` and `close_run`).

    It writes in a thread with a connection of its own. Results that end while a commit runs go together into the next
    one, so that a process that is killed loses what is in flight and that one commit. Where the calling thread is in a
    transaction, or the database is SQLite's in memory, it writes in the calling thread instead.

    Args:
        run: The run to store into.
        lease: The right to a shard of it; needed with `run`, refused without.
        using: Alias of the database of the runs that it makes; by default the one that routers name for them.
        batch: What the runs that it makes share; by default a random text when there is more than one.
        trigger: What started the runs that it makes: `command`, `admin`, `api` or `schedule`.
        stop: Is set when somebody asked to cancel a run, or when a lease is lost. Without it the next result raises
            `StopRun`.
        gate: What the results of each run that it makes must reach to be `passed`; by default every item passes.
        columns: Other columns of the runs that it makes, such as `options`, `fake`, `triggered_by`.
        patience: Seconds that the database may be busy or away, 0 or more, before the driver gives up. Results wait in
            memory meanwhile, and items for them.

    Attributes:
        batch: As given.
        trigger: As given.
        patience: As given.

    Raises:
        ConfigurationError: `run` without `lease`, `lease` without `run`, or an unknown trigger.
    """

    from_caller: ClassVar[frozenset[str]] = frozenset({"run", "lease", "stop", "gate", "columns"})

    def __init__(  # noqa: PLR0913  (what a command and the run service know of a run)
        self,
        run: EvalRun | None = None,
        lease: Lease | None = None,
        *,
        using: str | None = None,
        batch: str | None = None,
        trigger: str = Trigger.COMMAND,
        stop: StopToken | None = None,
        gate: Gate | None = None,
        columns: Mapping[str, Any] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        if (run is None) != (lease is None):
            msg = "DatabaseOutput: give a run and a lease of a shard of it, or neither"
            raise ConfigurationError(msg)
        if trigger not in Trigger.values:
            msg = f"DatabaseOutput: trigger is one of {', '.join(Trigger.values)}, got {trigger!r}"
            raise ConfigurationError(msg)
        self._given = None if run is None or lease is None else (run, lease)
        self._using = using
        self.batch = batch
        self.trigger = trigger
        self._stop = stop
        self._gate = gate
        self._columns = dict(columns or {})
        self.patience = patience
        self._course = Course()
        self._writer: Writer = CallingWriter()
        self._heartbeat = Heartbeat(self._must_stop)
        self._stopped: str | None = None
        self._around: dict[str, Any] = {}

    @property
    def using(self) -> str:
        """Alias of the database."""
        if self._given is not None:
            return self._given[1].using
        return self._using or router.db_for_write(EvalRun)

    @property
    def destination(self) -> str:
        """The database."""
        return f'the database "{self.using}"'

    @property
    def runs(self) -> tuple[EvalRun, ...]:
        """The runs that it stores, in the order of the plan; empty before the start."""
        return tuple(stored.run for stored in self._course.runs)

    def problems(self) -> list[str]:
        """Return what keeps the database from storing runs: it cannot be reached, or its tables are missing."""
        using = self.using
        if using not in connections:
            return [f'there is no database "{using}"; DATABASES has {", ".join(connections)}']
        if self._writes_in_caller():
            return table_problems(using)
        return in_own_thread(lambda: table_problems(using))

    def start(self, plan: Plan) -> None:
        """Make the runs, or take the one that was given.

        Raises:
            OutputError: A run was given, and the plan has several evaluators.
        """
        in_caller = self._writes_in_caller()
        if not in_caller:
            self._writer = ThreadWriter()
        if self._given is None:
            batch = uuid.uuid4().hex if self.batch is None and len(plan.evaluators) > 1 else self.batch
            self._around = surroundings()
            self._course = Course(self._in_database(lambda: self._made(plan, batch or "")))
        else:
            self._course = Course([self._taken(plan, *self._given)])
        for stored in self._course.runs:
            self._heartbeat.add(stored.store.lease)
        if not in_caller:
            self._heartbeat.start()

    def finished(self, result: ItemResult) -> None:
        """Store a result.

        Raises:
            StopRun: A lease was lost, or somebody asked to cancel a run and there is no token to tell.
            OutputError: The results before could not be stored.
        """
        self._writer.put(self._course.finished(result).store, result)
        if isinstance(self._writer, CallingWriter):
            self._heartbeat.beat_when_due()
        if self._stopped is not None and self._stop is None:
            raise StopRun(self._stopped)

    def item(self, result: ItemResult) -> None:
        """Note that all results before this one have come."""
        self._course.item(result)

    def output(self, report: EvaluationReport) -> None:
        """Wait until everything is stored, and close the runs that it made.

        Raises:
            OutputError: Not everything could be stored as it is.
        """
        try:
            self._finish(report)
        except LeaseLost as exc:
            # There is nothing left to stop; but results are missing, and that is a failure.
            raise OutputError(str(exc)) from exc
        refused = sum(stored.store.refused for stored in self._course.runs)
        if refused:
            msg = f"{refused} results could not be stored; error items stand in their place"
            raise OutputError(msg)

    def close(self) -> None:
        """Store what waits, close the runs that `output` has not closed, and end the threads.

        Raises:
            OutputError: The database is lost, and runs are left open.
        """
        open_runs = [stored for stored in self._course.runs if stored.open and self._given is None]
        try:
            left = [str(stored.run.pk) for stored in open_runs if not self._broken_off(stored)]
        finally:
            self._writer.close()
            self._heartbeat.close()
        if left:
            runs = f"run {left[0]} is" if len(left) == 1 else f"runs {', '.join(left)} are"
            msg = f"{runs} left open; `python manage.py eval_runs sweep` closes what nobody executes, after a minute"
            raise OutputError(msg)

    def _finish(self, report: EvaluationReport) -> None:
        self._writer.flush()
        if self._given is not None:
            return
        for position, stored in enumerate(self._course.runs):
            results = report.evaluators[position]
            cancelled = self._course.stopped_early(position, report)
            self._close_run(stored, results.error or "", cancelled=cancelled, results=results)

    def _writes_in_caller(self) -> bool:
        return not others_see(self.using)

    def _in_database(self, job: Any) -> Any:
        return self._writer.run(lambda: patiently(self.using, job, self.patience))

    def _made(self, plan: Plan, batch: str) -> list[StoredRun]:
        with transaction.atomic(self.using):
            return [self._made_run(planned, plan, batch) for planned in plan.evaluators]

    def _made_run(self, planned: PlannedEvaluator, plan: Plan, batch: str) -> StoredRun:
        how = {"concurrency": plan.concurrency, "workers": planned.workers}
        columns = {
            **self._around,
            **self._columns,
            "options": {**self._columns.get("options", {}), **how},
            "metadata": {**self._around["metadata"], **self._columns.get("metadata", {}), **_namespace(planned)},
        }
        run, _ = EvalRun.objects.using(self.using).enqueue(
            source=planned.evaluator_class, batch=batch, trigger=self.trigger, planned_count=planned.total, **columns
        )
        # In the transaction that makes it: nobody else sees a run that waits for an executor.
        lease = claim(run, executor())
        if lease is None:
            msg = f"run {run.pk} cannot be claimed"
            raise OutputError(msg)
        return StoredRun(planned, run, Store(lease, self.patience))

    def _taken(self, plan: Plan, run: EvalRun, lease: Lease) -> StoredRun:
        if len(plan.evaluators) != 1:
            msg = f"run {run.pk} takes the results of one evaluator, and the plan has {len(plan.evaluators)}"
            raise OutputError(msg)
        return StoredRun(plan.evaluators[0], run, Store(lease, self.patience))

    def _close_run(
        self, stored: StoredRun, error: str, *, cancelled: bool, results: EvaluationResults | None = None
    ) -> None:
        stored.open = False
        run, lease = stored.run, stored.store.lease
        self._heartbeat.remove(lease)
        self._in_database(partial(give_back, lease, error=error, cancelled=cancelled))
        self._in_database(partial(close_run, run, self._gate, error=error, cancelled=cancelled, results=results))

    def _broken_off(self, stored: StoredRun) -> bool:
        """Close a run without a report: as one that broke, or as cancelled when it was only to stop.

        Returns:
            Whether it is closed, or somebody else's; `False` when the database was lost, and still is.
        """
        failure = self._writer.failure
        if failure is not None:
            # A database that was waited for once is not waited for again.
            self.patience = 0
        cancelled = failure is None and self._stop is not None and self._stop.is_set()
        error = "" if cancelled else NOT_ENDED if failure is None else f"results could not be stored: {failure}"
        try:
            with suppress(LeaseLost):
                self._close_run(stored, error, cancelled=cancelled)
        except (OutputError, Error):
            if failure is None:
                raise
            return False
        return True

    def _must_stop(self, reason: str) -> None:
        self._stopped = reason
        if self._stop is not None:
            self._stop.set(reason, abandon=True)


def executor() -> str:
    """Return who executes, for people: host and process."""
    return f"{socket.gethostname()} process {os.getpid()}"


def _namespace(planned: PlannedEvaluator) -> dict[str, Any]:
    return {} if planned.namespace is None else {"namespace": planned.namespace}
