"""`stub_tools`: an agent whose calls go to stubs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from neuron_evals.core.agents.contract import AgentReply, BaseAgent
from neuron_evals.core.agents.errors import StepLimitReached
from neuron_evals.core.agents.fingerprints import facts_of
from neuron_evals.core.agents.stubs.stub import Refused, Stub
from neuron_evals.core.agents.stubs.tool import stubbed_tool
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.nearest import did_you_mean

if TYPE_CHECKING:
    from neuron_evals.core.agents.tools import Tool
    from neuron_evals.core.messages import Message

REST = "*"
"""In place of a tool's name: all tools that have no stub of their own."""


def stub_tools(agent: BaseAgent, stubs: Mapping[str, Stub], *, strict: bool = True) -> BaseAgent:
    """Return the agent with an empty conversation, and with stubs that answer its calls.

    The model is told of the same tools, and approvals are asked for as before. How far stubs have come belongs to what
    is returned, and begins anew with its `fresh()`.

    Args:
        agent: An `Agent`, or another that tells its tools and can change them.
        stubs: Stubs by the name of their tool; `"*"` stands for all tools that have none of their own.
        strict: What becomes of a tool without a stub, where there is no `"*"`: a call ends the item as an error
            (`UnstubbedCall`) without running the tool; or, when not strict, it goes to the tool.

    Raises:
        ConfigurationError: It is no agent, or it does not tell or cannot change its tools, its tools are stubbed
            already, it has no such tool, or what is given for a tool is no stub.
    """
    given: Any = agent
    if not isinstance(given, BaseAgent):
        msg = f"stub_tools: takes an agent that tells its tools, such as an Agent, got {type(given).__name__}"
        raise ConfigurationError(msg)
    if isinstance(agent, StubbedAgent):
        msg = "stub_tools: the agent's tools are stubbed already; give the agent itself, and all stubs at once"
        raise ConfigurationError(msg)
    rest = Refused() if strict else Stub.real()
    return StubbedAgent(agent, {REST: rest, **_checked(stubs)})


