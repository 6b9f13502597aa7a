"""Users: who speaks to the agent in a conversation, step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuron_evals.core.agents.bridging import call_plain
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
    """

    message: Message | None
    reason: str = ""
    notes: tuple[str, ...] = ()
    last: bool = False


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
