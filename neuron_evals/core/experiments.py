"""Running suites from code: `run_suite` for a whole suite, `run_case` for one item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent, FakeAgent, as_agent
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.report import EvaluationReport
from neuron_evals.core.runner import EvaluatorRunner, Limits, Selection
from neuron_evals.core.suites import Resources, SuiteSpec, as_fake, parse_suite, suite_evaluator

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult
    from neuron_evals.core.runner import Listener, WorkerKind
    from neuron_evals.core.suites import SuiteEvaluator

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
) -> EvaluationReport:
    """Run a suite.

    Args:
        suite: The suite: a `SuiteSpec`, or what `parse_suite` takes.
        agent: The agent under test: an agent, a callable from text to text, or, where Django is set up, the name of
            one; by default the one that the suite names. With `fake` it may be left out.
        judge: The agent that grades, or several in a list; by default the one that the suite names.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users: an agent or a provider.
        model: Name of the agent's model; it goes before what items and the suite say.
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

    Raises:
        SuiteError: Something is wrong with the suite, or an item needs a judge, a classifier, embeddings or what plays
            its user, and there is none; nothing was called.
        ConfigurationError: There is no agent, or it cannot change what is to be changed.
    """
    spec = suite if isinstance(suite, SuiteSpec) else parse_suite(suite)
    resources = _resources(spec.judge if judge is None else judge, classifier, embeddings, simulator)
    evaluator = _evaluator(spec, spec.agent if agent is None else agent, resources, model, fake)
    stop = StopToken()
    results = (runner or EvaluatorRunner()).run(
        evaluator,
        concurrency or spec.defaults.concurrency or 1,
        workers=workers,
        selection=Selection(_tags("tags", tags), _tags("exclude_tags", exclude_tags)),
        limits=Limits(timeout, repeats, retries),
        fail_fast=fail_fast,
        listener=listener,
        stop=stop,
    )
    return EvaluationReport.of(results, stopped=stop.reason, interrupted=stop.interrupted)


def run_case(  # noqa: PLR0913  (what items may need)
    case: Mapping[str, Any],
    *,
    agent: Any,
    judge: Any = None,
    classifier: Any = None,
    embeddings: Any = None,
    simulator: Any = None,
) -> ItemResult:
    """Run one item, as it would stand in a suite, and return its result.

    Args:
        case: The item.
        agent: As for `run_suite`, and so are the others.
        judge: The agent that grades.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users.

    Raises:
        SuiteError: Something is wrong with the item; nothing was called.
        ConfigurationError: It is no agent.
    """
    spec = parse_suite([case], name="case")
    evaluator = _evaluator(spec, agent, _resources(judge, classifier, embeddings, simulator), None, fake=False)
    (result,) = EvaluatorRunner().run(evaluator).results
    return result


def _evaluator(spec: SuiteSpec, agent: Any, resources: Resources, model: str | None, fake: Fake) -> SuiteEvaluator:
    overrides = {} if model is None else {"model": model}
    return suite_evaluator(spec, _agent(agent, fake), resources, overrides)


def _agent(agent: Any, fake: Fake) -> BaseAgent:
    if fake is not False:
        return as_fake(fake)
    if agent is None:
        msg = "there is no agent: give agent=..., an agent or a callable from text to text, or fake=True"
        raise ConfigurationError(msg)
    return as_agent(agent)


def _resources(judge: Any, classifier: Any, embeddings: Any, simulator: Any) -> Resources:
    def grader() -> Any:
        return as_agent(judge) if isinstance(judge, str) else judge

    def player() -> Any:
        return as_agent(simulator) if isinstance(simulator, str) else simulator

    return Resources(
        None if judge is None else grader,
        None if classifier is None else lambda: classifier,
        None if embeddings is None else lambda: embeddings,
        None if simulator is None else player,
    )


def _tags(role: str, given: Iterable[str]) -> frozenset[str]:
    if isinstance(given, str):
        msg = f'{role} is a list of texts, such as ["smoke"], got the text {given!r}'
        raise ConfigurationError(msg)
    return frozenset(given)
