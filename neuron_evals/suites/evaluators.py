"""A stored suite as an evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals import conf
from neuron_evals.container import build_agent, get_agent, get_judge, suite_defaults
from neuron_evals.core.agents import BaseAgent, FakeAgent, as_agent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites import Resources, SuiteEvaluator, as_fake
from neuron_evals.core.suites import suite_evaluator as evaluator_of
from neuron_evals.suites.judging import suite_judge
from neuron_evals.suites.specs import suite_spec

if TYPE_CHECKING:
    from neuron_evals.core.suites import SuiteDefaults
    from neuron_evals.models import AgentDefinition, EvalSuite

Fake = bool | str | Mapping[str, Any] | FakeAgent | None


def suite_evaluator(  # noqa: PLR0913  (the options of a run)
    suite: EvalSuite,
    *,
    agent: Any = None,
    judge: Any = None,
    classifier: Any = None,
    embeddings: Any = None,
    simulator: Any = None,
    model: str | None = None,
    fake: Fake = None,
    defaults: SuiteDefaults | None = None,
) -> SuiteEvaluator:
    """Return the evaluator of a stored suite. No model is asked, and nothing is built that no item needs.

    Args:
        suite: The row.
        agent: The agent under test: its name, an agent, or a callable from text to text; the suite's by default.
        judge: The agent that grades: its name, an agent, or several in a list. By default the suite's, else what its
            legacy `judge_config` says.
        classifier: What answers `classifier_judge`.
        embeddings: What makes vectors for `string_similarity`.
        simulator: What plays simulated users: the name of an agent, an agent, or a provider.
        model: Name of the agent's model. With a provider's name and a colon before it, such as `local:qwen3`, the agent
            is asked there.
        fake: Canned replies in the place of the agent, as `run_suite` takes them; the agent is not even built.
        defaults: What goes where neither run, item nor suite say it; by default what the setting `SUITE_DEFAULTS` says.
            What of it the agent cannot change is the agent's own, and of an agent that a row makes of a model all but
            time limit and retries.

    Raises:
        SuiteError: Something is wrong with the suite, or an item needs a judge, a classifier, embeddings or what plays
            its user, and there is none.
        ConfigurationError: The agent cannot be built or cannot change its model; or there is no agent of that name.
    """
    spec = suite_spec(suite)
    player = (lambda: get_agent(simulator)) if isinstance(simulator, str) else _maker(simulator)
    resources = Resources(_judge_maker(suite, judge), _maker(classifier), _maker(embeddings), player)
    rest = suite_defaults() if defaults is None else defaults
    if fake is not None and fake is not False:
        return evaluator_of(spec.filled(rest.for_agent(())), as_fake(fake), resources)
    if model is not None and _names_provider(model):
        _refuse_foreign(suite.agent, agent, model)
    tested = _tested(suite.agent) if agent is None else get_agent(agent) if isinstance(agent, str) else as_agent(agent)
    # A row says on purpose which model is asked, and how: what goes for all suites does not change that.
    of_model = agent is None and not suite.agent.code
    filled = spec.filled(rest.for_agent(() if of_model else tested.SUPPORTED))
    return evaluator_of(filled, tested, resources, {} if model is None else {"model": model})


def _tested(definition: AgentDefinition) -> BaseAgent:
    if not definition.is_active:
        msg = f'the agent "{definition.slug}" is inactive; activate it, or choose another for the suite'
        raise ConfigurationError(msg)
    return build_agent(definition)


def _names_provider(model: str) -> bool:
    provider, _, name = model.partition(":")
    return bool(name) and provider in conf.read().providers


def _refuse_foreign(definition: AgentDefinition, given: Any, model: str) -> None:
    """Refuse to ask an agent at another provider that is not made of one in the settings."""
    if given is not None:
        msg = f'"{model}": the provider can be changed of the suite\'s own agent only; give the model alone'
        raise ConfigurationError(msg)
    if definition.code:
        msg = (
            f'the agent "{definition.slug}" is written in code, so that its provider cannot be changed; '
            "give the model alone"
        )
        raise ConfigurationError(msg)


def _judge_maker(suite: EvalSuite, judge: Any) -> Any:
    if judge is not None:
        return (lambda: get_judge(judge)) if isinstance(judge, str) else (lambda: judge)
    if not suite.has_judge:
        return None
    return lambda: _built_judge(suite)


def _built_judge(suite: EvalSuite) -> BaseAgent:
    definition = suite_judge(suite)
    if definition is None:
        msg = f'suite "{suite.slug}" has no judge'
        raise ConfigurationError(msg)
    if not definition.is_active:
        msg = f'the judge "{definition.slug}" is inactive; activate it, or choose another for the suite'
        raise ConfigurationError(msg)
    return build_agent(definition)


def _maker(value: Any) -> Any:
    return None if value is None else (lambda: value)
