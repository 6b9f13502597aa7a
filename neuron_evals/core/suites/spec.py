"""An evaluator as data, read and checked: what both formats of suites become."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.printable import printable
from neuron_evals.core.suites.listing import content_of
from neuron_evals.core.suites.problems import Problem
from neuron_evals.core.suites.resources import JUDGE, SIMULATOR
from neuron_evals.core.suites.talking import needs_player
from neuron_evals.core.suites.views import with_own_views

if TYPE_CHECKING:
    from neuron_evals.core.suites.resources import Resources


@dataclass(frozen=True)
class AssertionSpec:
    """An assertion that can be built as soon as there is a judge, a classifier or embeddings, where it needs one.

    Attributes:
        cls: Its class.
        options: The options that were given, by the names of the class's fields. An assertion among them is an
            `AssertionSpec`, several are a tuple of these.
        field: Where in the item it stands, such as `_assertions[1]`; for messages.
        type_name: The name by which the item asks for it.
        needs: Which of `judge`, `classifier` and `embeddings` it takes itself.
        judge_model: Name of the model that grades, unless the run is given a judge; `None` when it names none.
    """

    cls: type[Assertion]
    options: Mapping[str, Any]
    field: str
    type_name: str = ""
    needs: tuple[str, ...] = ()
    judge_model: str | None = None

    def build(self, resources: Resources) -> Assertion:
        """Return the assertion.

        Args:
            resources: What the run gives.

        Raises:
            ConfigurationError: It needs what the run does not give.
            InvalidArgument: The options cannot mean anything.
        """
        options = {name: _built(value, resources) for name, value in self.options.items()}
        return self.cls(**options, **{name: self.resource(name, resources) for name in self.needs})

    def resource(self, name: str, resources: Resources) -> Any:
        """Return what the assertion takes of what the run gives.

        Raises:
            ConfigurationError: There is none.
        """
        if name == JUDGE and self.judge_model is not None and not resources.judge_is_given:
            return resources.model(self.judge_model)
        return resources.get(name)

    def needing(self, name: str) -> Iterator[AssertionSpec]:
        """Yield the assertions that need a resource: this one, and those inside it."""
        if name in self.needs:
            yield self
        for value in self.options.values():
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, AssertionSpec):
                    yield from part.needing(name)


def _built(value: Any, resources: Resources) -> Any:
    if isinstance(value, AssertionSpec):
        return value.build(resources)
    if isinstance(value, tuple) and value and all(isinstance(part, AssertionSpec) for part in value):
        return with_own_views([part.build(resources) for part in value])
    return value


@dataclass(frozen=True)
class CheckSpec:
    """One check of an item.

    Attributes:
        label: Under what it is counted.
        assertion: The rule.
    """

    label: str
    assertion: AssertionSpec


@dataclass(frozen=True)
class ItemSpec:
    """One item of a suite.

    Attributes:
        index: Position in the suite, counted from 0.
        item: The item as the runner, reports and outputs see it, in JSON values: `timeout` is in seconds.
        checks: What is checked, in order.
        seen: What of the item shapes the agent's answer.
        overrides: What this item changes of the agent, as `fresh()` takes it; the run goes before it, it goes before
            the suite.
        opening: Messages with which the item's conversation begins, before what the user says.
        output_type: JSON Schema of the answer that the agent is asked for; `None` for free text.
    """

    index: int
    item: Mapping[str, Any]
    checks: tuple[CheckSpec, ...]
    seen: Mapping[str, Any]
    overrides: Mapping[str, Any] = field(default_factory=dict)
    opening: tuple[Message, ...] = ()
    output_type: Mapping[str, Any] | None = None

    @property
    def called(self) -> str:
        """The item's name in messages: its position, and its id where it was given one."""
        known = f' (id "{self.item["id"]}")' if "id" in self.item else ""
        return printable(f"item {self.index}{known}")


