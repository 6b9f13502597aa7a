"""An agent whose calls can be counted, whichever process it answers in."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

from neuron_evals import AgentReply, BaseAgent, Message

if TYPE_CHECKING:
    from pathlib import Path


class CountingAgent(BaseAgent):
    """Answers and writes a letter into a file."""

    def __init__(self, file: Path, *, asynchronous: bool = False, temperature: float = 0.0) -> None:
        self.file, self._asynchronous, self.temperature = file, asynchronous, temperature
        self._history: tuple[Message, ...] = ()

    @property
    def asynchronous(self) -> bool:
        return self._asynchronous

    @property
    def fingerprint(self) -> str:
        return f"counting {self.temperature}"

    @property
    def history(self) -> tuple[Message, ...]:
        return self._history

    def fresh(self, **overrides: Any) -> Self:
        self.refuse_unsupported(overrides)
        made = copy.copy(self)
        made._history = ()
        return made

    def chat(self, message: str | Message) -> AgentReply:
        with self.file.open("a") as file:
            file.write("x")
        said = message if isinstance(message, Message) else Message("user", message)
        answer = Message("assistant", f"answer to {said.content}")
        self._history = (*self._history, said, answer)
        return AgentReply(answer.content, answer)

    async def achat(self, message: str | Message) -> AgentReply:
        return self.chat(message)

    def calls(self) -> int:
        return len(self.file.read_text()) if self.file.exists() else 0
