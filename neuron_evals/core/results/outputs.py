"""An output together with the conversation from which it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neuron_evals.core.trajectories import Trajectory


@dataclass(frozen=True, slots=True)
class RunOutput:
    """What `run` of an evaluator may return instead of the output alone.

    The output is what is evaluated, stored and shown; the conversation stands beside it, in the result and in the
    record.

    Attributes:
        output: The output.
        trajectory: The conversation.
    """

    output: Any
    trajectory: Trajectory
