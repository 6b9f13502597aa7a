"""Conversations for tests, from the calls in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.trajectories import Trajectory


def call(name: str, **arguments: Any) -> ToolCall:
    """Return a call that ran."""
    return ToolCall(name, arguments, result="ok")


def pending(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, approval="pending")


def approved(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, approval="approved", result="ok")


def rejected(name: str, reason: str | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, approval="rejected", result="rejected by the user", reject_reason=reason)


def conversation(*calls: ToolCall | str, answer: str = "Done.") -> Trajectory:
    """Return a conversation in which these calls were made, one after the other."""
    messages = [Message("user", "Do it")]
    for number, given in enumerate(calls):
        told = call(given) if isinstance(given, str) else given
        outcome = replace(told, id=f"call_{number}")
        proposal = replace(outcome, result=None, error=None, approval=None, reject_reason=None)
        messages += [Message("assistant", tool_calls=[proposal]), Message("tool", tool_calls=[outcome])]
    return Trajectory.from_messages([*messages, Message("assistant", answer)])


def as_trajectory(messages: Iterable[Mapping[str, Any]]) -> Trajectory:
    """Return the trajectory of messages in data, whose fields are those of `Message` and `ToolCall`."""
    return Trajectory(_message(**held) for held in messages)


def _message(tool_calls: Iterable[Mapping[str, Any]] = (), **held: Any) -> Message:
    return Message(**held, tool_calls=[ToolCall(**made) for made in tool_calls])
