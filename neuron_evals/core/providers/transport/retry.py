"""When to send a call again, and how long to wait before."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neuron_evals.core.providers.errors import ProviderError

REPEATED_STATUSES = frozenset({408, 409, 425, 429})
"""Statuses below 500 that may be gone when the call is repeated."""

LONGEST_WAIT = 60.0
"""Most seconds between two attempts, also when the provider asks for more."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a call is repeated.

    Attributes:
        retries: How often at most; 0 sends it once.
        first_wait: Seconds before the first repetition, halved at most by chance; each further wait is twice as long.
    """

    retries: int = 4
    first_wait: float = 0.5

    def wait_after(self, error: ProviderError, attempts: int) -> float | None:
        """Return the seconds to wait before the next attempt; `None` when there should be none.

        Args:
            error: What broke the last attempt.
            attempts: How many there were, from 1.
        """
        if not error.transient or error.kind == "timeout" or attempts > self.retries:
            return None
        if error.retry_after is not None:
            # A little later than asked, each call a little different, so that not all come back at once.
            return min(error.retry_after, LONGEST_WAIT) * random.uniform(1.0, 1.1)  # noqa: S311  (no secret)
        wait = min(self.first_wait * 2.0 ** min(attempts - 1, 30), LONGEST_WAIT)
        return wait * random.uniform(0.5, 1.0)  # noqa: S311  (no secret)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a `Retry-After` header asks to wait, in seconds or as a date; `None` without one."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the latter for a time zone beyond all bounds
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
