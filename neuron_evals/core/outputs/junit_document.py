"""The JUnit XML report, piece by piece.

The format has no standard. What is written here is what Jenkins, GitLab and the readers that follow them take: one
outcome for each test case, counts that add up, seconds, and times without a zone (they are UTC).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any

from neuron_evals.core.jsonable import clean_json, dump_json
from neuron_evals.core.outputs.console.notes import flaky_text, metric_text
from neuron_evals.core.outputs.console.wording import number
from neuron_evals.core.outputs.preview import preview
from neuron_evals.core.results import Check, ItemResult, Status

if TYPE_CHECKING:
    from neuron_evals.core.messages import Usage
    from neuron_evals.core.report import Amount, EvaluationReport, EvaluationResults
    from neuron_evals.core.report.figures import Figures

_MESSAGE_LIMIT = 1_000
_VALUE_LIMIT = 4_000
_FLAKY_NAMED = 20
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# XML 1.0 has no such characters, and `printable` leaves them.
_NO_CHARACTERS = str.maketrans({"\ufffe": r"\ufffe", "\uffff": r"\uffff"})
_ERROR_CLASS = re.compile(r"[^\W\d][\w.]*(?=:|$| \()")


def report_pieces(report: EvaluationReport) -> Iterator[str]:
    """Yield the report as XML text in whole lines; each result is made into text by itself."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    counts = _counts(report, len(report.broken_evaluators))
    yield f"<testsuites{_attributes({'name': 'neuron_evals', **counts, 'time': _seconds(report.duration)})}>\n"
    classes: Counter[str] = Counter()
    for evaluator in report.evaluators:
        classes[evaluator.evaluator_class] += 1
        # Readers keep one of two test cases that share class and name.
        nth = classes[evaluator.evaluator_class]
        name = evaluator.evaluator_class if nth == 1 else f"{evaluator.evaluator_class} ({nth})"
        yield from _suite(evaluator, name, report)
    yield "</testsuites>\n"


def _suite(evaluator: EvaluationResults, name: str, report: EvaluationReport) -> Iterator[str]:
    attributes = {"name": name, **_counts(evaluator, evaluator.error is not None)}
    attributes["time"] = _seconds(evaluator.duration)
    if evaluator.started_at is not None:
        attributes["timestamp"] = evaluator.started_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    yield f"  <testsuite{_attributes(attributes)}>\n"
    yield from _properties(_suite_properties(evaluator, report), "    ")
    repeated = any(result.repeat for result in evaluator.results)
    for result in evaluator.results:
        yield from _case(result, name, f"{result.item_id} (repeat {result.repeat + 1})" if repeated else result.item_id)
    if evaluator.error is not None:
        yield from _broken_evaluator(evaluator, name)
    yield "  </testsuite>\n"


def _case(result: ItemResult, classname: str, name: str) -> Iterator[str]:
    attributes = {"classname": classname, "name": name, "time": _seconds(result.execution_time)}
    yield f"    <testcase{_attributes(attributes)}>\n"
    yield from _properties(_case_properties(result), "      ")
    yield from _outcome(result)
    if not result.passed and result.output is not None:
        yield f"      <system-out>{_text(_value(result.output), _VALUE_LIMIT)}</system-out>\n"
    yield "    </testcase>\n"


def _broken_evaluator(evaluator: EvaluationResults, classname: str) -> Iterator[str]:
    error = evaluator.error or ""
    attributes = {"classname": classname, "name": "(evaluator)", "time": _seconds(0)}
    yield f"    <testcase{_attributes(attributes)}>\n"
    yield _problem("error", _error_class(error), error, [error, evaluator.traceback])
    yield "    </testcase>\n"


def _outcome(result: ItemResult) -> Iterator[str]:
    """Yield what is wrong with an item in one element: of several, most readers take one."""
    match result.status:
        case Status.FAILED:
            failed = result.failed_checks
            yield _problem("failure", _names(failed), _messages(failed), _details(result))
        case Status.ERROR:
            broken, error = result.broken_checks, result.error or ""
            by_checks = result.broke_by_checks
            kind, message = (_names(broken), _messages(broken)) if by_checks else (_error_class(error), error)
            yield _problem("error", kind, message, _details(result))
        case Status.SKIPPED | Status.CANCELLED:
            attributes = {"type": result.status, "message": f"{result.status}: {result.reason}"}
            yield f"      <skipped{_attributes(attributes)}/>\n"
        case Status.PASSED:
            return


def _problem(tag: str, kind: str, message: str, details: Iterable[str]) -> str:
    text = "\n".join(_text(part, _VALUE_LIMIT) for part in details if part)
    return f"      <{tag}{_attributes({'type': kind, 'message': message})}>{text}</{tag}>\n"


