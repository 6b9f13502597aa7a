"""Caches that settings may name."""

from __future__ import annotations

from neuron_evals.core.caches import MemoryCache
from tests.testapp.mail import Agent  # noqa: TC001  (the container reads the annotation)


class Shared(MemoryCache):
    """A cache with an option of its own, and one thing that the container gives."""

    def __init__(self, agent: Agent, host: str = "local") -> None:
        super().__init__()
        self.agent, self.host = agent, host


class Plain(MemoryCache):
    """A cache without options."""


class Silent(MemoryCache):
    """A cache that breaks when it is asked for problems."""

    def problems(self) -> list[str]:
        """Break."""
        msg = "no\nconnection"
        raise OSError(msg)
