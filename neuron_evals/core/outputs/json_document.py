"""The JSON report, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import clean_json, clean_text, dump_json
from neuron_evals.core.report.spending import TOKENS
from neuron_evals.core.trajectories import Trajectory

if TYPE_CHECKING:
    from decimal import Decimal

    from neuron_evals.core.report import Amount, EvaluationReport, EvaluationResults, Spending
    from neuron_evals.core.report.figures import Figures
    from neuron_evals.core.results import Check, ItemResult


def report_pieces(report: EvaluationReport, indent: int | None) -> Iterator[str]:
    """Yield the report as JSON text in whole lines; however many results it has, each is made into text by itself.

    Args:
        report: The report.
        indent: Spaces for each level; `None` for one line for each key, result and evaluator.
    """
    results = map(_result, report.results) if report.results or not report.total_count else None
    members: dict[str, Any] = {
        **summary(report),
        "results": results,
        "started_at": _moment(report.started_at),
        "finished_at": _moment(report.finished_at),
        "duration": report.duration,
        "stopped": clean_json(report.stopped),
        "interrupted": report.interrupted,
        "suite_name": clean_json(report.suite_name),
        "selection": clean_json(report.selection),
        "absent_evaluators": [clean_json(results.evaluator_class) for results in report.absent],
        "fake": report.fake,
        "has_failures": report.has_failures,
        "evaluators": map(_evaluator, report.evaluators),
    }
    pad = " " * (indent or 0)
    yield "{\n"
    for position, (key, value) in enumerate(members.items(), start=1):
        end = ",\n" if position < len(members) else "\n"
        start = f"{pad}{dump_json(key)}: "
        if isinstance(value, map):
            yield from _array(start, value, end, indent)
        else:
            yield f"{start}{_nested(value, indent, 1)}{end}"
    yield "}\n"


def _array(start: str, values: Iterable[dict[str, Any]], end: str, indent: int | None) -> Iterator[str]:
    pad = " " * (indent or 0)
    yield f"{start}[\n"
    waiting = ""
    for value in values:
        if waiting:
            yield f"{waiting},\n"
        waiting = f"{pad * 2}{_nested(value, indent, 2)}"
    if waiting:
        yield f"{waiting}\n"
    yield f"{pad}]{end}"


def _nested(value: Any, indent: int | None, level: int) -> str:
    # Newlines inside JSON strings are always escaped: each one in the text ends a line of the layout.
    return dump_json(value, indent=indent).replace("\n", "\n" + " " * ((indent or 0) * level))


def summary(figures: Figures) -> dict[str, Any]:
    """Return the figures of a report, or of one evaluator, as the JSON report has them."""
    scores = figures.overall_score_statistics
    labels = {label: asdict(statistics) for label, statistics in figures.score_statistics.items()}
    return {
        "total": figures.total_count,
        "passed": figures.passed_count,
        "failed": figures.failed_count,
        "errors": figures.error_count,
        "skipped": figures.skipped_count,
        "cancelled": figures.cancelled_count,
        "success_rate": figures.success_rate,
        "success_rate_interval": clean_json(figures.success_rate_interval),
        "aggregate_score": figures.aggregate_score,
        "scored": figures.scored_count,
        "average_execution_time": figures.average_execution_time,
        "execution_time_percentiles": figures.execution_time_percentiles,
        "total_assertions": figures.total_assertions,
        "assertions_passed": figures.assertions_passed,
        "assertions_failed": figures.assertions_failed,
        "assertions_broken": figures.assertions_broken,
        "assertions_skipped": figures.assertions_skipped,
        "assertion_success_rate": figures.assertion_success_rate,
        "cached_runs": figures.cached_run_count,
        "retried_items": figures.retried_count,
        "item_retries": figures.retry_count,
        "left_out": figures.left_out,
        "resumed": figures.resumed,
        "cache": None if figures.cache is None else clean_json(figures.cache),
        "vacuous_checks": figures.vacuous_checks,
        "score_statistics": {
            "average_score": scores.average,
            "min_score": scores.min,
            "max_score": scores.max,
            "count": scores.count,
        }
        if scores.count
        else None,
        "metrics": clean_json(labels) if labels else None,
        "recorded_metrics": {
            clean_text(name): asdict(statistics) for name, statistics in figures.metric_statistics.items()
        },
        "pass_count": figures.pass_count,
        "fail_count": figures.fail_count,
        "pass_rate": figures.pass_rate,
        "metrics_summary": asdict(figures.metrics_summary),
        "repeats": _repeats(figures) if figures.repeated else None,
        "usage": {
            "agent": _spending(figures.agent_spending),
            "judges": _spending(figures.judge_spending),
            "simulators": _spending(figures.simulator_spending),
        },
        "time_split": asdict(figures.time_split),
    }


def _spending(spending: Spending) -> dict[str, Any] | None:
    if not spending.known:
        return None
    amounts = (*TOKENS, "requests", "cost")
    return {"items": spending.items, **{name: _amount(getattr(spending, name)) for name in amounts}}


def _amount(amount: Amount) -> dict[str, Any]:
    return {
        "total": _plain(amount.total),
        "known": _plain(amount.known),
        "known_items": amount.known_items,
    }


def _plain(value: int | Decimal | None) -> int | float | None:
    return value if value is None or isinstance(value, int) else float(value)


def _repeats(figures: Figures) -> dict[str, Any]:
    return {
        "most": figures.most_repeats,
        "pass_at": {str(k): chance for k, chance in enumerate(figures.pass_at_each(), 1)},
        "pass_hat": {str(k): chance for k, chance in enumerate(figures.pass_hat_each(), 1)},
        "items": {str(k): count for k, count in enumerate(figures.judged_times_each(), 1)},
        "flaky": clean_json(figures.flaky_items),
    }


def _evaluator(evaluator: EvaluationResults) -> dict[str, Any]:
    return {
        "evaluator_class": clean_json(evaluator.evaluator_class),
        "suite_name": clean_json(evaluator.suite_name),
        "namespace": clean_json(evaluator.namespace),
        "fake": evaluator.fake,
        "started_at": _moment(evaluator.started_at),
        "finished_at": _moment(evaluator.finished_at),
        "duration": evaluator.duration,
        **summary(evaluator),
        "error": clean_json(evaluator.error),
        "traceback": clean_json(evaluator.traceback or None),
        "has_failures": evaluator.has_failures,
    }


def _result(result: ItemResult) -> dict[str, Any]:
    verdicts = [str(check.verdict) for check in result.checks]
    return {
        "evaluator_class": clean_json(result.evaluator_class),
        "index": result.index,
        "item_id": clean_json(result.item_id),
        "repeat": result.repeat,
        "status": str(result.status),
        "passed": result.passed,
        "score": result.score,
        "reason": clean_json(result.reason),
        "input": clean_json(result.input),
        "output": clean_json(result.output),
        # Once is enough: a conversation that is the output has its ending there too.
        "trajectory": None if isinstance(result.output, Trajectory) else clean_json(result.trajectory),
        "ending": None if result.trajectory is None else clean_json(result.trajectory.ending),
        "execution_time": result.execution_time,
        "cached_run": result.cached_run,
        "attempts": result.attempts,
        "other_attempts": clean_json(result.other_attempts),
        "tags": clean_json(result.tags),
        "error": clean_json(result.error),
        "traceback": clean_json(result.traceback or None),
        "usage": clean_json(result.usage),
        "cost": clean_json(result.cost),
        "known_usage": clean_json(result.known_usage),
        "known_cost": clean_json(result.known_cost),
        "judge_usage": clean_json(result.judge_usage),
        "judge_cost": clean_json(result.judge_cost),
        "known_judge_usage": clean_json(result.known_judge_usage),
        "known_judge_cost": clean_json(result.known_judge_cost),
        "simulator_usage": clean_json(result.simulator_usage),
        "simulator_cost": clean_json(result.simulator_cost),
        "known_simulator_usage": clean_json(result.known_simulator_usage),
        "known_simulator_cost": clean_json(result.known_simulator_cost),
        "run_time": result.run_time,
        "tool_time": result.tool_time,
        "judge_time": result.judge_time,
        "simulator_time": result.simulator_time,
        "measurements": result.measurements,
        "recorded_metrics": clean_json(result.metrics),
        "assertions_passed": verdicts.count("passed"),
        "assertions_failed": verdicts.count("failed"),
        "assertion_scores": [check.score for check in result.checks if check.score is not None],
        "scores": [
            {"label": clean_json(check.label), "value": check.score, "passed": check.passed} for check in result.checks
        ],
        "checks": [_check(check) for check in result.checks],
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "name": clean_json(check.name),
        "label": clean_json(check.label),
        "verdict": str(check.verdict),
        "score": check.score,
        "weight": clean_json(check.weight),
        "message": clean_json(check.message),
        "context": clean_json(check.context),
        "line": check.line,
        "vacuous": check.vacuous,
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds")
