"""Calls over HTTP: attempt after attempt, each in its turn, until one succeeds or the limits are reached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neuron_evals.core.providers.errors import ProviderError
from neuron_evals.core.providers.keys import redact
from neuron_evals.core.providers.transport.failures import shown
from neuron_evals.core.providers.transport.limiter import Limiter
from neuron_evals.core.providers.transport.loop_watchdog import over_on_loop
from neuron_evals.core.providers.transport.receiving import Assembler, Received, Receiver
from neuron_evals.core.providers.transport.slots import Slots
from neuron_evals.core.providers.transport.watchdog import WATCHDOG

if TYPE_CHECKING:
    from neuron_evals.core.providers.transport.connections import Connection, LoopConnection
    from neuron_evals.core.providers.transport.retry import RetryPolicy
    from neuron_evals.core.providers.transport.watch import Watch


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is sent, in each attempt the same.

    Attributes:
        url: Where to.
        headers: All but those that HTTP itself needs.
        content: The body.
        assembler: As in `Receiver`.
        secrets: What must show in no text.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    assembler: Callable[[], Assembler] | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)


class Transport:
    """Sends the calls of one provider.

    Args:
        retries: How failed attempts are repeated.
        max_in_flight: Most calls at once; `None` for no limit but what the provider enforces.
        max_reply_bytes: Largest reply.
    """

    def __init__(self, retries: RetryPolicy, max_in_flight: int | None, max_reply_bytes: int) -> None:
        self.limiter = Limiter(max_in_flight)
        self._retries = retries
        self._max_reply_bytes = max_reply_bytes
        self._slots = Slots()

    def send(self, outgoing: Outgoing, watch: Watch) -> Received:
        """Send a call and return the reply; `watch.attempts` tells how often it was sent.

        Raises:
            ProviderError: There is no reply.
        """
        while True:
            try:
                with self.limiter.turn(watch):
                    return self._attempt(outgoing, watch)
            except ProviderError as error:
                wait = self._wait_after(error, watch)
            watch.wait(wait)

    async def asend(self, outgoing: Outgoing, watch: Watch) -> Received:
        """Send a call; like `send`, for async code."""
        while True:
            try:
                async with self.limiter.aturn(watch):
                    return await self._aattempt(outgoing, watch)
            except ProviderError as error:
                wait = self._wait_after(error, watch)
            await watch.await_(wait)

    def close(self) -> None:
        """Close the connections that no call uses."""
        self._slots.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop that no call uses."""
        await self._slots.aclose()

    def _wait_after(self, error: ProviderError, watch: Watch) -> float:
        """Return how long to wait before the next attempt, or raise the error when there should be none."""
        error.attempts = max(1, watch.attempts)
        wait = self._retries.wait_after(error, watch.attempts)
        # When the deadline comes first, the error says more than "no reply within" would.
        if wait is None or wait >= watch.deadline.remaining:
            raise error
        return wait

    def _attempt(self, outgoing: Outgoing, watch: Watch) -> Received:
        watch.attempts += 1
        slot, receiver = self._slots.take(outgoing.url), self._receiver(outgoing)
        failure: ProviderError | None = None
        received: Received | None = None
        try:
            received = _exchange(slot, outgoing, watch, receiver)
        except ProviderError as error:
            failure = error
        except Exception as exc:
            failure = _failure(exc, outgoing, watch)
        except BaseException:
            slot.close()
            raise
        if received is not None and not watch.broken_off:
            self._slots.give_back(slot)
        else:
            slot.close()
        return _raised_or(failure, received)

    async def _aattempt(self, outgoing: Outgoing, watch: Watch) -> Received:
        watch.attempts += 1
        slot, receiver = await self._slots.atake(outgoing.url), self._receiver(outgoing)
        failure: ProviderError | None = None
        received: Received | None = None
        try:
            received = await _aexchange(slot, outgoing, watch, receiver)
        except ProviderError as error:
            failure = error
        except Exception as exc:
            failure = _failure(exc, outgoing, watch)
        except BaseException:
            await slot.close()
            raise
        if received is not None:
            await self._slots.agive_back(slot)
        else:
            await slot.close()
        return _raised_or(failure, received)

    def _receiver(self, outgoing: Outgoing) -> Receiver:
        return Receiver(outgoing.assembler, self._max_reply_bytes, outgoing.secrets)


def _exchange(slot: Connection, outgoing: Outgoing, watch: Watch, receiver: Receiver) -> Received:
    with WATCHDOG.over(slot, watch):
        slot.exchange(outgoing, watch, receiver)
    return receiver.end()


async def _aexchange(slot: LoopConnection, outgoing: Outgoing, watch: Watch, receiver: Receiver) -> Received:
    async with asyncio.timeout(watch.deadline.remaining) as limit:
        with over_on_loop(limit, watch):
            await slot.exchange(outgoing, watch, receiver)
    return receiver.end()


def _failure(exc: Exception, outgoing: Outgoing, watch: Watch) -> ProviderError:
    """Return what a broken attempt means, without what broke: its frames hold what was sent."""
    import httpcore  # noqa: PLC0415  (costs start-up time that most runs need not spend)

    late = TimeoutError | httpcore.ReadTimeout | httpcore.WriteTimeout
    if watch.must_break or watch.broken_off or isinstance(exc, late):
        return watch.error()
    if isinstance(exc, httpcore.NetworkError | httpcore.ProtocolError | httpcore.ConnectTimeout | OSError):
        what = shown(redact(str(exc), outgoing.secrets)) or "the connection broke"
        return ProviderError(f"{type(exc).__name__}: {what}", kind="connection")
    return ProviderError(f"the reply could not be read ({type(exc).__name__})", kind="bad_reply")


def _raised_or(failure: ProviderError | None, received: Received | None) -> Received:
    # Raised outside the handlers, and without its own frames: they hold what was sent and what came back.
    if failure is not None:
        raise failure.with_traceback(None)
    if received is None:
        msg = "an attempt gave neither a reply nor an error"
        raise AssertionError(msg)
    return received
