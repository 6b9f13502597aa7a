"""Users: who speaks to the agent in a conversation, step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents.bridging import call_plain
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Trajectory


@dataclass(frozen=True, slots=True)
class SimulatedTurn:
    """What a user does next.

    Attributes:
        message: What the user says; `None` when the user stops.
        reason: Why, in the user's words; empty when none was given.
        notes: What was odd about the step, such as a message in the assistant's role.
        last: Whether the user stops when the agent has answered the message.

    Raises:
        InvalidArgument: The reason is no text, or the notes are no list of texts.
    """

    message: Message | None
    reason: str = ""
    notes: Sequence[str] = ()
    last: bool = False

    def __post_init__(self) -> None:
        """Refuse what no report could show; keep any sequence of notes as a tuple."""
        reason: Any = self.reason
        if not isinstance(reason, str):
            msg = f"SimulatedTurn: reason must be text, got {type(reason).__name__}"
            raise InvalidArgument(msg)
        notes: Any = self.notes
        if not isinstance(notes, list | tuple) or not all(isinstance(note, str) for note in notes):
            msg = f"SimulatedTurn: notes must be a list of texts, got {notes!r}"
            raise InvalidArgument(msg)
        object.__setattr__(self, "notes", tuple(notes))


class User(ABC):
    """Somebody who speaks to an agent. What a step needs to know is in the trajectory: a user remembers nothing."""

    @abstractmethod
    def next_turn(self, trajectory: Trajectory) -> SimulatedTurn:
        """Return what the user does next.

        Args:
            trajectory: The conversation so far; empty when the user speaks first.

        Raises:
            SimulatorError: The user broke.
        """

    async def anext_turn(self, trajectory: Trajectory) -> SimulatedTurn:
        """Do what `next_turn` does, for async code; the plain one runs in a thread unless this is overridden."""
        return await call_plain(self.next_turn, trajectory)

    def problems(self) -> list[str]:
        """Return what would make every step fail, a line each, without calling anything."""
        return []
