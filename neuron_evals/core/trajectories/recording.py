"""The conversation that an item has, kept for whoever asks, so that it is there when the item breaks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar

from neuron_evals.core.trajectories.trajectory import Trajectory

Source = Trajectory | Callable[[str], Trajectory]
"""A conversation: as it ended, or what gives it as far as it went, told what breaks it off."""


class Recorded:
    """The last conversation that was recorded. It may be asked from another thread than the one that has it."""

    __slots__ = ("_source",)

    def __init__(self) -> None:
        self._source: Source | None = None

    def record(self, source: Source) -> None:
        """Take a conversation in place of the one before."""
        self._source = source

    def trajectory(self, broke: str = "") -> Trajectory | None:
        """Return the conversation as far as it went; `None` when there was none, or it cannot be told.

        Args:
            broke: What breaks it off, as one line, where it has not ended by itself.
        """
        source = self._source
        if source is None or isinstance(source, Trajectory):
            return source
        # It is read from an agent in the midst of its work, which may be of any kind.
        with suppress(Exception):
            return source(broke)
        return None


_RECORDED: ContextVar[tuple[Recorded, ...]] = ContextVar("neuron_evals_recorded", default=())


def record_into(recorded: Recorded) -> None:
    """Have `recorded` keep what is recorded in the rest of this context; for code that has a context of its own."""
    _RECORDED.set((*_RECORDED.get(), recorded))


def record_trajectory(source: Source) -> None:
    """Record a conversation for the item that this code is part of; the last one that is recorded counts.

    Args:
        source: The conversation; or a function that gives it as far as it went, with an ending that says what breaks it
            off, which the function is told as one line. It may be called from another thread, at any time.
    """
    for recorded in _RECORDED.get():
        recorded.record(source)
