"""`Trajectory`: a conversation as it is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import register_type, register_view
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.trajectories.folding import fold
from neuron_evals.core.trajectories.reading import read_messages
from neuron_evals.core.trajectories.transcript import transcript

if TYPE_CHECKING:
    from neuron_evals.core.trajectories.ending import Ending


class Trajectory:
    """A read-only view over the messages of a conversation; made by `from_messages`, or by running a `Conversation`.

    Two trajectories are equal when their messages are: how a conversation came to its end is not compared.
    """

    __slots__ = ("_calls", "_ending", "_ignored", "_messages")

    def __init__(self, messages: Iterable[Any] = (), ending: Ending | None = None) -> None:
        given = tuple(messages)
        for position, message in enumerate(given):
            if not isinstance(message, Message):
                msg = f"Trajectory: messages[{position}] must be a Message, got {type(message).__name__}"
                raise InvalidArgument(msg)
        self._messages: tuple[Message, ...] = given
        self._calls: tuple[tuple[ToolCall, ...], ...] | None = None
        self._ignored = 0
        self._ending = ending

    @classmethod
    def from_messages(cls, messages: Iterable[Any]) -> Trajectory:
        """Return the trajectory of a list of messages.

        Args:
            messages: `Message` objects, or messages of OpenAI's chat completions, or of Anthropic's messages, as
                mappings or as objects of their clients. One list is in one of these formats. What a model got wrong in
                a tool call is kept (see `ToolCall.invalid_arguments`).

        Raises:
            InvalidArgument: The list is in two formats, or an element is no message; the text names its position.
        """
        return cls(read_messages(messages))

    @property
    def ending(self) -> Ending | None:
        """Why the conversation ended; `None` when it is not one that a `Conversation` ran."""
        return self._ending

    def messages(self) -> list[Message]:
        """Return all messages."""
        return list(self._messages)

    def count(self) -> int:
        """Return the number of messages, system messages included."""
        return len(self._messages)

    def tool_calls(self, name: str | None = None) -> list[ToolCall]:
        """Return every proposed call once, in the order of proposal, with its outcome as far as there is one.

        A tool message resolves calls of the assistant message before it; several tool messages may follow one
        another. Outcomes go by the call's id, those without an id to the first open call of that tool. Outcomes that
        belong to no open call change nothing (see `ignored_results`).

        Args:
            name: Only calls of this tool; letter case counts.
        """
        return [call for calls in self._folded() for call in calls if name is None or call.name == name]

    def last_tool_call(self, name: str | None = None) -> ToolCall | None:
        """Return the last call, or the last one of the tool `name`; `None` when there is none."""
        calls = self.tool_calls(name)
        return calls[-1] if calls else None

    def ignored_results(self) -> int:
        """Return how many outcomes belong to no open call: unknown ids, repeated outcomes, those of earlier rounds."""
        self._folded()
        return self._ignored

    def user_messages(self) -> list[str]:
        """Return the texts of the user's messages that have one."""
        return [message.content for message in self._messages if message.role == "user" and message.content]

    def final_answer(self) -> str:
        """Return the last text of the assistant, also one that accompanies a tool call; empty when there is none."""
        for message in reversed(self._messages):
            if message.role == "assistant" and message.content:
                return message.content
        return ""

    def usage(self) -> Usage:
        """Return the tokens of all messages whose usage is known; `requests` tells how many model calls these are."""
        known = [message.usage for message in self._messages if message.usage is not None]
        return Usage.sum(known) if known else Usage(requests=0)

    def to_transcript(self, *, mark_stubs: bool = True) -> str:
        """Return the conversation as text, an entry per line, for people and judges.

        System messages are left out. No text can pass for an entry: every line of an entry after its first is indented
        by four spaces. NUL and lone surrogates are replaced. The ending is not in it: a judge grades what was said, and
        the simulated user's own opinion of it would steer the judge.

        Args:
            mark_stubs: Whether a call that a stub answered says so. Judges get no marks: an answer is graded as if the
                tool had said the same.
        """
        calls = self._folded()
        if not mark_stubs:
            calls = tuple(tuple(replace(call, stubbed=False) for call in part) for part in calls)
        return transcript(self._messages, calls)

    def _folded(self) -> tuple[tuple[ToolCall, ...], ...]:
        """Return the calls with their outcomes, those of a message together; computed once."""
        if self._calls is None:
            calls, self._ignored = fold(self._messages)
            self._calls = calls  # last, for threads that share the trajectory
        return self._calls

    def __eq__(self, other: object) -> bool:
        return self._messages == other._messages if isinstance(other, Trajectory) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # (arguments and results are mutable)

    def __repr__(self) -> str:
        return f"<Trajectory: {self.count()} messages, {len(self.tool_calls())} tool calls>"


def _held(trajectory: Trajectory) -> dict[str, Any]:
    return {"messages": trajectory.messages(), "ending": trajectory.ending}


register_type("trajectory", Trajectory, _held, lambda held: Trajectory(**held))
register_view(
    Trajectory,
    lambda held: {"messages": held.messages(), "ignored_results": held.ignored_results(), "ending": held.ending},
)
