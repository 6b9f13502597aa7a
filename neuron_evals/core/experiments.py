"""Running suites from code: `run_suite` for a whole suite, `run_case` for one item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent, FakeAgent, as_agent
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.report import EvaluationReport
from neuron_evals.core.runner import EvaluatorRunner, Limits, Selection
from neuron_evals.core.suites import (
    Problem,
    Resources,
    SuiteError,
    SuiteSpec,
    as_fake,
    parse_suite,
    project_defaults,
    project_imports,
    suite_evaluator,
)
from neuron_evals.core.suites.models import agent_of_models
from neuron_evals.core.suites.problems import given_ids
from neuron_evals.core.suites.studio import MODEL_SETTINGS

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult
    from neuron_evals.core.runner import Listener, WorkerKind
    from neuron_evals.core.suites import Imports, SuiteDefaults, SuiteEvaluator
    from neuron_evals.core.suites.parsing import Types

Fake = bool | str | Mapping[str, Any] | FakeAgent


def run_suite(  # noqa: PLR0913  (the options of a run)
    suite: Any,
    *,
    agent: Any = None,
    judge: Any = None,
    classifier: Any = None,
    embeddings: Any = None,
    simulator: Any = None,
    model: str | None = None,
    instructions: str | None = None,
    model_settings: Mapping[str, Any] | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    retries: int | None = None,
    repeats: int | None = None,
    tags: Iterable[str] = (),
    exclude_tags: Iterable[str] = (),
    fake: Fake = False,
    workers: WorkerKind | None = None,
    fail_fast: bool = False,
    runner: EvaluatorRunner | None = None,
    listener: Listener | None = None,
    defaults: SuiteDefaults | None = None,
) -> EvaluationReport:
    """Run a suite.

    Args:
        suite: The suite: a `SuiteSpec`, or what `parse_suite` takes.
        agent: The agent under test: an agent, a callable from text to text, or, where Django is set up, the name of
            one; by default the one that the suite names, else one around the model that is named as `provider:model`.
            With `fake` it may be left out.
        judge: The agent that grades, or several in a list; by default the one that the suite names.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users: an agent or a provider.
        model: Name of the agent's model; it goes before what items and the suite say.
        instructions: The agent's system prompt; likewise.
        model_settings: `temperature`, `top_p`, `max_tokens` and `seed`, those that are given; each likewise.
        concurrency: How many items are in flight at most; what the suite says by default, else 1.
        timeout: Seconds an item may take; goes before what items and the suite say.
        retries: How often an item is tried again after an infrastructure error; likewise.
        repeats: How often each item is executed; likewise.
        tags: Run the items that have one of these; all by default.
        exclude_tags: Leave out the items that have one of these; wins over `tags`.
        fake: Run with canned replies in the place of the agent; judges stay real, and the report says so. `True` for
            the usual reply, or what `as_fake` takes.
        workers: As for `EvaluatorRunner.run`.
        fail_fast: Stop after the first item that fails or breaks.
        runner: Runs it, with its cache and hooks; a plain one by default.
        listener: Receives each result as it comes.
        defaults: What goes where neither run, item nor suite say it; by default what the setting `SUITE_DEFAULTS` says,
            where Django is set up. What of it an agent cannot change is the agent's own.

    Raises:
        SuiteError: Something is wrong with the suite, or an item needs a judge, a classifier, embeddings or what plays
            its user, and there is none; nothing was called.
        ConfigurationError: There is no agent, or it cannot change what is to be changed.
    """
    spec = suite if isinstance(suite, SuiteSpec) else parse_suite(suite)
    evaluator = evaluator_for(
        spec,
        agent=agent,
        judge=judge,
        classifier=classifier,
        embeddings=embeddings,
        simulator=simulator,
        overrides=run_overrides(model, instructions, model_settings),
        fake=fake,
        defaults=defaults,
    )
    stop = StopToken()
    results = (runner or EvaluatorRunner()).run(
        evaluator,
        evaluator.concurrency or 1 if concurrency is None else concurrency,
        workers=workers,
        selection=Selection(_tags("tags", tags), _tags("exclude_tags", exclude_tags)),
        limits=Limits(timeout, repeats, retries),
        fail_fast=fail_fast,
        listener=listener,
        stop=stop,
    )
    return EvaluationReport.of(results, stopped=stop.reason, interrupted=stop.interrupted)


def evaluator_for(  # noqa: PLR0913  (what takes part)
    spec: SuiteSpec,
    *,
    agent: Any = None,
    judge: Any = None,
    classifier: Any = None,
    embeddings: Any = None,
    simulator: Any = None,
    overrides: Mapping[str, Any] | None = None,
    fake: Fake = False,
    defaults: SuiteDefaults | None = None,
) -> SuiteEvaluator:
    """Return the evaluator of a suite for a run, with the agent and the judge that it names where none are given.

    Args:
        spec: The suite.
        agent: As for `run_suite`, and so are the others.
        judge: The agent that grades.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users.
        overrides: What the run changes of the agent, as `run_overrides` gives it.
        fake: Canned replies in the place of the agent.
        defaults: What goes where neither run, item nor suite say it.

    Raises:
        SuiteError: As for `run_suite`.
        ConfigurationError: As for `run_suite`.
    """
    changes = dict(overrides or {})
    judged = judge is not None
    resources = _resources(judge if judged else spec.judge, classifier, embeddings, simulator, judge_is_given=judged)
    rest = project_defaults() if defaults is None else defaults
    tested = spec.agent if agent is None else agent
    if fake is not False:
        subject: BaseAgent = as_fake(fake)
    elif tested is not None:
        subject = as_agent(tested)
    else:
        subject = agent_of_models(spec, changes.get("model"), rest.model)
    return suite_evaluator(spec.filled(rest.for_agent(subject.SUPPORTED)), subject, resources, changes)


def run_case(  # noqa: PLR0913  (what items may need)
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
    """Run one item or case, as it would stand in a suite of either format, and return its result.

    Args:
        case: The item.
        agent: As for `run_suite`, and so are the others.
        judge: The agent that grades.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users.
        model: Name of the agent's model; it goes before what the item says, and as `provider:model` needs no agent.
        imports: Returns what dotted paths in the case name; by default as for `load_suite`.
        runner: Runs it; a plain one by default.
        types: Assertion classes by type name; those that come with the package by default.
        defaults: As for `run_suite`.

    Raises:
        SuiteError: Something is wrong with the item; nothing was called.
        ConfigurationError: There is no agent, or it cannot change what is to be changed.
    """
    allowed = project_imports() if imports is None else imports
    spec = parse_suite([case], name="case", types=types, imports=allowed)
    if spec.items[0].item.get("repeats", 1) > 1:
        message = "is for suites: one case has one result; run_suite repeats it, also in a list of one"
        raise SuiteError([Problem(0, "repeats", message)], given_ids([case]))
    evaluator = evaluator_for(
        spec,
        agent=agent,
        judge=judge,
        classifier=classifier,
        embeddings=embeddings,
        simulator=simulator,
        overrides=run_overrides(model, None, None),
        defaults=defaults,
    )
    (result,) = (runner or EvaluatorRunner()).run(evaluator).results
    return result


def run_overrides(
    model: str | None, instructions: str | None, model_settings: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what a run changes of its agent, as `fresh()` takes it.

    Args:
        model: Name of the model; `None` for no change, here and below.
        instructions: System prompt.
        model_settings: `temperature`, `top_p`, `max_tokens` and `seed`.

    Raises:
        ConfigurationError: A setting is unknown or out of range.
    """
    given = {key: value for key, value in (model_settings or {}).items() if value is not None}
    faults = list(MODEL_SETTINGS.faults(given, "model_settings"))
    if faults:
        raise ConfigurationError("; ".join(f"{path} {message}" for path, message in faults))
    named = {"model": model, "instructions": instructions}
    return {**given, **{name: value for name, value in named.items() if value is not None}}


def _resources(
    judge: Any, classifier: Any, embeddings: Any, simulator: Any, *, judge_is_given: bool = True
) -> Resources:
    def grader() -> Any:
        return as_agent(judge) if isinstance(judge, str) else judge

    def player() -> Any:
        return as_agent(simulator) if isinstance(simulator, str) else simulator

    return Resources(
        None if judge is None else grader,
        None if classifier is None else lambda: classifier,
        None if embeddings is None else lambda: embeddings,
        None if simulator is None else player,
        judge_is_given=judge_is_given,
    )


def _tags(role: str, given: Iterable[str]) -> frozenset[str]:
    if isinstance(given, str):
        msg = f'{role} is a list of texts, such as ["smoke"], got the text {given!r}'
        raise ConfigurationError(msg)
    return frozenset(given)
