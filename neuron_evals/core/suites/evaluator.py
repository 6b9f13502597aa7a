"""`SuiteEvaluator`: a suite as an evaluator that runs like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent, FakeAgent
from neuron_evals.core.agents.fingerprints import facts_of
from neuron_evals.core.caches import Uncacheable
from neuron_evals.core.conversations import Conversation, player_name
from neuron_evals.core.conversations.simulator_options import as_player
from neuron_evals.core.datasets import ArrayDataset, Dataset
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites.calls import Made, called
from neuron_evals.core.suites.nous.custom import CustomCheck
from neuron_evals.core.suites.output_types import StructuredAgent
from neuron_evals.core.suites.problems import SuiteError, given_ids
from neuron_evals.core.suites.readiness import (
    model_problems,
    player_problems,
    refusal,
    refuse_unsupported,
    resource_problems,
)
from neuron_evals.core.suites.resources import NAMES, SIMULATOR, Resources
from neuron_evals.core.suites.talking import STUBS, conversation, needs_player, stubbed
from neuron_evals.core.suites.views import OnRecord

if TYPE_CHECKING:
    from neuron_evals.core.suites.spec import ItemSpec, SuiteSpec

DEPS = "deps"


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
        self._set_up: tuple[Any, ...] = ()
        # Bound anew on the copy of an item, so that its agent and its checks have the same.
        self._made: tuple[Any, ...] = ()
        refuse_unsupported(agent, spec, self._overrides)
        self._subject = _Subject(agent.fresh(**{**spec.defaults.overrides, **self._overrides}))
        for item in spec.items:
            if item.opening:
                agent.opened_with(item.opening)

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
        given = self.spec.defaults.timeout
        return self.spec.usual_timeout if given is None else given

    @property
    def concurrency(self) -> int | None:
        """How many items are in flight at most where the run does not say it; `None` when the suite does not either."""
        return self.spec.defaults.concurrency

    @property
    def repeats(self) -> int:  # type: ignore[override]  # as tags
        """How often each item is executed."""
        return self.spec.defaults.repeats or 1

    @property
    def retries(self) -> int:  # type: ignore[override]  # as tags
        """How often an item is tried again after an infrastructure error."""
        return self.spec.defaults.retries or 0

    @property
    def retry_failed(self) -> bool:  # type: ignore[override]  # as tags
        """Whether `retries` goes for wrong answers too."""
        return bool(self.spec.defaults.retry_failed)

    @property
    def fake(self) -> bool:  # type: ignore[override]  # as tags
        """Whether canned replies stand in for the agent."""
        return isinstance(self._subject.agent, FakeAgent)

    def problems(self) -> list[str]:
        """Return what would turn out after a call, a line each; nothing is called. What items need is made for it.

        It is that every call of the agent would fail, or of a judge; that a judge, a classifier, embeddings or what
        plays a user cannot be made; that an item names a model that there is not; or that the agent's tools cannot be
        stubbed as an item wants.
        """
        agent = self._subject.agent
        found = [f"the agent cannot be called: {problem}" for problem in agent.problems()]
        found += resource_problems(self.spec, self._resources)
        if not self.fake:
            found += model_problems(self.spec.items, agent, self._changes)
        found += player_problems(self.spec.items, self._player)
        for item in self.spec.items:
            if STUBS in item.seen and (wrong := refusal(partial(self._stubbed, item))):
                found.append(f"item {item.index}, stubs: {wrong}")
        return list(dict.fromkeys(found))

    def set_up(self) -> None:
        """Refuse what would turn out after a call; then call the suite's setup.

        Raises:
            ConfigurationError: There are `problems()`; all are listed.
            Exception: Whatever making a judge, a classifier, embeddings or what plays users raises, or the suite's own
                setup.
        """
        if problems := self.problems():
            raise ConfigurationError("\n".join(problems))
        if self.spec.setup is not None:
            self._set_up = (called(self.spec.setup),)
        elif self.spec.teardown is not None:
            self._set_up = (None,)

    def tear_down(self) -> None:
        """Call the suite's teardown with what its setup returned; not when there was no setup that did."""
        if self.spec.teardown is not None and self._set_up:
            called(self.spec.teardown, *self._set_up)

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
        said = {
            "agent": self._fingerprint,
            "user": user,
            "overrides": facts_of({**self._changes(spec), **self._known_deps(spec)}),
            "item": spec.seen,
        }
        more = {"opening": [asdict(message) for message in spec.opening], "output_type": spec.output_type}
        return {**said, **{name: value for name, value in more.items() if value}}

    def _known_deps(self, item: ItemSpec) -> dict[str, Any]:
        """Return what an item depends on, made for the key of the cache alone.

        Raises:
            Uncacheable: The function that makes it raised.
        """
        try:
            return copy(self)._depending(item)  # noqa: SLF001  (of its own kind)
        except Exception as exc:  # the function is the project's; the item itself says so when it runs
            msg = f"what the case depends on could not be made: {type(exc).__name__}"
            raise Uncacheable(msg) from exc

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

    def _stubbed(self, item: ItemSpec) -> BaseAgent:
        agent = self._subject.agent
        return stubbed(agent if self.fake else agent.fresh(**self._changes(item)), item.seen)

    def _agent(self, item: ItemSpec) -> BaseAgent:
        """Return the agent for an item, with an empty conversation."""
        agent = self._subject.agent
        if isinstance(agent, FakeAgent):
            given = item.item.get("id")
            agent = agent.for_item(None if given is None else str(given), item.index)
            return agent.opened_with(item.opening) if item.opening else agent
        agent = agent.fresh(**self._changes(item), **self._depending(item))
        agent = agent.opened_with(item.opening) if item.opening else agent
        return agent if item.output_type is None else StructuredAgent(agent, item.output_type)

    def _changes(self, item: ItemSpec) -> dict[str, Any]:
        """Return what an item changes of the agent, and the run does not, but for what it depends on."""
        return {name: value for name, value in item.overrides.items() if name not in {DEPS, *self._overrides}}

    def _depending(self, item: ItemSpec) -> dict[str, Any]:
        """Return what an item depends on, as `fresh()` takes it; nothing where the agent's own or the run's goes."""
        if DEPS in self._overrides or DEPS not in self._subject.agent.SUPPORTED:
            return {}
        deps = self._deps(item)
        return {} if deps is None else {DEPS: deps}

    def _deps(self, item: ItemSpec) -> Any:
        """Return what an item depends on: its own, laid over what the suite's setup returned."""
        own = item.overrides.get(DEPS)
        if isinstance(own, Made):
            if not self._made:
                self._made = (own.make(),)
            own = self._made[0]
        shared = self._set_up[0] if self._set_up else None
        if isinstance(own, Mapping) and isinstance(shared, Mapping):
            return {**shared, **own}
        return shared if own is None else own

    def _checks(self, item: Mapping[str, Any]) -> Iterator[tuple[str, OnRecord]]:
        spec = self.spec.of(item)
        for check in spec.checks:
            assertion = check.assertion.build(self._resources)
            if isinstance(assertion, CustomCheck):
                assertion = replace(assertion, deps=self._deps(spec))
            yield check.label, OnRecord(assertion)
