"""Callables and foreign objects taken as agents."""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Self

from neuron_evals.core.agents.bridging import call_plain, finish
from neuron_evals.core.agents.contract import AgentReply, BaseAgent
from neuron_evals.core.agents.errors import AgentError
from neuron_evals.core.agents.structured import as_message
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.messages import Message
from neuron_evals.core.metrics import Collected, collecting, record_usage
from neuron_evals.core.naming import agent_by_name


def as_agent(value: Any) -> BaseAgent:
    """Return an agent for whatever may stand for one.

    Args:
        value: An agent; its name in the settings of a Django project; a callable from text to text, plain or
            `async def`; or an object with `chat` from text to text (or to something with a `text`) and with `fresh`,
            which returns the same with an empty conversation.

    Raises:
        ConfigurationError: It is none of these.
    """
    if isinstance(value, BaseAgent):
        return value
    if isinstance(value, str):
        return as_agent(agent_by_name(value))
    if isinstance(value, type):
        msg = f"{value.__qualname__} is a class; an agent is an object, such as {value.__qualname__}(...)"
        raise ConfigurationError(msg)
    if callable(getattr(value, "chat", None)):
        if not callable(getattr(value, "fresh", None)):
            msg = (
                f"{type(value).__qualname__} has chat() and no fresh(), so that one item would hear of another; add "
                "fresh(), or give its chat method if it remembers nothing"
            )
            raise ConfigurationError(msg)
        return ObjectAgent(value)
    if callable(value):
        return CallableAgent(value)
    msg = f"an agent is an Agent, a callable from text to text, or an object with chat() and fresh(), got {value!r}"
    raise ConfigurationError(msg)


class CallableAgent(BaseAgent):
    """A callable from text to text as an agent. It hears the last message only; what it remembers is its own affair.

    Args:
        function: The callable, plain or `async def`.
        name: Name for reports; the callable's by default.
    """

    def __init__(self, function: Callable[[str], Any], name: str = "") -> None:
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self._function = function
        self._history: tuple[Message, ...] = ()

    @property
    def history(self) -> tuple[Message, ...]:
        """What was said to the callable, and what it returned."""
        return self._history

    @property
    def asynchronous(self) -> bool:
        """Whether the callable is an `async def`."""
        return inspect.iscoroutinefunction(self._function)

    def fresh(self, **overrides: Any) -> Self:
        """Return the same agent with an empty history.

        Raises:
            ConfigurationError: There are overrides; a callable can change nothing.
        """
        self.refuse_unsupported(overrides)
        made = copy.copy(self)
        made._history = ()  # noqa: SLF001  (of its own kind)
        return made

    def chat(self, message: str | Message) -> AgentReply:
        """Call the callable with the text of the message.

        Raises:
            AgentError: It returned no text.
        """
        said = self._hear(message)
        started = time.perf_counter()
        with collecting() as collected:
            answer = self._function(said.content)
            answer = finish(answer) if inspect.isawaitable(answer) else answer
        return self._answer(answer, collected, time.perf_counter() - started)

    async def achat(self, message: str | Message) -> AgentReply:
        """Do what `chat` does, for async code; a plain callable runs in a thread."""
        said = self._hear(message)
        started = time.perf_counter()
        with collecting() as collected:
            if inspect.iscoroutinefunction(self._function):
                answer = await self._function(said.content)
            else:
                answer = await call_plain(self._function, said.content)
                answer = await answer if inspect.isawaitable(answer) else answer
        return self._answer(answer, collected, time.perf_counter() - started)

    def _hear(self, message: str | Message) -> Message:
        said = as_message(message)
        self._history = (*self._history, said)
        return said

    def _answer(self, answer: Any, collected: Collected, seconds: float) -> AgentReply:
        if not collected.model_calls:
            # Nothing inside recorded a model call: what the answer does not tell is unknown, which is not nothing.
            _record(answer, seconds)
        if isinstance(answer, AgentReply):
            self._history = (*self._history, answer.message)
            return answer
        text = answer if isinstance(answer, str) else getattr(answer, "text", None)
        if not isinstance(text, str):
            msg = f"{self.name}: an agent must return text, got {type(answer).__name__}"
            raise AgentError(msg)
        message = Message(role="assistant", content=text, duration=seconds)
        self._history = (*self._history, message)
        return AgentReply(text, message, usage=collected.usage(), cost=collected.cost(), duration=seconds)


def _record(answer: Any, seconds: float) -> None:
    if not isinstance(answer, AgentReply):
        record_usage(seconds=seconds)
        return
    usage = answer.message.usage if answer.usage is None else answer.usage
    model = answer.message.model if answer.model is None else answer.model
    cost: Any = answer.cost  # others' agents may give a float
    cost = Decimal(str(cost)) if isinstance(cost, int | float) else cost
    record_usage(usage, cost, model, seconds=seconds, first_token=answer.first_token)


class ObjectAgent(CallableAgent):
    """An object with `chat` and `fresh` as an agent.

    Args:
        wrapped: The object.
        name: Name for reports; its class's by default.
    """

    def __init__(self, wrapped: Any, name: str = "") -> None:
        super().__init__(wrapped.chat, name or type(wrapped).__name__)
        self._wrapped = wrapped

    def fresh(self, **overrides: Any) -> Self:
        """Return the agent around what the object's own `fresh` returns.

        Raises:
            ConfigurationError: There are overrides.
        """
        self.refuse_unsupported(overrides)
        return type(self)(self._wrapped.fresh(), self.name)
