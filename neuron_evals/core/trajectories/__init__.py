"""What happened in a conversation, as read-only views over its messages."""

from __future__ import annotations

from neuron_evals.core.trajectories.ending import Ending, Remark
from neuron_evals.core.trajectories.recording import Recorded, record_into, record_trajectory
from neuron_evals.core.trajectories.trajectory import Trajectory
from neuron_evals.core.trajectories.transcript import described_call

__all__ = ["Ending", "Recorded", "Remark", "Trajectory", "described_call", "record_into", "record_trajectory"]
