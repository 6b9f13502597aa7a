"""Conversations: turns with an agent, scripted or by a simulated user, and what came of them."""

from __future__ import annotations

from neuron_evals.core.conversations.conversation import Conversation
from neuron_evals.core.conversations.errors import SimulatorError
from neuron_evals.core.conversations.scripted import ScriptedUser
from neuron_evals.core.conversations.user import SimulatedTurn, User

__all__ = ["Conversation", "ScriptedUser", "SimulatedTurn", "SimulatorError", "User"]
