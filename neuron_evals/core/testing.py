"""Evaluations inside tests of any framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.experiments import run_case

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult
    from neuron_evals.core.suites import Imports


def assert_case(  # noqa: PLR0913  (what items may need)
    case: Mapping[str, Any],
    *,
    agent: Any,
    judge: Any = None,
    classifier: Any = None,
    embeddings: Any = None,
    simulator: Any = None,
    imports: Imports | None = None,
) -> ItemResult:
    """Run one item or case, and fail the test unless it passed.

    Args:
        case: As for `run_case`, and so are the others.
        agent: The agent under test.
        judge: The agent that grades.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users.
        imports: Returns what dotted paths in the case name.

    Returns:
        The result, for what else the test wants to know.

    Raises:
        AssertionError: It did not pass: the agent was wrong, something broke, or every check was skipped. The message
            has every check, and what the agent said.
        SuiteError: Something is wrong with the item; nothing was called.
        ConfigurationError: It is no agent.
    """
    __tracebackhide__ = True  # pytest shows where the test asks
    result = run_case(
        case,
        agent=agent,
        judge=judge,
        classifier=classifier,
        embeddings=embeddings,
        simulator=simulator,
        imports=imports,
    )
    if not result.passed:
        said = "" if result.output is None else f"\n  output: {result.output!r:.1000}"
        raise AssertionError(result.explain() + said)
    return result
