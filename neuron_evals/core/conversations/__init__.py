"""Conversations: turns with an agent, scripted or by a simulated user, and what came of them."""

from __future__ import annotations

from neuron_evals.core.conversations.conversation import Conversation
from neuron_evals.core.conversations.declared import (
    CONVERSATION_KEYS,
    conversation_problems,
    is_simulated,
    player_name,
)
from neuron_evals.core.conversations.errors import SimulatorError
from neuron_evals.core.conversations.scripted import ScriptedUser
from neuron_evals.core.conversations.user import SimulatedTurn, User

__all__ = [
    "CONVERSATION_KEYS",
    "Conversation",
    "ScriptedUser",
    "SimulatedTurn",
    "SimulatorError",
    "User",
    "conversation_problems",
    "is_simulated",
    "player_name",
]
