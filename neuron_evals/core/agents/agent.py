"""`Agent`: instructions, tools and a provider's model."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from neuron_evals.core.agents.contract import AgentReply, BaseAgent
from neuron_evals.core.agents.driving import adrive, drive
from neuron_evals.core.agents.errors import AgentError
from neuron_evals.core.agents.fingerprints import fingerprint_of
from neuron_evals.core.agents.structured import as_message
from neuron_evals.core.agents.tools import Tool, as_tools
from neuron_evals.core.agents.turns import Setup, Steps, Turn
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.naming import model_by_name
from neuron_evals.core.providers.contract import BaseProvider, ModelSettings

if TYPE_CHECKING:
    from neuron_evals.core.providers.prices import PriceTable

_SETTINGS = frozenset({"temperature", "top_p", "max_tokens", "seed"})


@dataclass(slots=True)
class _Conversation:
    """What one thread of an agent holds: its messages and its last turn."""

    messages: list[Message] = field(default_factory=list)
    turn: Turn | None = None
    busy: threading.Lock = field(default_factory=threading.Lock)

    @property
    def waiting(self) -> Turn | None:
        """The turn that waits for decisions."""
        return self.turn if self.turn is not None and self.turn.request is not None else None


class Agent(BaseAgent):
    """A model with instructions and tools.

    A turn asks the model, runs the tools it calls, tells it the outcomes, and so on until it answers in words. What
    a tool raises, a tool that does not exist and arguments that do not fit are told to the model as errors and stand in
    the history. A call that needs an approval interrupts the turn, after the other calls of its round ran.

    Args:
        provider: Where the model is; shared by all that `fresh` returns.
        instructions: System prompt.
        tools: Tools, or typed functions to make tools of.
        name: Name for reports.
        model: Name of the model; the provider's by default.
        temperature: Randomness, 0 or more. What is `None`, here and below, is not sent.
        top_p: Share of the probability mass that is sampled from, above 0 up to 1.
        max_tokens: Most tokens of one reply of the model, 1 or more.
        seed: Seed of the sampling.
        timeout: Seconds that one model call may take; the provider's by default.
        extra: Further fields of each request, sent as they are.
        max_steps: Most model calls in a turn, 1 or more.
        prices: What tokens cost; the provider's table by default, and where it has none the one that is shipped.
        deps: What tools depend on, such as an account: handed to their parameters that are marked with `Deps`.

    Raises:
        InvalidArgument: An option cannot mean anything.
        ConfigurationError: No tool can be made of one of `tools`, or two have the same name.
    """

    SUPPORTED: ClassVar[frozenset[str]] = _SETTINGS | {"model", "instructions", "tools", "deps"}

    def __init__(  # noqa: PLR0913  (one for each thing that shapes an answer, by name)
        self,
        provider: BaseProvider,
        instructions: str = "",
        tools: Iterable[Tool | Callable[..., Any]] = (),
        *,
        name: str = "",
        model: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        timeout: float | None = None,
        extra: Mapping[str, Any] | None = None,
        max_steps: int = 10,
        prices: PriceTable | None = None,
        deps: Any = None,
    ) -> None:
        given: Any = provider
        if not isinstance(given, BaseProvider):
            msg = f"Agent: provider must be a provider, such as FakeProvider(...), got {type(given).__name__}"
            raise InvalidArgument(msg)
        if type(max_steps) is not int or max_steps < 1:
            msg = f"Agent: max_steps must be a whole number, 1 or more, got {max_steps!r}"
            raise InvalidArgument(msg)
        self.name = name
        settings = ModelSettings(temperature, top_p, max_tokens, seed, timeout, extra=extra or {})
        self._setup = Setup(provider, instructions, as_tools(tools), model, settings, max_steps, prices, deps=deps)
        self._conversation = _Conversation()

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, without the instructions."""
        return tuple(self._conversation.messages)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that the model may call."""
        return self._setup.tools

    def chat(self, message: str | Message) -> AgentReply:
        """Say something to the agent and return its answer, or where it stopped to ask.

        Raises:
            AgentError: It waits for decisions, or is in use by another thread or task.
            StepLimitReached: The model still calls tools after `max_steps` model calls.
            ProviderError: The model gave no usable reply.
        """
        with self._turn(message) as steps:
            return drive(steps, self._setup.provider)

    def structured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        """Ask for an answer that matches a JSON schema; the provider asks its model for it. Raises what `chat` does."""
        with self._turn(message, schema) as steps:
            return drive(steps, self._setup.provider)

    def resume(self, payload: Any) -> AgentReply:
        """Go on with decisions: a mapping from the id of each pending call to what becomes of it.

        A decision is `"approve"`, `"reject"`, `("reject", reason)` or `("edit", arguments)`. Of a rejected call the
        model is told so, with the reason.

        Raises:
            EvaluationError: A decision is missing or cannot be used; the agent still waits for them.
            AgentError: It waits for nothing, or is in use.
        """
        with self._resumed(payload) as steps:
            return drive(steps, self._setup.provider)

    async def achat(self, message: str | Message) -> AgentReply:
        """Do what `chat` does, for async code; the tools of a round run at the same time."""
        with self._turn(message) as steps:
            return await adrive(steps, self._setup.provider)

    async def astructured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        """Do what `structured` does, for async code."""
        with self._turn(message, schema) as steps:
            return await adrive(steps, self._setup.provider)

    async def aresume(self, payload: Any) -> AgentReply:
        """Do what `resume` does, for async code."""
        with self._resumed(payload) as steps:
            return await adrive(steps, self._setup.provider)

    def fresh(self, **overrides: Any) -> Self:
        """Return the same agent with an empty conversation. It is a shallow copy: attributes of a subclass are shared.

        Args:
            **overrides: `model`, `instructions`, `tools`, `deps`, `temperature`, `top_p`, `max_tokens` or `seed`, as
                for the constructor. A model that is named `provider:model`, with a provider that the project knows by
                that name, is asked of that provider.

        Raises:
            ConfigurationError: Another override; or a name of a model with a colon, where the agent's provider is one
                that the project knows by name and what stands before the colon is none.
            InvalidArgument: A value cannot mean anything.
        """
        self.refuse_unsupported(overrides)
        made = copy.copy(self)
        made._conversation = _Conversation(list(self._setup.opening))  # noqa: SLF001  (of its own kind)
        if overrides:
            changes = {key: value for key, value in overrides.items() if key not in _SETTINGS}
            if "tools" in changes:
                changes["tools"] = as_tools(changes["tools"])
            settings = {key: value for key, value in overrides.items() if key in _SETTINGS}
            changes["settings"] = replace(self._setup.settings, **settings)
            changes |= _of_provider(changes.get("model"), self._setup.provider)
            made._setup = replace(self._setup, **changes)  # noqa: SLF001  (as above)
        return made

    def opened_with(self, messages: Iterable[Message]) -> Self:
        """Return the same agent, whose conversations begin with these messages."""
        made = copy.copy(self)
        made._setup = replace(self._setup, opening=tuple(messages))  # noqa: SLF001  (of its own kind)
        return made.fresh()

    @property
    def fingerprint(self) -> str:
        """A hash of provider, model, instructions, settings and tools; empty when the provider's is."""
        return fingerprint_of(self._setup)

    def problems(self) -> list[str]:
        """Return what would make every call fail, a line each, without calling anything."""
        return self._setup.provider.problems()

    def is_transient(self, exc: BaseException) -> bool:
        """Return whether it is worth trying the item again that broke on `exc`; the provider says so."""
        return self._setup.provider.is_transient(exc)

    @contextmanager
    def _turn(self, message: str | Message, schema: Mapping[str, Any] | None = None) -> Iterator[Steps]:
        with self._in_use() as conversation:
            if conversation.waiting is not None:
                msg = f"{type(self).__name__}: it waits for decisions; call resume(), or fresh() for a new conversation"
                raise AgentError(msg)
            said = as_message(message)
            conversation.turn = Turn(self._setup, conversation.messages, schema)
            with _broken_off_by_errors(conversation.turn):
                yield conversation.turn.start(said)

    @contextmanager
    def _resumed(self, payload: Any) -> Iterator[Steps]:
        with self._in_use() as conversation:
            turn = conversation.waiting
            if turn is None:
                msg = f"{type(self).__name__}: there is nothing to resume; call chat()"
                raise AgentError(msg)
            with _broken_off_by_errors(turn):
                yield turn.resume(payload)

    @contextmanager
    def _in_use(self) -> Iterator[_Conversation]:
        """Keep others out: two turns at once would mix their messages."""
        conversation = self._conversation
        if not conversation.busy.acquire(blocking=False):
            msg = f"{type(self).__name__}: it is in use by another thread or task; take fresh() for each"
            raise AgentError(msg)
        try:
            yield conversation
        finally:
            conversation.busy.release()


def agent_of_model(name: str) -> Agent:
    """Return an agent around a model.

    Args:
        name: Name such as `local:qwen3`: a provider that the project knows by that name, and its name of the model.

    Raises:
        ConfigurationError: There is no such provider, or nobody here knows providers by name.
    """
    found = _of_provider(name)
    if not found:
        msg = (
            f"{name!r} names no model: it is provider:model, such as local:qwen3, with a provider of "
            'NEURON_EVALS["PROVIDERS"], where Django is set up'
        )
        raise ConfigurationError(msg)
    return Agent(**found)


def _of_provider(model: Any, asked: BaseProvider | None = None) -> dict[str, Any]:
    """Return provider and model that a name such as `local:qwen3` stands for; nothing for any other name."""
    found = model_by_name(model, asked) if isinstance(model, str) else None
    return {} if found is None else dict(zip(("provider", "model"), found, strict=True))


@contextmanager
def _broken_off_by_errors(turn: Turn) -> Iterator[None]:
    """End a turn properly when an error, a cancellation or an interrupt ends the block."""
    try:
        yield
    except BaseException:
        turn.break_off()
        raise
