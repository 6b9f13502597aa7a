"""What a run evaluates: a stored suite with its agent and judge, all three as they were when the run was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neuron_evals import conf
from neuron_evals.container import assertion_types, build_agent
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError
from neuron_evals.core.suites import SuiteError, as_fake, dataset_problems, unmatched_scripts
from neuron_evals.core.suites.problems import given_ids
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.agents import UNSTORED, named_agent
from neuron_evals.runs.problems import RunError, lines_of
from neuron_evals.suites import suite_evaluator, suite_judge, suite_spec

if TYPE_CHECKING:
    from neuron_evals.core.suites import SuiteDefaults, SuiteEvaluator, SuiteSpec
    from neuron_evals.models import EvalRun
    from neuron_evals.runs.options import RunOptions


def chosen_agent(reference: AgentDefinition | str, using: str, role: str = "agent") -> AgentDefinition:
    """Return an agent definition: the one that is given, or the one that a name means (see `named_agent`).

    Args:
        reference: The row, or a name.
        using: Alias of the database.
        role: What it is to be, `agent` or `judge`, for messages.

    Raises:
        RunError: There is no such agent.
    """
    if isinstance(reference, AgentDefinition):
        return reference
    found = named_agent(reference, using)
    if found is None:
        stored = AgentDefinition.objects.using(using).active().order_by("slug").values_list("slug", flat=True)[:30]
        names = list(dict.fromkeys([*conf.read().agents, *stored]))
        hint = f"{conf.did_you_mean(reference, names)} There are {', '.join(names) or 'none'}.".lstrip()
        raise RunError([f'there is no {role} "{reference}". {hint}'])
    return found


def suite_problems(suite: EvalSuite, options: RunOptions) -> list[str]:
    """Return everything that keeps a suite from being run, a line each. No model is asked.

    Args:
        suite: The suite, with the agent and the judge of the run.
        options: The options of the run.
    """
    found = [] if suite.is_active else [f'suite "{suite.slug}" is inactive; activate it before it is run']
    spec: SuiteSpec | None = None
    try:
        spec = suite_spec(suite)
    except (ConfigurationError, EvaluationError) as exc:
        found += [*lines_of(exc), *_judge_problems(suite)]
    broken = [] if options.fake is not False else _agent_problems(suite.agent, "agent")
    found += broken
    if spec is not None:
        # Of an agent that cannot be built, canned replies take the place: what else is wrong shows with them too.
        fake = True if broken else options.fake
        found += [*_fake_problems(spec, fake), *_other_problems(suite, replace(options, fake=fake))]
    return list(dict.fromkeys(found))


def evaluator_of(suite: EvalSuite, options: RunOptions, defaults: SuiteDefaults | None = None) -> SuiteEvaluator:
    """Return the evaluator of a suite for a run.

    Args:
        suite: The suite, with the agent and the judge of the run.
        options: The options of the run.
        defaults: What the settings said for all suites when the run was made; by default what they say now.

    Raises:
        RunError: It cannot be run; all problems are listed.
    """
    try:
        if options.fake is not False:
            return suite_evaluator(suite, fake=options.fake, defaults=defaults)
        return suite_evaluator(suite, model=options.model, defaults=defaults)
    except (ConfigurationError, EvaluationError) as exc:
        raise RunError(lines_of(exc)) from exc


def suite_as_it_was(run: EvalRun) -> EvalSuite:
    """Return the suite of a run, with the agent, the judge and the defaults that the run keeps.

    Raises:
        RunError: The run has no suite, or the suite's items have changed since the run was made.
    """
    if run.suite_id is None:
        raise RunError([f'run {run.pk} is of the evaluator "{run.source}", not of a stored suite'])
    suite = EvalSuite.objects.using(run.database).select_related("agent", "judge").get(pk=run.suite_id)
    if suite.content_hash != run.suite_hash:
        changed = f'the items of suite "{suite.slug}" changed since run {run.pk} was made; start a new run'
        raise RunError([changed])
    if run.agent_snapshot:
        suite.agent = _row(run.agent_snapshot, run.agent_id)
    suite.judge = _row(run.judge_snapshot, run.judge_id) if run.judge_snapshot else None
    kept = run.metadata.get("suite") or {}
    for name, value in (kept.get("defaults") or {}).items():
        setattr(suite, name, value)
    return suite


def _row(snapshot: Mapping[str, Any], number: int | None) -> AgentDefinition:
    """Return a definition as a run kept it. It is never stored."""
    definition = {key: value for key, value in snapshot["definition"].items() if key != "options"}
    options = snapshot["definition"].get("options") or {}
    name = snapshot.get("name") or "unnamed"
    return AgentDefinition(pk=number or UNSTORED, name=name, slug=snapshot.get("slug") or name, **definition, **options)


def _fake_problems(spec: SuiteSpec, fake: Any) -> list[str]:
    if fake is False:
        return []
    try:
        return unmatched_scripts(as_fake(fake), [spec])
    except ConfigurationError as exc:
        return lines_of(exc)


def _other_problems(suite: EvalSuite, options: RunOptions) -> list[str]:
    """Return what is wrong with the model of the run, the judge, and what plays users."""
    try:
        return evaluator_of(suite, options).problems()
    except RunError as exc:
        found = lines_of(exc)
    if options.fake is False:
        found += _other_problems(suite, replace(options, fake=True))
    return found


def _judge_problems(suite: EvalSuite) -> list[str]:
    """Return what is wrong with the judge, or which items lack one: of the sound items, as others have faults enough.

    It is for a suite that nothing can be built of, because of the others.
    """
    items = suite.dataset if isinstance(suite.dataset, list) else []
    types = assertion_types()
    lacking = {*dataset_problems(items, has_judge=False, types=types)} - {*dataset_problems(items, types=types)}
    if not lacking:
        return []
    if not suite.has_judge:
        return lines_of(SuiteError(sorted(lacking), given_ids(items)))
    try:
        judge = suite_judge(suite)
    except ConfigurationError as exc:
        return lines_of(exc)
    return [] if judge is None else _agent_problems(judge, "judge")


def _agent_problems(row: AgentDefinition, word: str) -> list[str]:
    if not row.is_active:
        return [f'the {word} "{row.slug}" is inactive; activate it, or choose another']
    try:
        problems = build_agent(row).problems()
    except ConfigurationError as exc:
        return lines_of(exc)
    return [f'the {word} "{row.slug or row.name}" cannot be called: {problem}' for problem in problems]