def _details(result: ItemResult) -> Iterator[str]:
    """Yield what broke and each check that did not pass; lines of a message are indented below it."""
    if result.error is not None:
        yield _indented(f"error: {result.error}")
    if result.trajectory is not None and result.trajectory.ending is not None:
        yield f"conversation ended: {result.trajectory.ending}"
    for check in result.checks:
        if not check.passed:
            vacuous = " [vacuous]" if check.vacuous else ""
            yield _indented(f"{check.verdict}{vacuous}: {check.full_description}")
    yield result.traceback


def _case_properties(result: ItemResult) -> dict[str, str]:
    return {
        "score": _known(result.score),
        "tags": ", ".join(result.tags),
        "attempts": str(result.attempts) if result.attempts > 1 else "",
        "cached_run": "true" if result.cached_run else "",
        **_tokens(result.usage),
        "cost": _known(result.cost),
        "judge_cost": _known(result.judge_cost),
        "simulator_cost": _known(result.simulator_cost),
        "vacuous_checks": ", ".join(check.label for check in result.checks if check.vacuous),
        **{f"recorded_metrics.{name}": f"{value:.6g}" for name, value in result.metrics.items()},
    }


def _suite_properties(evaluator: EvaluationResults, report: EvaluationReport) -> dict[str, str]:
    k = evaluator.most_repeats
    cache = evaluator.cache
    return {
        "namespace": evaluator.namespace or "",
        "success_rate": _known(evaluator.success_rate),
        "aggregate_score": _known(evaluator.aggregate_score),
        "cost": _total(evaluator.agent_spending.cost),
        "judge_cost": _total(evaluator.judge_spending.cost),
        "simulator_cost": _total(evaluator.simulator_spending.cost),
        "cancelled": str(evaluator.cancelled_count or ""),
        "cached_runs": str(evaluator.cached_run_count or ""),
        "cache_complaint": "" if cache is None else cache.complaint or "",
        "retried_items": str(evaluator.retried_count or ""),
        "item_retries": str(evaluator.retry_count or ""),
        "repeats": str(k) if evaluator.repeated else "",
        "pass_at": _known(evaluator.pass_at(k)) if evaluator.repeated else "",
        "pass_hat": _known(evaluator.pass_hat(k)) if evaluator.repeated else "",
        "flaky": flaky_text(evaluator, str, _FLAKY_NAMED) or "",
        "left_out": "unknown" if evaluator.left_out is None else str(evaluator.left_out or ""),
        "resumed": str(evaluator.resumed or ""),
        "selection": report.selection,
        "absent_evaluators": str(len(report.absent) or ""),
        "stopped": report.stopped or "",
        "fake": "true" if evaluator.fake else "",
        **{f"recorded_metrics.{name}": metric_text(values) for name, values in evaluator.metric_statistics.items()},
    }


def _counts(figures: Figures, broken: int) -> dict[str, str]:
    return {
        "tests": str(figures.total_count + broken),
        "failures": str(figures.failed_count),
        "errors": str(figures.error_count + broken),
        "skipped": str(figures.skipped_count + figures.cancelled_count),
    }


def _properties(properties: Mapping[str, str], indent: str) -> Iterator[str]:
    """Yield the properties that have a value."""
    given = {name: value for name, value in properties.items() if value}
    if given:
        yield f"{indent}<properties>\n"
        for name, value in given.items():
            yield f"{indent}  <property{_attributes({'name': name, 'value': value})}/>\n"
        yield f"{indent}</properties>\n"


def _attributes(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{_text(value, _MESSAGE_LIMIT, lines=False)}"' for name, value in attributes.items())


def _text(text: str, limit: int, *, lines: bool = True) -> str:
    """Return text that XML can hold: shortened, with escapes for what it cannot and for what could not be seen."""
    return preview(text, limit, multiline=lines).translate(_NO_CHARACTERS).translate(_MARKUP)


def _names(checks: Iterable[Check]) -> str:
    return ", ".join(dict.fromkeys(check.name for check in checks))


def _messages(checks: Iterable[Check]) -> str:
    return "; ".join(f"{check.label}: {check.message}" for check in checks)


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _error_class(error: str) -> str:
    found = _ERROR_CLASS.match(error)
    return found[0] if found else "error"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else dump_json(clean_json(value), indent=2)


def _known(value: float | None) -> str:
    return "" if value is None else number(value, 6)


def _total(amount: Amount) -> str:
    return "" if amount.total is None else _known(float(amount.total))


def _tokens(usage: Usage | None) -> dict[str, str]:
    counts = {} if usage is None else {"input_tokens": usage.input, "output_tokens": usage.output}
    return {name: str(count) for name, count in counts.items() if count is not None}


def _seconds(value: float) -> str:
    return f"{value:.6f}"
