"""The fold: calls as the assistant proposes them, joined with their outcomes from the tool messages that follow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neuron_evals.core.messages import Message, ToolCall


class Round:
    """The calls of one assistant message; open until a message comes that is no tool message.

    Attributes:
        calls: The calls, each with its outcome once that is known.
    """

    __slots__ = ("_by_id", "_by_name", "_in_order", "_open", "calls")

    def __init__(self, calls: Iterable[ToolCall] = ()) -> None:
        self.calls = list(calls)
        self._open = [True] * len(self.calls)
        self._in_order = deque(range(len(self.calls)))
        self._by_id: dict[str, deque[int]] = {}
        self._by_name: dict[str, deque[int]] = {}
        for index, call in enumerate(self.calls):
            self._by_name.setdefault(call.name, deque()).append(index)
            if call.id is not None:
                self._by_id.setdefault(call.id, deque()).append(index)

    def resolve(self, outcome: ToolCall) -> ToolCall | None:
        """Join an outcome with the call it belongs to.

        Args:
            outcome: The call with its outcome. It belongs to the first open call with its id; without an id to the
                first open call of its tool; with neither id nor name to the first open call.

        Returns:
            The call with its outcome, or `None` when it belongs to no open call.
        """
        if outcome.id is not None:
            waiting = self._by_id.get(outcome.id)
        else:
            waiting = self._by_name.get(outcome.name) if outcome.name else self._in_order
        while waiting and not self._open[waiting[0]]:
            waiting.popleft()
        if not waiting:
            return None
        index = waiting[0]
        joined = self.calls[index] = _joined(self.calls[index], outcome)
        self._open[index] = joined.approval == "pending" and not joined.ran
        return joined


def fold(messages: Iterable[Message]) -> tuple[tuple[tuple[ToolCall, ...], ...], int]:
    """Return the calls of each assistant message, in the order of the messages, and the number of ignored outcomes.

    Args:
        messages: A conversation. Its calls are a tuple per message that is no tool message, empty for most.
    """
    folded: list[list[ToolCall]] = []
    current = nothing_open = Round()
    ignored = 0
    for message in messages:
        if message.role != "tool":
            current = Round(message.tool_calls) if message.role == "assistant" and message.tool_calls else nothing_open
            # Not the rounds: what they remember would outlive its use, and slow a long conversation down.
            folded.append(current.calls)
            continue
        ignored += sum(current.resolve(outcome) is None for outcome in message.tool_calls)
    return tuple(tuple(calls) for calls in folded), ignored


def _joined(proposed: ToolCall, outcome: ToolCall) -> ToolCall:
    """Return the outcome; what it leaves open comes from the proposal."""
    untold = not outcome.arguments and outcome.invalid_arguments is None
    # A tool message says that the tool ran, also one that returned nothing, unless the call was held back.
    returned_nothing = outcome.executed is None and outcome.approval not in ("pending", "rejected") and not outcome.ran
    return replace(
        outcome,
        id=proposed.id,
        name=proposed.name,
        arguments=proposed.arguments if untold else outcome.arguments,
        invalid_arguments=proposed.invalid_arguments if untold else outcome.invalid_arguments,
        approval_reason=outcome.approval_reason or proposed.approval_reason,
        executed=True if returned_nothing else outcome.executed,
    )
