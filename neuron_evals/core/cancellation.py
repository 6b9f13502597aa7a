"""Stopping what is being done: a run from outside (a signal, a driver, the first failure), or work at its deadline.

Code deep inside an item, such as a provider waiting for a reply, finds both in the context it runs in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self

_PATIENCE = 2
"""How many signals are taken in good order."""

_INTERRUPTED = 130
"""Exit status of a process that was interrupted."""


class _Mark(AbstractContextManager[None]):
    """Whether the main thread is in code that a signal should break off. No generator: it is entered for each item."""

    def __init__(self) -> None:
        self.set = False

    def __enter__(self) -> None:
        self.set = True

    def __exit__(self, *_: object) -> None:
        self.set = False


class StopToken:
    """Says whether a run should stop, and why. Setting it is safe from any thread and from a signal handler.

    Args:
        ends_process: Whether a second signal may end the process, where the first one did not break the code at work
            off: for commands, whose process has nothing else to do.
    """

    def __init__(self, *, ends_process: bool = False) -> None:
        self._ends_process = ends_process
        self._save: Callable[[], object] | None = None
        self._reason: str | None = None
        self._abandon = False
        self._wake: Callable[[], None] | None = None
        self._interrupted = False
        self._signals = 0
        self._mark = _Mark()

    @property
    def interrupted(self) -> bool:
        """Whether a signal asked to stop."""
        return self._interrupted

    @property
    def reason(self) -> str | None:
        """Why to stop; `None` while nobody asked."""
        return self._reason

    @property
    def abandon(self) -> bool:
        """Whether to stop without waiting for the items that are in flight."""
        return self._abandon

    def is_set(self) -> bool:
        """Whether somebody asked to stop."""
        return self._reason is not None

    def set(self, reason: str, *, abandon: bool = False) -> None:
        """Ask to stop.

        Args:
            reason: Why, in a few words; the first reason stays.
            abandon: Do not wait for items in flight; they become `cancelled`.
        """
        self._abandon = self._abandon or abandon
        if self._reason is None:
            self._reason = reason
        if self._wake is not None:
            self._wake()

    def on_set(self, wake: Callable[[], None] | None) -> None:
        """Have `wake` called at each `set`; it must be safe in a signal handler. `None` takes it away."""
        self._wake = wake

    @contextmanager
    def saving(self, save: Callable[[], object]) -> Iterator[None]:
        """Have `save` called, before the process ends, where code inside lets nothing break it off."""
        self._save = save
        try:
            yield
        finally:
            self._save = None

    def interruptible(self) -> AbstractContextManager[None]:
        """Mark the code inside as code that a signal should break off at once, by raising `KeyboardInterrupt`."""
        return self._mark

    def interrupt(self) -> None:
        """Take a signal that asks to end; called by signal handlers.

        The first one sets the token and breaks off interruptible code; elsewhere it leaves the code at work to come to
        its end, so that no result is lost. A second one always breaks off; where it finds the code that the first one
        broke off still at work, it ends the process of a command, once what is there was saved. A third ends any
        process at once.

        Raises:
            KeyboardInterrupt: As said above.
        """
        again, self._interrupted = self._interrupted, True
        self._signals += 1
        if self._signals > _PATIENCE:
            os._exit(_INTERRUPTED)
        self.set("interrupted", abandon=True)
        if again and self._mark.set and self._ends_process and self._save is not None:
            # Only in the code of others: nothing of ours is half done below this frame.
            try:
                self._save()
            finally:
                os._exit(_INTERRUPTED)
        if again or self._mark.set:
            raise KeyboardInterrupt


@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """The moment at which what is being done must have ended; the earlier of two is the smaller.

    Attributes:
        at: The moment, in seconds of `time.monotonic()`.
    """

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Return the deadline that is `seconds` from now."""
        return cls(time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds that are left; 0 when it has passed."""
        return max(0.0, self.at - time.monotonic())

    @property
    def passed(self) -> bool:
        """Whether the moment has come."""
        return time.monotonic() >= self.at


_STOP: ContextVar[StopToken | None] = ContextVar("neuron_evals_stop", default=None)
_DEADLINE: ContextVar[Deadline | None] = ContextVar("neuron_evals_deadline", default=None)


def current_stop() -> StopToken | None:
    """Return the token of the run that this code is part of; `None` outside a run."""
    return _STOP.get()


def current_deadline() -> Deadline | None:
    """Return when what this code is part of must have ended; `None` when nothing limits it."""
    return _DEADLINE.get()


@contextmanager
def stopped_by(token: StopToken) -> Iterator[None]:
    """Make `token` the one that the code inside, and what it awaits or calls, is stopped by."""
    before = _STOP.set(token)
    try:
        yield
    finally:
        _STOP.reset(before)


@contextmanager
def ends_by(deadline: Deadline) -> Iterator[Deadline]:
    """Limit the code inside to `deadline`, or to the deadline around it where that is earlier; yield which it is."""
    outer = _DEADLINE.get()
    effective = deadline if outer is None else min(outer, deadline)
    before = _DEADLINE.set(effective)
    try:
        yield effective
    finally:
        _DEADLINE.reset(before)


def bind(token: StopToken | None, deadline: Deadline | None) -> None:
    """Do what `stopped_by` and `ends_by` do for the rest of this context; for code that has a context of its own."""
    _STOP.set(token)
    _DEADLINE.set(deadline)
