"""`SuiteEvaluator`: a suite as an evaluator that runs like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent, FakeAgent
from neuron_evals.core.caches import Uncacheable
from neuron_evals.core.conversations import Conversation, player_name
from neuron_evals.core.conversations.simulator_options import as_player
from neuron_evals.core.datasets import ArrayDataset, Dataset
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites.problems import SuiteError, given_ids
from neuron_evals.core.suites.resources import NAMES, SIMULATOR, Resources
from neuron_evals.core.suites.talking import conversation, needs_player, stubbed
from neuron_evals.core.suites.views import OnRecord

if TYPE_CHECKING:
    from neuron_evals.core.suites.spec import ItemSpec, SuiteSpec


@dataclass(frozen=True)
class _Subject:
    """The agent under test. It stands behind an object because its fingerprint may be empty, which is no error here."""

    agent: BaseAgent


class SuiteEvaluator(BaseEvaluator):
    """Runs the items of a suite against an agent, each in a conversation of its own.

    The checks of an item are made in this order: its reference, its assertions, its tool. Use `suite_evaluator` to get
    the kind that fits the agent.

    Args:
        spec: The suite.
        agent: The agent under test, shared by all items; each takes `fresh()`.
        resources: What the items need: a judge, a classifier, embeddings, what plays users. What no item needs is not
            made.
        overrides: What the run changes of the agent, as `fresh()` takes it; it goes before what items and the suite
            say.

    Raises:
        SuiteError: An item needs what `resources` does not have.
        ConfigurationError: The agent cannot change what the suite, an item or the run wants changed.
    """

    def __init__(
        self,
        spec: SuiteSpec,
        agent: BaseAgent,
        resources: Resources | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        self.spec = spec
        self._resources = Resources() if resources is None else resources
        self._overrides = dict(overrides or {})
        lacking = spec.missing(*(name for name in (*NAMES, SIMULATOR) if name in self._resources))
        if lacking:
            raise SuiteError(lacking, given_ids([item.item for item in spec.items]))
        self._subject = _Subject(agent.fresh(**{**spec.defaults.overrides, **self._overrides}))
        for item in spec.items:
            agent.refuse_unsupported(item.overrides)

    @property
    def agent(self) -> BaseAgent:
        """The agent under test, as the suite and the run changed it."""
        return self._subject.agent

    @property
    def evaluator_name(self) -> str:
        """Name in reports: `suite`, and the suite's name."""
        return f"suite {self.spec.name}"

    @property
    def tags(self) -> tuple[str, ...]:  # type: ignore[override]  # (here they are the suite's)
        """Tags of every item."""
        return self.spec.tags

    @property
    def timeout(self) -> float | None:  # type: ignore[override]  # as tags
        """Seconds an item may take."""
        return self.spec.defaults.timeout

    @property
    def repeats(self) -> int:  # type: ignore[override]  # as tags
        """How often each item is executed."""
        return self.spec.defaults.repeats or 1

    @property
    def retries(self) -> int:  # type: ignore[override]  # as tags
        """How often an item is tried again after an infrastructure error."""
        return self.spec.defaults.retries or 0

    @property
    def fake(self) -> bool:  # type: ignore[override]  # as tags
        """Whether canned replies stand in for the agent."""
        return isinstance(self._subject.agent, FakeAgent)

    def set_up(self) -> None:
        """Make what items need, so that what cannot be made is known before the agent is called.

        Raises:
            ConfigurationError: Every call of the agent would fail, or its tools cannot be stubbed as an item wants.
            Exception: Whatever making a judge, a classifier, embeddings or what plays users raises.
        """
        problems = self._subject.agent.problems()
        if problems:
            msg = f"the agent cannot be called: {'; '.join(problems)}"
            raise ConfigurationError(msg)
        for name in NAMES:
            if any(self.spec.needing(name)):
                self._resources.get(name)
        for item in self.spec.items:
            self._player(item)
            self._require_stubs(item)

    def get_dataset(self) -> Dataset:
        """Return the items."""
        return ArrayDataset([item.item for item in self.spec.items])

    def run(self, item: Any) -> Any:
        """Return what the agent says last; the conversation is recorded beside it."""
        return self._conversation(self.spec.of(item)).run().final_answer()

    def evaluate(self, output: Any, item: Any) -> Any:
        """Make the checks of the item."""
        del output
        recorder, record = self._recording(), self.record
        for label, assertion in self._checks(item):
            recorder.check(assertion, record, label, None)

    def is_transient(self, exc: Exception) -> bool:
        """Return whether an error is one of infrastructure; the agent is asked too."""
        return super().is_transient(exc) or self._subject.agent.is_transient(exc)

    def cache_input(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the agent is given, and what it is.

        Raises:
            Uncacheable: Nothing tells when its answers may change, or they are canned.
        """
        if self.fake:
            msg = "the replies of a fake agent are not kept"
            raise Uncacheable(msg)
        if not self._fingerprint:
            msg = "the agent has no fingerprint, so that nothing tells when its answers may change"
            raise Uncacheable(msg)
        spec = self.spec.of(item)
        player = self._player(spec)
        user = "" if player is None else player.fingerprint
        if player is not None and not user:
            msg = "what plays the user has no fingerprint, so that nothing tells when it may say something else"
            raise Uncacheable(msg)
        return {"agent": self._fingerprint, "user": user, "overrides": self._changes(spec), "item": spec.seen}

    @cached_property
    def _fingerprint(self) -> str:
        return self._subject.agent.fingerprint

    def _conversation(self, item: ItemSpec) -> Conversation:
        return conversation(self._agent(item), item.seen, self._player(item))

    def _player(self, item: ItemSpec) -> BaseAgent | None:
        """Return what plays the user of an item; `None` when nothing does."""
        if needs_player(item.item):
            return as_player(self._resources.get(SIMULATOR), {})
        name = player_name(item.item)
        return None if name is None else self._resources.player(name)

    def _require_stubs(self, item: ItemSpec) -> None:
        try:
            stubbed(self._subject.agent, item.seen)
        except ConfigurationError as exc:
            msg = f"item {item.index}, stubs: {exc}"
            raise ConfigurationError(msg) from exc

    def _agent(self, item: ItemSpec) -> BaseAgent:
        """Return the agent for an item, with an empty conversation."""
        agent = self._subject.agent
        if isinstance(agent, FakeAgent):
            given = item.item.get("id")
            return agent.for_item(None if given is None else str(given), item.index)
        return agent.fresh(**self._changes(item))

    def _changes(self, item: ItemSpec) -> dict[str, Any]:
        return {name: value for name, value in item.overrides.items() if name not in self._overrides}

    def _checks(self, item: Mapping[str, Any]) -> Iterator[tuple[str, OnRecord]]:
        for check in self.spec.of(item).checks:
            yield check.label, OnRecord(check.assertion.build(self._resources))


class AsyncSuiteEvaluator(SuiteEvaluator):
    """A suite whose agent and judges are awaited, for agents that are at home on an event loop."""

    async def run(self, item: Any) -> Any:
        """Do what `SuiteEvaluator.run` does."""
        return (await self._conversation(self.spec.of(item)).arun()).final_answer()

    async def evaluate(self, output: Any, item: Any) -> Any:
        """Do what `SuiteEvaluator.evaluate` does."""
        del output
        recorder, record = self._recording(), self.record
        for label, assertion in self._checks(item):
            await recorder.acheck(assertion, record, label, None)


def suite_evaluator(
    spec: SuiteSpec,
    agent: BaseAgent,
    resources: Resources | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> SuiteEvaluator:
    """Return the evaluator of a suite: one that awaits where the agent is at home on an event loop.

    Args:
        spec: As for `SuiteEvaluator`, and so are the others.
        agent: The agent under test.
        resources: What the assertions need.
        overrides: What the run changes of the agent.

    Raises:
        SuiteError: As for `SuiteEvaluator`.
        ConfigurationError: As for `SuiteEvaluator`.
    """
    kind = AsyncSuiteEvaluator if agent.asynchronous else SuiteEvaluator
    return kind(spec, agent, resources, overrides)
