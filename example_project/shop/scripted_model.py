"""Models without a model: what they say follows from what they are asked, so they need no network and never vary."""

from __future__ import annotations

import hashlib
from abc import abstractmethod

from neuron_evals import BaseProvider, Message, ModelReply, ModelRequest, ToolCall


class ScriptedModel(BaseProvider):
    """Stands where a provider does; a subclass says how it answers. It remembers nothing, so all items can share it."""

    model = "script"

    @abstractmethod
    def decide(self, request: ModelRequest) -> str | ToolCall:
        """Return what it says next: an answer, or the call of a tool."""

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(type(self).__qualname__.encode()).hexdigest()

    def complete(self, request: ModelRequest) -> ModelReply:
        said = self.decide(request)
        if isinstance(said, str):
            return ModelReply(Message("assistant", said), finish_reason="stop")
        return ModelReply(Message("assistant", tool_calls=[said]), finish_reason="tool_calls")

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        return self.complete(request)
