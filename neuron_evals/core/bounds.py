"""How much there may be of what rows keep: the same in files, in code and on every database."""

from __future__ import annotations

MAX_NAME = 200
"""Longest name of a suite or an agent, in characters."""

MAX_REPEATS = 10_000
"""How often an item is executed at most, on purpose."""

MAX_RETRIES = 1_000
"""How often an execution is tried again at most."""

MAX_CONCURRENCY = 10_000
"""How many items of a suite may be in flight at most by what the suite says."""
