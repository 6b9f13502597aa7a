"""Evaluations inside tests of any framework."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.experiments import run_case, run_suite
from neuron_evals.core.printable import printable
from neuron_evals.core.report import EvaluationReport, Gate
from neuron_evals.core.runner import InPlaceRunner, Limits, Selection
from neuron_evals.core.suites import SuiteSpec, load_suite, parse_suite

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.results import ItemResult
    from neuron_evals.core.runner import EvaluatorRunner
    from neuron_evals.core.suites import Imports, SuiteDefaults
    from neuron_evals.core.suites.parsing import Types

SHOWN_ITEMS = 20
"""How many items that did not pass a message shows; a broken agent fails all of them alike."""

_ALL = Selection()
_AS_IT_SAYS = Limits()


def assert_case(  # noqa: PLR0913  (what items may need)
    case: Mapping[str, Any],
    *,
    agent: Any = None,
    judge: Any = None,
    classifier: Any = None,
    embeddings: Any = None,
    simulator: Any = None,
    model: str | None = None,
    imports: Imports | None = None,
    runner: EvaluatorRunner | None = None,
    types: Types | None = None,
    defaults: SuiteDefaults | None = None,
) -> ItemResult:
    """Run one item or case, and fail the test unless it passed.

    Args:
        case: As for `run_case`, and so are the others.
        agent: The agent under test.
        judge: The agent that grades.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users.
        model: Name of the agent's model.
        imports: Returns what dotted paths in the case name.
        runner: Runs it. By default it runs in the thread of the test, where it sees what the test did in a transaction;
            there a time limit ends calls of models, and is noticed at the end of anything else.
        types: Assertion classes by type name; those that come with the package by default.
        defaults: What goes where the item does not say it.

    Returns:
        The result, for what else the test wants to know.

    Raises:
        AssertionError: It did not pass: the agent was wrong, something broke, or every check was skipped. The message
            has every check, and what the agent said.
        SuiteError: Something is wrong with the item; nothing was called.
        ConfigurationError: As for `run_case`.
    """
    __tracebackhide__ = True  # pytest shows where the test asks
    result = run_case(
        case,
        agent=agent,
        judge=judge,
        classifier=classifier,
        embeddings=embeddings,
        simulator=simulator,
        model=model,
        imports=imports,
        runner=runner or InPlaceRunner(),
        types=types,
        defaults=defaults,
    )
    if not result.passed:
        raise AssertionError(explained(result))
    return result


def assert_suite(
    suite: Any,
    *,
    min_success_rate: float | None = None,
    max_error_rate: float = 0.0,
    runner: EvaluatorRunner | None = None,
    types: Types | None = None,
    **options: Any,
) -> EvaluationReport:
    """Run a suite, and fail the test unless it is good enough.

    Args:
        suite: The path of a suite file, as a `Path`; or what `run_suite` takes.
        min_success_rate: Success rate that is enough, 0 to 1. By default what the suite says; else no item may fail.
        max_error_rate: Share of items that may break, 0 to 1.
        runner: As for `assert_case`.
        types: As for `assert_case`.
        **options: The agent, the judge and what else `run_suite` takes.

    Returns:
        The report, for what else the test wants to know.

    Raises:
        AssertionError: It is not good enough, or nothing was judged. The message says why, and explains the first 20
            items that did not pass.
        SuiteError: Something is wrong with the suite; nothing was called.
        ConfigurationError: As for `run_suite`, or a rate is out of range.
    """
    __tracebackhide__ = True  # as above
    if isinstance(suite, os.PathLike):
        spec = load_suite(suite, types=types)
    else:
        spec = suite if isinstance(suite, SuiteSpec) else parse_suite(suite, types=types)
    gate = Gate(spec.min_success_rate if min_success_rate is None else min_success_rate, max_error_rate)
    report = run_suite(spec, runner=runner or InPlaceRunner(), **options)
    require(gate, report)
    return report


def assert_evaluator(  # noqa: PLR0913  (the options of a run)
    evaluator: BaseEvaluator,
    *,
    min_success_rate: float | None = None,
    max_error_rate: float = 0.0,
    selection: Selection = _ALL,
    limits: Limits = _AS_IT_SAYS,
    runner: EvaluatorRunner | None = None,
) -> EvaluationReport:
    """Run an evaluator, and fail the test unless it is good enough.

    Args:
        evaluator: The evaluator.
        min_success_rate: As for `assert_suite`.
        max_error_rate: Likewise.
        selection: Which items run; all by default.
        limits: Time limit, repeats and retries, where they go before what items and evaluator say.
        runner: As for `assert_case`.

    Returns:
        The report, for what else the test wants to know.

    Raises:
        AssertionError: As for `assert_suite`.
        DatasetError: The dataset has problems, or is empty.
        Exception: Whatever `set_up` or `get_dataset` raises.
    """
    __tracebackhide__ = True  # as above
    gate = Gate(min_success_rate, max_error_rate)
    report = EvaluationReport.of((runner or InPlaceRunner()).run(evaluator, selection=selection, limits=limits))
    require(gate, report)
    return report


def require(gate: Gate, report: EvaluationReport) -> None:
    """Fail the test unless a report is good enough.

    Raises:
        AssertionError: With the reasons, and the items that did not pass.
    """
    __tracebackhide__ = True  # as above
    if problems := gate.problems(report):
        others = [result for result in report.results if not result.passed]
        shown = [explained(result) for result in others[:SHOWN_ITEMS]]
        if len(others) > SHOWN_ITEMS:
            shown.append(f"and {len(others) - SHOWN_ITEMS} more items that did not pass")
        raise AssertionError("\n".join([printable("; ".join(problems)), *shown]))


def explained(result: ItemResult) -> str:
    """Return an item that did not pass with every check and its output, safe to print."""
    if result.output is None:
        return result.explain()
    return f"{result.explain()}\n  output: {printable(f'{result.output!r:.1000}')}"
