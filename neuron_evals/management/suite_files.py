"""Suites in files, as evaluators for one command. They need no tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import as_agent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.experiments import evaluator_for
from neuron_evals.core.suites import SuiteError, as_fake, load_suite, load_suites, unmatched_scripts
from neuron_evals.core.suites.readiness import refusal
from neuron_evals.registries.assertions import assertion_types

if TYPE_CHECKING:
    from neuron_evals.core.suites import SuiteEvaluator, SuiteSpec


def suites_in(file: str | None, folder: str | None) -> list[SuiteSpec]:
    """Return the suite of a file, or those of a folder.

    Args:
        file: Path of the file.
        folder: Path of the folder, where there is no file.

    Raises:
        ConfigurationError: Something is wrong with one; all problems are listed, each with file and line.
    """
    types = assertion_types()
    try:
        return [load_suite(file, types=types)] if file is not None else load_suites(str(folder), types=types)
    except SuiteError as exc:
        raise ConfigurationError(str(exc)) from exc


def suite_evaluators(
    suites: list[SuiteSpec], *, agent: str | None, judge: str | None, model: str | None, fake: Any
) -> list[SuiteEvaluator]:
    """Return an evaluator for each suite.

    Args:
        suites: The suites.
        agent: Name of the agent under test, for all of them; by default the one that each names.
        judge: Name of the agent that grades; likewise.
        model: Name of the agent's model; likewise.
        fake: Canned replies in the place of the agent, or `False`.

    Raises:
        ConfigurationError: A suite cannot be run like that; the problems of all are listed.
    """
    overrides: Mapping[str, Any] = {} if model is None else {"model": model}
    if fake is not False:
        fake = as_fake(fake)
        if problems := unmatched_scripts(fake, suites):
            raise ConfigurationError("\n".join(problems))
    found: list[SuiteEvaluator] = []
    # It is looked up here also where no item needs it, so that a name that is misspelt is not passed over.
    wrong = [] if judge is None else list(filter(None, [refusal(partial(as_agent, judge))]))
    for suite in suites:
        try:
            evaluator = evaluator_for(suite, agent=agent, judge=judge, overrides=overrides, fake=fake)
        except SuiteError as exc:
            problems = [str(exc)]
        except ConfigurationError as exc:
            # What else is wrong shows with canned replies in the place of the agent.
            problems = [str(exc), *_without_agent(suite, judge)]
        else:
            found.append(evaluator)
            problems = evaluator.problems()
        wrong += [f"suite {suite.name}: {problem}" for problem in problems]
    if wrong:
        raise ConfigurationError("\n".join(wrong))
    return found


def _without_agent(suite: SuiteSpec, judge: str | None) -> list[str]:
    try:
        return evaluator_for(suite, judge=judge, fake=True).problems()
    except SuiteError as exc:
        return [str(exc)]