@dataclass(frozen=True)
class SuiteDefaults:
    """What a suite says for items and runs that do not say it themselves; `None` leaves it to the next.

    Attributes:
        model: Name of the agent's model.
        instructions: The agent's system prompt.
        model_settings: `temperature`, `top_p`, `max_tokens` and `seed`, those that are given.
        timeout: Seconds an item may take.
        retries: How often an item is tried again after an infrastructure error.
        repeats: How often each item is executed.
        concurrency: How many items are in flight at most.
        retry_failed: Whether `retries` goes for wrong answers too.
    """

    model: str | None = None
    instructions: str | None = None
    model_settings: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    retries: int | None = None
    repeats: int | None = None
    concurrency: int | None = None
    retry_failed: bool | None = None

    def filled(self, rest: SuiteDefaults) -> SuiteDefaults:
        """Return these with what they leave open taken from others; settings of the model one by one."""
        taken = {name: value for name, value in _values(rest) if getattr(self, name) is None}
        return replace(self, **taken, model_settings={**rest.model_settings, **self.model_settings})

    def for_agent(self, supported: Container[str]) -> SuiteDefaults:
        """Return these without what an agent cannot change, of which it keeps its own.

        Args:
            supported: What it can change, as in `BaseAgent.SUPPORTED`.
        """
        settings = {name: value for name, value in self.model_settings.items() if name in supported}
        unsupported = {name: None for name in ("model", "instructions") if name not in supported}
        return replace(self, model_settings=settings, **unsupported)

    @property
    def overrides(self) -> dict[str, Any]:
        """What of this changes the agent, as `fresh()` takes it."""
        named = {"model": self.model, "instructions": self.instructions}
        return {**self.model_settings, **{name: value for name, value in named.items() if value is not None}}


def _values(defaults: SuiteDefaults) -> Iterator[tuple[str, Any]]:
    """Yield what can be left open, by name."""
    for each in fields(defaults):
        if each.name != "model_settings":
            yield each.name, getattr(defaults, each.name)


@dataclass(frozen=True)
class SuiteSpec:
    """An evaluator as data, free of problems; made by `parse_suite`.

    Attributes:
        name: Name in reports.
        items: The items; at least one.
        description: What the suite is for.
        agent: Name of the agent under test; `None` when the suite names none.
        judge: Name of the agent that grades; `None` likewise.
        defaults: What goes for items and runs that do not say it themselves.
        tags: Tags of every item.
        metadata: JSON values of the author's own.
        usual_timeout: Seconds an item may take when nobody says it; `None` for no limit.
        setup: Called before the first item; what it returns is handed to the items, and to `teardown`.
        teardown: Called after the last item with what `setup` returned.
        min_success_rate: Lowest success rate that is good enough, 0 to 1, for commands; `None` asks that all pass.
    """

    name: str
    items: tuple[ItemSpec, ...]
    description: str = ""
    agent: str | None = None
    judge: str | None = None
    defaults: SuiteDefaults = field(default_factory=SuiteDefaults)
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    usual_timeout: float | None = None
    setup: Callable[[], Any] | None = None
    teardown: Callable[[Any], Any] | None = None
    min_success_rate: float | None = None

    def filled(self, defaults: SuiteDefaults) -> SuiteSpec:
        """Return this suite with what it leaves open taken from elsewhere, such as what a project says for all."""
        return replace(self, defaults=self.defaults.filled(defaults))

    def of(self, item: Mapping[str, Any]) -> ItemSpec:
        """Return what an item of the suite was read as; its content says which it is.

        Raises:
            KeyError: The suite has no such item.
            InvalidArgument: Items of the suite have the same content, so that nothing tells them apart.
        """
        return self._by_content[content_of(item)]

    def needing(self, name: str) -> Iterator[tuple[int, AssertionSpec]]:
        """Yield the positions of items, with their assertions that need a `judge`, `classifier` or `embeddings`."""
        for item in self.items:
            for check in item.checks:
                for found in check.assertion.needing(name):
                    yield item.index, found

    def missing(self, *given: str) -> list[Problem]:
        """Return a problem for each item that needs what a run does not give.

        Args:
            *given: Which of `judge`, `classifier`, `embeddings` and `simulator` there are.
        """
        problems = [
            Problem(index, f"{found.field}.type", f'"{found.type_name}" needs {_NEEDED[name]}, and the run has none')
            for name in _NEEDED
            if name not in given
            for index, found in self.needing(name)
            if name != JUDGE or found.judge_model is None
        ]
        if SIMULATOR not in given:
            message = 'needs an agent that plays it, and the run has none; "agent" in it names one'
            problems += [Problem(item.index, "user", message) for item in self.items if needs_player(item.item)]
        return sorted(problems, key=attrgetter("item_index"))

    @cached_property
    def _by_content(self) -> dict[str, ItemSpec]:
        found = {content_of(item.item): item for item in self.items}
        if len(found) < len(self.items):
            msg = "SuiteSpec: items have the same content; give each an id"
            raise InvalidArgument(msg)
        return found


_NEEDED = {
    "judge": "a judge: an agent that grades",
    "classifier": "a classifier",
    "embeddings": "embeddings",
}
