"""Stopping a run from outside: a signal, a driver, the first failure."""

from __future__ import annotations

from collections.abc import Callable


class StopToken:
    """Says whether a run should stop, and why. Setting it is safe from any thread and from a signal handler."""

    def __init__(self) -> None:
        self._reason: str | None = None
        self._abandon = False
        self._wake: Callable[[], None] | None = None

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
