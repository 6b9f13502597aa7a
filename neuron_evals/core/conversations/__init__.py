"""Conversations: turns with an agent, scripted or by a simulated user, and what came of them."""
