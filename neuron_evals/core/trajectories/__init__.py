"""What happened in a conversation, as read-only views over its messages."""

from __future__ import annotations

from neuron_evals.core.trajectories.trajectory import Trajectory
from neuron_evals.core.trajectories.transcript import described_call

__all__ = ["Trajectory", "described_call"]
