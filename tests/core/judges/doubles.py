"""Judges that answer what a test needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from neuron_evals.core.agents import AgentReply, BaseAgent
from neuron_evals.core.messages import Message
from neuron_evals.core.metrics import record_usage


class ScriptedJudge(BaseAgent):
    """Gives its replies one after the other, the last one again and again, and remembers what it was asked.

    A reply is text, a mapping sent as JSON, an `AgentReply`, or an exception, raised.
    """

    def __init__(self, *replies: Any, name: str = "", model: str | None = None) -> None:
        self.name = name
        self.model = model
        self.replies = list(replies)
        self.prompts: list[str] = []
        self.schemas: list[Mapping[str, Any]] = []
        self.conversations = 0
        self.asked = 0

    def chat(self, message: str | Message) -> AgentReply:
        raise NotImplementedError

    @property
    def history(self) -> tuple[Message, ...]:
        return ()

    def fresh(self, **overrides: Any) -> Self:
        self.conversations += 1
        return self

    def structured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        self.prompts.append(message if isinstance(message, str) else message.content)
        self.schemas.append(schema)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        self.asked += 1
        record_usage(model=self.model, seconds=0.0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, AgentReply):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return AgentReply(text, Message("assistant", text), model=self.model)

    async def astructured(self, message: str | Message, schema: Mapping[str, Any]) -> AgentReply:
        return self.structured(message, schema)
