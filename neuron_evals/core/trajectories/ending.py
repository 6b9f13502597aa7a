"""`Ending`: how a conversation that was run came to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import register_type

EndingReason = Literal["script_ended", "user_stopped", "max_turns", "error"]
ENDING_REASONS: tuple[EndingReason, ...] = get_args(EndingReason)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a simulated user said about one of its steps.

    Attributes:
        turn: Which turn the step is, counted from 1; the step in which the user stops comes after the last turn.
        text: What it said.
    """

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a conversation ended, and what its simulated user said beside its messages.

    Attributes:
        reason: `script_ended`: all turns were said. `user_stopped`: the simulated user had nothing more to say.
            `max_turns`: it said as much as it may. `error`: something broke, and the conversation is what there was
            until then.
        turns: How many messages of the user the agent was given, the one at which something broke included.
        detail: The simulated user's last reason, or what broke, as one line; empty when nobody said.
        simulator_fault: Whether what broke is the simulated user: the conversation is no verdict about the agent.
        reasons: The simulated user's reasons, in the order of the turns.
        notes: What was odd about its steps, likewise.

    Raises:
        InvalidArgument: The reason is unknown.
    """

    reason: EndingReason
    turns: int = 0
    detail: str = ""
    simulator_fault: bool = False
    reasons: Sequence[Remark] = ()
    notes: Sequence[Remark] = ()

    def __post_init__(self) -> None:
        """Refuse an unknown reason; keep any sequence of remarks as a tuple."""
        if self.reason not in ENDING_REASONS:
            msg = f"Ending: reason is one of {', '.join(ENDING_REASONS)}, got {self.reason!r}"
            raise InvalidArgument(msg)
        object.__setattr__(self, "reasons", tuple(self.reasons))
        object.__setattr__(self, "notes", tuple(self.notes))

    def __str__(self) -> str:
        """Return it as a line, such as `max_turns after 3 turns`."""
        counted = f"{self.turns} turn" if self.turns == 1 else f"{self.turns} turns"
        fault = " (the simulated user broke)" if self.simulator_fault else ""
        detail = f": {' '.join(self.detail.split())}" if self.detail else ""
        return f"{self.reason} after {counted}{fault}{detail}"


def _held(value: Any) -> dict[str, Any]:
    return {option.name: getattr(value, option.name) for option in fields(value)}


register_type("remark", Remark, _held, lambda held: Remark(**held))
register_type("ending", Ending, _held, lambda held: Ending(**held))
