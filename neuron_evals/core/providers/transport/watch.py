"""When to give a call up: at its deadline, or when the run is stopped. Waiting that looks at both."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from neuron_evals.core.cancellation import Deadline, StopToken, current_deadline, current_stop
from neuron_evals.core.providers.errors import ProviderError

PERIOD = 0.05
"""Seconds between two looks at the stop token."""

LONGEST = 1e9
"""Most seconds that a call may take; sockets can wait for little longer."""


@dataclass(slots=True, eq=False)
class Watch:
    """The limits of one call, its attempts and all its waiting.

    Attributes:
        seconds: What the call was allowed, for messages.
        deadline: When it must have ended.
        stop: The token of the run it is part of, if any.
        attempts: How often it was sent.
        broken_off: Whether the attempt in flight was broken off for one of these limits.
    """

    seconds: float
    deadline: Deadline
    stop: StopToken | None
    attempts: int = 0
    broken_off: bool = field(default=False)

    @classmethod
    def over(cls, seconds: float) -> Watch:
        """Return the limits of a call that may take `seconds`, and no longer than the code around it."""
        seconds = min(seconds, LONGEST)
        deadline, outer = Deadline.after(seconds), current_deadline()
        if outer is not None and outer < deadline:
            deadline, seconds = outer, outer.remaining
        return cls(seconds, deadline, current_stop())

    @property
    def must_break(self) -> bool:
        """Whether an attempt in flight should be broken off. A run that merely stops lets it come to its end."""
        return self.deadline.passed or (self.stop is not None and self.stop.abandon)

    @property
    def must_end(self) -> bool:
        """Whether waiting has no use any more."""
        return self.deadline.passed or (self.stop is not None and self.stop.is_set())

    def error(self) -> ProviderError:
        """Return why the call ended before it had a reply."""
        if self.stop is not None and self.stop.is_set() and not self.deadline.passed:
            message = f"the run was stopped ({self.stop.reason}) before the reply was complete"
            return ProviderError(message, kind="cancelled", attempts=max(1, self.attempts))
        message = f"no complete reply within {self.seconds:.3g} s"
        return ProviderError(message, kind="timeout", attempts=max(1, self.attempts))

    def check(self) -> None:
        """Look whether waiting has any use.

        Raises:
            ProviderError: The deadline came, or the run was stopped.
        """
        if self.must_end:
            raise self.error()

    def wait(self, seconds: float) -> None:
        """Wait.

        Raises:
            ProviderError: The deadline came, or the run was stopped.
        """
        until = Deadline.after(seconds)
        self.check()
        while not until.passed:
            time.sleep(min(PERIOD, until.remaining))
            self.check()

    async def await_(self, seconds: float) -> None:
        """Wait; like `wait`, for async code."""
        until = Deadline.after(seconds)
        self.check()
        while not until.passed:
            await asyncio.sleep(min(PERIOD, until.remaining))
            self.check()
