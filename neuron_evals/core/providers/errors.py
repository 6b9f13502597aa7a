"""What a model call can break on, as one error with a kind."""

from __future__ import annotations

from typing import Literal

from neuron_evals.core.exceptions import NeuronEvalsError

ErrorKind = Literal[
    "auth", "rate_limit", "bad_request", "server", "timeout", "connection", "bad_reply", "too_large", "cancelled"
]

TRANSIENT: frozenset[ErrorKind] = frozenset({"rate_limit", "server", "timeout", "connection"})
"""Kinds that may be gone when the same call is made again."""


class ProviderError(NeuronEvalsError):
    """A model call gave no usable reply. Its text is one line and holds no key.

    Attributes:
        kind: `auth` (no key, or a refused one), `rate_limit`, `bad_request` (the provider refused the request),
            `server` (the provider broke or is overloaded), `timeout` (no complete reply before the deadline),
            `connection`, `bad_reply` (it answered something that is no reply), `too_large`, or `cancelled` (the run was
            stopped).
        status: The HTTP status; `None` when no answer came.
        code: The provider's own word for the error, such as `overloaded_error`; empty when it gave none.
        retry_after: Seconds the provider asks to wait; `None` when it does not say.
        transient: Whether the same call may succeed later.
        attempts: How often the call was made.
    """

    def __init__(  # noqa: PLR0913  (what is known of a failed call)
        self,
        message: str,
        *,
        kind: ErrorKind,
        status: int | None = None,
        code: str = "",
        retry_after: float | None = None,
        transient: bool | None = None,
        attempts: int = 1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind: ErrorKind = kind
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.transient = kind in TRANSIENT if transient is None else transient
        self.attempts = attempts

    def __str__(self) -> str:
        """Return the message, with the number of attempts when there was more than one."""
        return self.message if self.attempts == 1 else f"{self.message} ({self.attempts} attempts)"

    def __reduce__(self) -> tuple[type[ProviderError], tuple[str], dict[str, object]]:
        """Rebuild from the message and the attributes: the default knows no keyword arguments."""
        return _rebuilt, (self.message,), dict(vars(self))  # type: ignore[return-value]  # a function that makes one


def _rebuilt(message: str) -> ProviderError:
    return ProviderError(message, kind="bad_reply")
