"""`ScriptedUser`: a user who says what is written down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from neuron_evals.core.conversations.turns import read_turns
from neuron_evals.core.conversations.user import SimulatedTurn, User
from neuron_evals.core.exceptions import InvalidArgument

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Trajectory


class ScriptedUser(User):
    """A user who says one thing after the other, and stops when nothing is left.

    Args:
        turns: What it says: texts, user's messages, or mappings with `content`.

    Raises:
        InvalidArgument: There is none, or one of them is no turn.
    """

    def __init__(self, turns: Iterable[Any]) -> None:
        self._turns = read_turns(turns, "ScriptedUser")
        if not self._turns:
            msg = "ScriptedUser: give it at least one thing to say"
            raise InvalidArgument(msg)

    def next_turn(self, trajectory: Trajectory) -> SimulatedTurn:
        """Return what comes after as many things as the user has said in the conversation."""
        said = sum(message.role == "user" for message in trajectory.messages())
        if said >= len(self._turns):
            return SimulatedTurn(None, "all was said")
        return SimulatedTurn(self._turns[said])
