"""Judges: agents that grade. Their prompts, the reading of their replies, and what several of them say together."""