class StubbedAgent(BaseAgent):
    """An agent whose calls go to stubs; made by `stub_tools`.

    Args:
        agent: The agent.
        stubs: Stubs by the name of their tool, and one for `"*"`.

    Raises:
        ConfigurationError: As for `stub_tools`.
    """

    def __init__(self, agent: BaseAgent, stubs: Mapping[str, Stub]) -> None:
        self.name = agent.name
        self.SUPPORTED = agent.SUPPORTED  # type: ignore[misc]  # (what the agent can change)
        self._original = agent  # asked for what has no conversation; nobody talks to it
        self._stubs = stubs
        self._ended: list[EvaluationError] = []
        tools = _tools_of(agent)
        _require_known(stubs, tools)
        self._marked = {tool.name for tool in tools if self._stub_of(tool).stubbed}
        stubbed = tuple(stubbed_tool(tool, self._stub_of(tool), self._ended) for tool in tools)
        self._agent = agent.fresh(tools=stubbed)
        taken = self._agent.tools or ()
        if len(taken) != len(stubbed) or any(one is not other for one, other in zip(taken, stubbed, strict=True)):
            msg = f"stub_tools: {type(agent).__name__}.fresh(tools=...) does not take the tools it is given"
            raise ConfigurationError(msg)

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far; calls that a stub answered are marked as `stubbed`, which the model is not told."""
        return tuple(map(self._with_marks, self._agent.history))

    @property
    def tools(self) -> tuple[Tool, ...] | None:
        """The tools, with stubs in place of their functions."""
        return self._agent.tools

    def fresh(self, **overrides: Any) -> Self:
        """Return the same agent with an empty conversation and stubs at their beginning; tools given here get them too.

        Raises:
            ConfigurationError: The agent cannot change what is asked for, or a stub has no tool then.
        """
        return type(self)(self._original.fresh(**overrides), self._stubs)

    def chat(self, message: str | Message) -> AgentReply:
        """Do what the agent's own `chat` does.

        Raises:
            UnstubbedCall: A tool was called, and there was no answer to that call.
            Exception: What the agent's own raises.
        """
        with self._ending():
            return self._agent.chat(message)

    def resume(self, payload: Any) -> AgentReply:
        """Do what the agent's own `resume` does. Raises what `chat` does."""
        with self._ending():
            return self._agent.resume(payload)

    def structured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        """Do what the agent's own `structured` does. Raises what `chat` does."""
        with self._ending():
            return self._agent.structured(message, schema)

    async def achat(self, message: str | Message) -> AgentReply:
        """Do what `chat` does, for async code."""
        with self._ending():
            return await self._agent.achat(message)

    async def aresume(self, payload: Any) -> AgentReply:
        """Do what `resume` does, for async code."""
        with self._ending():
            return await self._agent.aresume(payload)

    async def astructured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        """Do what `structured` does, for async code."""
        with self._ending():
            return await self._agent.astructured(message, schema)

    @property
    def fingerprint(self) -> str:
        """A hash of the agent and its stubs; empty when the agent's is."""
        if not self._original.fingerprint:
            return ""
        facts = [self._original.fingerprint, facts_of(self._stubs)]
        return hashlib.sha256(canonical_json(facts).encode()).hexdigest()

    def problems(self) -> list[str]:
        """Return what would make every call fail."""
        return self._original.problems()

    def is_transient(self, exc: BaseException) -> bool:
        """Return whether it is worth trying the item again that broke on `exc`."""
        return self._original.is_transient(exc)

    def _stub_of(self, tool: Tool) -> Stub:
        return self._stubs.get(tool.name, self._stubs[REST])

    def _with_marks(self, message: Message) -> Message:
        if message.role != "tool" or not message.tool_calls:
            return message
        calls = [
            replace(call, stubbed=True) if call.ran and call.name in self._marked else call
            for call in message.tool_calls
        ]
        return replace(message, tool_calls=calls)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """End a turn with what a stub refused, also where the agent took that for a failure of the tool."""
        self._ended.clear()
        try:
            yield
        except Exception as exc:
            if isinstance(exc, StepLimitReached):
                exc.history = tuple(map(self._with_marks, exc.history))
            if self._ended and exc not in self._ended:
                raise self._ended[0] from None
            raise
        if self._ended:
            raise self._ended[0]


def _checked(stubs: Mapping[str, Stub]) -> Mapping[str, Stub]:
    given: Any = stubs
    if not isinstance(given, Mapping):
        msg = f"stub_tools: stubs must be a mapping from tool to stub, got {type(given).__name__}"
        raise ConfigurationError(msg)
    for name, stub in given.items():
        if not isinstance(stub, Stub):
            msg = f"stub_tools: stubs[{name!r}] must be a stub, such as Stub.result(...), got {type(stub).__name__}"
            raise ConfigurationError(msg)
    return stubs


def _tools_of(agent: BaseAgent) -> tuple[Tool, ...]:
    kind = type(agent).__name__
    if "tools" not in agent.SUPPORTED:
        msg = f'stub_tools: {kind} cannot change its tools: its SUPPORTED lacks "tools"'
        raise ConfigurationError(msg)
    if agent.tools is None:
        msg = f"stub_tools: {kind} does not tell its tools; let its property `tools` return them"
        raise ConfigurationError(msg)
    return agent.tools


def _require_known(stubs: Mapping[str, Stub], tools: Sequence[Tool]) -> None:
    names = [tool.name for tool in tools]
    for name in stubs:
        if name == REST or name in names:
            continue
        known = f"its tools are {', '.join(names)}" if names else "it has no tools"
        msg = f'stub_tools: the agent has no tool "{name}"; {did_you_mean(name, names)}{known}'
        raise ConfigurationError(msg)
