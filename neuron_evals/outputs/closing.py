"""The end of a stored run: its shard given back, its figures counted from its rows, its status."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.outputs.json_document import summary
from neuron_evals.core.report import EvaluationReport, Gate
from neuron_evals.core.report.gate import NOTHING_JUDGED, PASSED
from neuron_evals.core.results import Status
from neuron_evals.models import RunStatus, ShardStatus, states
from neuron_evals.models.counts import BY_STATUS, counted
from neuron_evals.models.leases import release, renew
from neuron_evals.outputs.heartbeat import kept_alive
from neuron_evals.outputs.reports import report_of

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationResults
    from neuron_evals.models import EvalRun
    from neuron_evals.models.leases import Lease

NOTHING: Final = "nothing was judged"
BROKEN_SHARD: Final = "a part of the run broke"

_METRICS: Final = (
    "success_rate_interval",
    "scored",
    "average_execution_time",
    "execution_time_percentiles",
    "vacuous_checks",
    "metrics_summary",
    "repeats",
    "usage",
    "time_split",
)
"""What of the JSON report's figures has no column of its own."""


def give_back(lease: Lease, *, error: str = "", cancelled: bool = False) -> None:
    """Give a shard back when its items are all stored, or when it cannot go on.

    For the length of a lease its run counts as alive without an executor, so that it can be closed.

    Args:
        lease: The lease.
        error: Why it broke; empty when it did not.
        cancelled: Whether it was stopped before its end.

    Raises:
        LeaseLost: Somebody else has the shard, or the run was given up.
    """
    renew(lease)
    release(lease, ShardStatus.ERROR if error else ShardStatus.CANCELLED if cancelled else ShardStatus.FINISHED)


def close_run(
    run: EvalRun,
    gate: Gate | None = None,
    *,
    error: str = "",
    cancelled: bool = False,
    results: EvaluationResults | None = None,
) -> bool:
    """Close a run whose shards are all given back, with counts, statistics and metrics of its stored results.

    It is `cancelled` when somebody asked for that, or a part of it was stopped before its end; `error` when a part of
    it broke, or nothing was judged; else `passed` where the gate holds, and `failed` where it does not.

    Args:
        run: The run; it is read again from the database when it was closed.
        gate: What its results must reach; by default every item passes.
        error: Why it broke; empty when it did not.
        cancelled: Whether it was stopped before its end.
        results: What the caller counted of the run. Where it is about as many results of each status as are stored,
            its figures are taken, and the rows need not be read again.

    Returns:
        Whether this call closed it; `False` when a shard is open, or the run is not running.
    """
    shards = set(run.shards.using(run.database).values_list("status", flat=True))
    if ShardStatus.RUNNING in shards:
        return False
    if ShardStatus.ERROR in shards and not error:
        error = BROKEN_SHARD
    with kept_alive(run):
        if results is None or not _counts_all(run, results):
            results = report_of(run, keep_results=False)
        if error:
            status = RunStatus.ERROR
        elif cancelled or ShardStatus.CANCELLED in shards:
            status = RunStatus.CANCELLED
        else:
            status, error = _judged(results, gate or Gate())
        return states.finish(run, status, error, **figures(results))


def figures(results: EvaluationResults) -> dict[str, Any]:
    """Return the columns of a run that hold figures beside its counts: `score_statistics` by label, and `metrics`.

    They have the form of the JSON report.
    """
    members = summary(results)
    metrics = {name: members[name] for name in _METRICS}
    return {"score_statistics": members["metrics"] or {}, "metrics": metrics}


def _counts_all(run: EvalRun, results: EvaluationResults) -> bool:
    stored = counted(run.items.using(run.database))
    return all(stored[column] == results.tally.statuses[Status(status)] for column, status in BY_STATUS.items())


def _judged(results: EvaluationResults, gate: Gate) -> tuple[RunStatus, str]:
    now = datetime.now(UTC)
    exit_status = gate.exit_status(EvaluationReport([results], started_at=now, finished_at=now))
    if exit_status == NOTHING_JUDGED:
        return RunStatus.ERROR, NOTHING
    return (RunStatus.PASSED if exit_status == PASSED else RunStatus.FAILED), ""
