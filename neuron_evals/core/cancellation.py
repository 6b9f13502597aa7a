"""Stopping a run from outside: a signal, a driver, the first failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class StopToken:
    """Says whether a run should stop, and why. Setting it is safe from any thread and from a signal handler."""

    def __init__(self) -> None:
        self._reason: str | None = None
        self._abandon = False
        self._wake: Callable[[], None] | None = None
        self._interruptible = False
        self._interrupted = False

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
    def interruptible(self) -> Iterator[None]:
        """Mark the code inside as code that a signal should break off at once, by raising `KeyboardInterrupt`."""
        self._interruptible = True
        try:
            yield
        finally:
            self._interruptible = False

    def interrupt(self) -> None:
        """Take a signal that asks to end; called by signal handlers.

        The first one sets the token and breaks off interruptible code; elsewhere it leaves the code at work to come to
        its end, so that no result is lost. A second one always breaks off.

        Raises:
            KeyboardInterrupt: As said above.
        """
        again, self._interrupted = self._interrupted, True
        self.set("interrupted", abandon=True)
        if again or self._interruptible:
            raise KeyboardInterrupt
