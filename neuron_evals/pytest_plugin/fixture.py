"""What the fixture `evals` gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.testing import assert_case, assert_evaluator, assert_suite
from neuron_evals.pytest_plugin import FIXTURES
from neuron_evals.pytest_plugin.building import assertion_types, built, runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult


class Evals:
    """Runs cases, suites and evaluators in a test, in its thread and so in its transaction.

    The agent, the judge and what else a suite may need are those of the fixtures `evals_agent`, `evals_judge` and so on
    where none are given.

    Args:
        request: The test that asks.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def case(self, case: Mapping[str, Any], **options: Any) -> ItemResult:
        """Run one item or case, and fail the test unless it passed.

        Args:
            case: As for `assert_case`.
            **options: The agent, the judge and what else `assert_case` takes.

        Returns:
            The result.

        Raises:
            AssertionError: As for `assert_case`; so are the other errors.
        """
        __tracebackhide__ = True
        return assert_case(case, **self._with_fixtures(options))

    def suite(self, suite: Any, **options: Any) -> EvaluationReport:
        """Run a suite, and fail the test unless it is good enough.

        Args:
            suite: The path of a suite file, relative to the file of the test; or data, as `run_suite` takes it.
            **options: The agent, the judge, `min_success_rate` and what else `assert_suite` takes.

        Returns:
            The report.

        Raises:
            AssertionError: As for `assert_suite`; so are the other errors.
        """
        __tracebackhide__ = True
        given = self._request.path.parent / suite if isinstance(suite, str | Path) else suite
        return assert_suite(given, **self._with_fixtures(options))

    def evaluator(self, evaluator: BaseEvaluator | type[BaseEvaluator], **options: Any) -> EvaluationReport:
        """Run an evaluator, and fail the test unless it is good enough.

        Args:
            evaluator: The evaluator, or its class.
            **options: `min_success_rate` and what else `assert_evaluator` takes.

        Returns:
            The report.

        Raises:
            AssertionError: As for `assert_evaluator`; so are the other errors.
            ConfigurationError: The class cannot be built.
        """
        __tracebackhide__ = True
        made = evaluator if isinstance(evaluator, BaseEvaluator) else built(evaluator)
        return assert_evaluator(made, **{"runner": runner(), **options})

    def _with_fixtures(self, options: dict[str, Any]) -> dict[str, Any]:
        given = {"runner": runner(), "types": assertion_types(), **options}
        for name in FIXTURES:
            if given.get(name) is None:
                given[name] = self._request.getfixturevalue(f"evals_{name}")
        return given
