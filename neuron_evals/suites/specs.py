"""A stored suite as the `SuiteSpec` that the engine runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuron_evals.core.printable import name_fault
from neuron_evals.core.suites import SuiteSpec, parse_suite
from neuron_evals.registries.assertions import assertion_types

if TYPE_CHECKING:
    from neuron_evals.models import EvalSuite

_SAID = ("timeout", "retries", "repeats", "concurrency")


def suite_spec(suite: EvalSuite) -> SuiteSpec:
    """Return a stored suite as a spec, validated anew: rows can be written by code.

    Args:
        suite: The row.

    Raises:
        SuiteError: Something is wrong with it; all problems are listed, each with its item and field.
        SettingsError: An assertion type of the settings cannot be used.
    """
    said = {key: getattr(suite, key) for key in _SAID}
    return parse_suite(
        {
            "name": suite.slug if name_fault(suite.name) else suite.name,
            "description": suite.description,
            "agent": suite.agent.slug,
            "judge": None if suite.judge is None else suite.judge.slug,
            "dataset": suite.dataset,
            "tags": suite.tags,
            "metadata": suite.metadata,
            **said,
        },
        types=assertion_types(),
    )
