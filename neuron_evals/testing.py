"""Evaluations inside the tests of a Django project, with Django's own runner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.test import TestCase

from neuron_evals import container
from neuron_evals.core.testing import assert_case, assert_evaluator, assert_suite
from neuron_evals.models import EvalSuite
from neuron_evals.suites import suite_evaluator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult


class EvaluationAssertions:
    """Assertions for a test case class of Django that is not `EvaluationTestCase`, such as a `TransactionTestCase`.

    Everything runs in the thread of the test, and so in its transaction, one item after the other. A time limit ends
    calls of models there, and is noticed at the end of anything else. Agents that are awaited are the exception: their
    queries have a connection of their own, which sees what was committed.
    """

    def assertCasePasses(self, case: Mapping[str, Any], *, agent: Any = None, **options: Any) -> ItemResult:  # noqa: N802
        """Run one item or case, and fail unless it passed.

        Args:
            case: As for `run_case`.
            agent: The agent under test: its name, an agent, or a callable from text to text.
            **options: The judge and what else `run_case` takes.

        Returns:
            The result, for what else the test wants to know.

        Raises:
            AssertionError: As for `assert_case`.
            SuiteError: As for `assert_case`.
            ConfigurationError: As for `assert_case`.
        """
        __tracebackhide__ = True  # pytest shows where the test asks
        return assert_case(case, agent=agent, **{**_own(), **options})

    def assertSuitePasses(  # noqa: N802  (unittest's way of naming, here and below)
        self,
        suite: Any,
        *,
        min_success_rate: float | None = None,
        max_error_rate: float = 0.0,
        **options: Any,
    ) -> EvaluationReport:
        """Run a suite, and fail unless it is good enough.

        Args:
            suite: A stored suite; the path of a suite file, as a `Path`; or what `run_suite` takes.
            min_success_rate: Success rate that is enough, 0 to 1. By default what the suite says; else no
                item may fail.
            max_error_rate: Share of items that may break, 0 to 1.
            **options: The agent, the judge and what else `run_suite` takes; of a stored suite, what
                `neuron_evals.suites.suite_evaluator` does.

        Returns:
            The report, for what else the test wants to know.

        Raises:
            AssertionError: As for `assert_suite`.
            SuiteError: As for `assert_suite`.
            ConfigurationError: As for `assert_suite`.
        """
        __tracebackhide__ = True  # as above
        if not isinstance(suite, EvalSuite):
            given = {**_own(), **options}
            return assert_suite(suite, min_success_rate=min_success_rate, max_error_rate=max_error_rate, **given)
        return assert_evaluator(
            suite_evaluator(suite, **options),
            min_success_rate=suite.min_success_rate if min_success_rate is None else min_success_rate,
            max_error_rate=max_error_rate,
            runner=container.make_in_place_runner(),
        )

    def assertEvaluatorPasses(  # noqa: N802
        self, evaluator: BaseEvaluator | type[BaseEvaluator], **options: Any
    ) -> EvaluationReport:
        """Run an evaluator, and fail unless it is good enough.

        Args:
            evaluator: The evaluator; a class is built by the container, as the command does.
            **options: `min_success_rate` and what else `assert_evaluator` takes.

        Returns:
            The report, for what else the test wants to know.

        Raises:
            AssertionError: As for `assert_evaluator`.
            ConfigurationError: The container cannot build it.
            Exception: As for `assert_evaluator`.
        """
        __tracebackhide__ = True  # as above
        built = container.build(evaluator) if isinstance(evaluator, type) else evaluator
        return assert_evaluator(built, **{"runner": container.make_in_place_runner(), **options})


class EvaluationTestCase(EvaluationAssertions, TestCase):
    """A `TestCase` of Django with assertions that run cases, suites and evaluators in the test's transaction."""


def _own() -> dict[str, Any]:
    """Return what cases and suites run with in this project, unless the test says otherwise."""
    return {"runner": container.make_in_place_runner(), "types": container.assertion_types()}
