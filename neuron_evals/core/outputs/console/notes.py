"""What else there is to know of a run beside its figures: what was repeated, tried again, cached or left out, as words.

Each output driver that is read by people says these, so that none of them is seen in one place and missing in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.wording import number, plural

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport, MetricStatistics
    from neuron_evals.core.report.figures import Figures


def repeat_texts(figures: Figures) -> Iterator[str]:
    """Yield how steady the items are, when they were repeated."""
    if figures.repeated:
        k = figures.most_repeats
        executed = plural(figures.judged_item_count, "item")
        steady = f"pass@{k} {number(figures.pass_at(k))}, pass^{k} {number(figures.pass_hat(k))}"
        over = f"over {figures.judged_times(k)} of {executed}"
        yield f"Repeats: {executed} in {plural(figures.judged_count, 'execution')}, {steady} ({over})"


def flaky_text(figures: Figures, shown: Callable[[str], str], most: int) -> str | None:
    """Return which items are flaky; `None` when none is.

    Args:
        figures: The figures.
        shown: Makes an id safe.
        most: How many items are named at most.
    """
    flaky = figures.flaky_items
    if not flaky:
        return None
    named = ", ".join(f"{shown(item.item_id)} ({item.passed} of {item.judged})" for item in flaky[:most])
    more = f" and {len(flaky) - most} more" if len(flaky) > most else ""
    return f"{plural(len(flaky), 'item')}: {named}{more}"


def retry_texts(figures: Figures) -> Iterator[str]:
    """Yield how many items were tried again, and how often, when one was."""
    if figures.retried_count:
        times = "once" if figures.retry_count == 1 else f"{figures.retry_count} times in all"
        yield f"Tried again: {figures.retried_count} of {plural(figures.total_count, 'item')}, {times}"


def cache_texts(figures: Figures) -> Iterator[str]:
    """Yield how many outputs came from the cache; nothing without one."""
    count = f"{figures.cached_run_count} of {figures.total_count}"
    if figures.cached_run_count:
        yield f"Cached runs: {count} (assertions evaluated again)"
    elif figures.cache is not None:
        yield f"Cached runs: {count}"


def absence_texts(figures: Figures) -> Iterator[str]:
    """Yield what is missing here on purpose: items that the selection left out, and results that were there before."""
    if figures.left_out is None:
        yield "Left out: how many items is not known, as the dataset was not read to its end"
    elif figures.left_out:
        yield f"Left out: {plural(figures.left_out, 'item')}"
    if figures.resumed:
        what, are = plural(figures.resumed, "result"), "was" if figures.resumed == 1 else "were"
        yield f"Resumed: {what} {are} there before and not counted here"


def selection_text(report: EvaluationReport) -> str | None:
    """Return which items were asked for, and how many evaluators had none; `None` when all were."""
    absent = sum(results.left_out != 0 for results in report.absent)
    without = f"; {plural(absent, 'evaluator')} without any" if absent else ""
    return f"Only: {report.selection}{without}" if report.selection else None


def metric_text(values: MetricStatistics) -> str:
    """Return one figure of the project's own."""
    parts = {"min": values.min, "max": values.max, "p50": values.p50, "p95": values.p95, "p99": values.p99}
    figures = ", ".join(f"{name} {value:.6g}" for name, value in parts.items())
    return f"mean {values.mean:.6g} (n={values.count}), {figures}"
