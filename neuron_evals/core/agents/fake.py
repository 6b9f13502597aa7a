"""An agent with canned replies, to run a suite without a model."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from neuron_evals.core.agents.contract import OVERRIDES, AgentReply, BaseAgent
from neuron_evals.core.agents.structured import as_message
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message, ToolCall

FAKE_REPLY = "This is a fake reply."
"""What a fake agent says when it was told nothing else."""


@dataclass(frozen=True)
class FakeScript:
    """What a fake agent does in one conversation.

    Args:
        replies: What it says, one text for each turn, and the last one from then on; or one text for all turns.
        tool_calls: What it calls in the first turn, before it says anything: names of tools, or calls. A call with a
            result or an error counts as one whose tool ran.

    Raises:
        InvalidArgument: A reply is no text, or a call is neither.
    """

    replies: str | Sequence[str] = FAKE_REPLY
    tool_calls: Sequence[str | ToolCall] = ()

    def __post_init__(self) -> None:
        replies: Any = (self.replies,) if isinstance(self.replies, str) else tuple(self.replies)
        if not replies or not all(isinstance(reply, str) for reply in replies):
            msg = "FakeScript: replies is a text, or a list of texts with at least one"
            raise InvalidArgument(msg)
        object.__setattr__(self, "replies", replies)
        object.__setattr__(self, "tool_calls", tuple(_calls(self.tool_calls)))


class FakeAgent(BaseAgent):
    """Says what it was told to say, calls no model and no tool, and contacts nothing.

    What it is asked to change by `fresh`, it takes and does not look at: it stands in for any agent.

    Args:
        script: What it does.
        items: What it does for single items of a suite, by their id, or by their position counted from 0, as text.
    """

    SUPPORTED: ClassVar[frozenset[str]] = frozenset(OVERRIDES)
    name = "fake"

    def __init__(self, script: FakeScript | None = None, items: Mapping[str, FakeScript] | None = None) -> None:
        self.script = script or FakeScript()
        self.items = dict(items or {})
        self._opening: tuple[Message, ...] = ()
        self._history: tuple[Message, ...] = ()
        self._turns = 0

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return self._history

    def fresh(self, **overrides: Any) -> Self:
        """Return the same agent with an empty conversation.

        Raises:
            ConfigurationError: No agent can change one of the overrides.
        """
        self.refuse_unsupported(overrides)
        made = copy.copy(self)
        made._history, made._turns = self._opening, 0  # noqa: SLF001  (of its own kind)
        return made

    def opened_with(self, messages: Iterable[Message]) -> Self:
        """Return the same agent, whose conversations begin with these messages."""
        made = copy.copy(self)
        made._opening = tuple(messages)  # noqa: SLF001  (of its own kind)
        return made.fresh()

    def for_item(self, item_id: str | None, index: int) -> Self:
        """Return the agent for one item of a suite, with an empty conversation.

        Args:
            item_id: The id that the item was given, if it has one.
            index: Position of the item, counted from 0.
        """
        made = self.fresh()
        by_position = self.items.get(str(index), self.script)
        made.script = by_position if item_id is None else self.items.get(item_id, by_position)
        return made

    def chat(self, message: str | Message) -> AgentReply:
        """Return the next reply."""
        said = [as_message(message)]
        calls: tuple[Any, ...] = tuple(self.script.tool_calls) if self._turns == 0 else ()
        if calls:
            proposed = tuple(replace(call, result=None, error=None, executed=None) for call in calls)
            said += [Message(role="assistant", tool_calls=proposed), Message(role="tool", tool_calls=calls)]
        text = self.script.replies[min(self._turns, len(self.script.replies) - 1)]
        answer = Message(role="assistant", content=text)
        self._history = (*self._history, *said, answer)
        self._turns += 1
        return AgentReply(text, answer, finish_reason="stop")

    async def achat(self, message: str | Message) -> AgentReply:
        """Do what `chat` does, for async code."""
        return self.chat(message)


def _calls(given: Any) -> Iterable[ToolCall]:
    for number, call in enumerate(given, start=1):
        if isinstance(call, str) and call:
            made = ToolCall(call)
        elif isinstance(call, ToolCall):
            made = call
        else:
            msg = f"FakeScript: tool_calls[{number - 1}] is the name of a tool, or a ToolCall, got {call!r:.80}"
            raise InvalidArgument(msg)
        yield made if made.id else replace(made, id=f"fake_{number}")
