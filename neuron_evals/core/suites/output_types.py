"""`output_type`: an agent that is asked for structured output in each turn."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from neuron_evals.core.agents import AgentReply, BaseAgent
from neuron_evals.core.assertions.dataclass_schema import dataclass_schema
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.exceptions import InvalidArgument

if TYPE_CHECKING:
    from neuron_evals.core.messages import Message


def output_schema(output_type: Any) -> Mapping[str, Any]:
    """Return the JSON Schema of structured output.

    Args:
        output_type: A JSON Schema as a dict, a dataclass, or a pydantic model.

    Raises:
        InvalidArgument: It is none of these, or a dataclass with a field that has no schema.
    """
    if isinstance(output_type, Mapping):
        return output_type
    if isinstance(output_type, type):
        told = getattr(output_type, "model_json_schema", None)
        if callable(told):
            schema: Mapping[str, Any] = told()
            return schema
        if dataclasses.is_dataclass(output_type):
            return dataclass_schema("output_type", output_type)
    msg = f"output_type must be a JSON Schema as a dict, a dataclass or a pydantic model, got {shown(output_type)}"
    raise InvalidArgument(msg)


class StructuredAgent(BaseAgent):
    """An agent whose answers are asked for as JSON of a schema.

    Args:
        agent: The agent.
        schema: JSON Schema of its answers.
    """

    def __init__(self, agent: BaseAgent, schema: Mapping[str, Any]) -> None:
        self.name = agent.name
        self.SUPPORTED = agent.SUPPORTED  # type: ignore[misc]  # (what the agent can change)
        self._agent = agent
        self._schema = schema

    @property
    def asynchronous(self) -> bool:
        """Whether the agent is at home on an event loop."""
        return self._agent.asynchronous

    @property
    def history(self) -> tuple[Message, ...]:
        """The agent's."""
        return self._agent.history

    @property
    def tools(self) -> Any:
        """The agent's."""
        return self._agent.tools

    @property
    def fingerprint(self) -> str:
        """The agent's; what is cached for an item depends on its schema too."""
        return self._agent.fingerprint

    def chat(self, message: str | Message) -> AgentReply:
        """Ask the agent for structured output."""
        return self._agent.structured(message, self._schema)

    async def achat(self, message: str | Message) -> AgentReply:
        """Do what `chat` does, for async code."""
        return await self._agent.astructured(message, self._schema)

    def resume(self, payload: Any) -> AgentReply:
        """Go on after an interrupt."""
        return self._agent.resume(payload)

    async def aresume(self, payload: Any) -> AgentReply:
        """Do what `resume` does, for async code."""
        return await self._agent.aresume(payload)

    def fresh(self, **overrides: Any) -> Self:
        """Return the same agent with an empty conversation, and with what the agent itself can change."""
        return self._around(self._agent.fresh(**overrides))

    def opened_with(self, messages: Iterable[Message]) -> Self:
        """Return the same agent, whose conversations begin with these messages."""
        return self._around(self._agent.opened_with(messages))

    def problems(self) -> list[str]:
        """Return the agent's."""
        return self._agent.problems()

    def is_transient(self, exc: BaseException) -> bool:
        """Return what the agent says."""
        return self._agent.is_transient(exc)

    def _around(self, agent: BaseAgent) -> Self:
        made = copy.copy(self)
        made._agent = agent  # noqa: SLF001  (of its own kind)
        return made
