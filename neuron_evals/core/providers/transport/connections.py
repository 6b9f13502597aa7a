"""Connections, each for one call at a time: blocking ones, and those of an event loop.

Each is a connection of httpcore, the engine of httpx, without the pool around it and without the requests and responses
of httpx, which take a third of the time of many calls at once. It follows no redirects, keeps no cookies, decodes
nothing, and logs nothing that was sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpcore

from neuron_evals.core.providers.transport.streams import LoopStreams, Sockets
from neuron_evals.core.providers.transport.targets import Target, target_of, tls_for

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable

    from neuron_evals.core.providers.transport.receiving import Receiver
    from neuron_evals.core.providers.transport.sending import Outgoing
    from neuron_evals.core.providers.transport.watch import Watch

IDLE_SECONDS = 30.0
"""How long an unused connection is used again."""

CONNECT_SECONDS = 10.0
"""How long making a connection may take."""


class Connection:
    """A connection for blocking calls; made when there is need."""

    def __init__(self) -> None:
        self._sockets = Sockets()
        self._http: httpcore.HTTPConnection | None = None

    @property
    def socket(self) -> socket.socket | None:
        """Its socket; `None` before the first connection."""
        return self._sockets.socket

    def exchange(self, outgoing: Outgoing, watch: Watch, receiver: Receiver) -> None:
        """Send a call and hand on what comes back, until it is complete.

        Raises:
            httpcore.TimeoutException: Nothing came before the deadline, or no connection was made in time.
            httpcore.NetworkError: The connection broke.
            httpcore.ProtocolError: What comes back is no HTTP.
            ProviderError: The receiver refuses what comes back.
        """
        target = target_of(outgoing.url)
        http, reads = self._connected(target), self._sockets.reads
        response = http.handle_request(_request(target, outgoing, watch))
        try:
            _refuse_unasked(self._sockets.reads - reads)
            receiver.begin(response.status, _as_text(response.headers))
            for chunk in response.iter_stream():
                if not receiver.feed(chunk):
                    break
        finally:
            response.close()

    def close(self) -> None:
        """Close it; the next call makes it anew."""
        http, self._http = self._http, None
        if http is not None:
            http.close()

    def _connected(self, target: Target) -> httpcore.HTTPConnection:
        if self._http is not None and _is_fresh(self._http, target):
            return self._http
        self.close()
        self._sockets = Sockets()
        self._http = httpcore.HTTPConnection(
            target.origin,
            tls_for(target.origin),
            keepalive_expiry=IDLE_SECONDS,
            network_backend=self._sockets,
        )
        return self._http


class LoopConnection:
    """A connection for calls in one event loop; made when there is need."""

    def __init__(self) -> None:
        self._streams = LoopStreams()
        self._http: httpcore.AsyncHTTPConnection | None = None

    async def exchange(self, outgoing: Outgoing, watch: Watch, receiver: Receiver) -> None:
        """Send a call and hand on what comes back; like that of `Connection`, but whoever calls ends it in time."""
        target = target_of(outgoing.url)
        http, reads = await self._connected(target), self._streams.reads
        response = await http.handle_async_request(_request(target, outgoing, watch))
        try:
            _refuse_unasked(self._streams.reads - reads)
            receiver.begin(response.status, _as_text(response.headers))
            async for chunk in response.aiter_stream():
                if not receiver.feed(chunk):
                    break
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close it; the next call makes it anew."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def _connected(self, target: Target) -> httpcore.AsyncHTTPConnection:
        if self._http is not None and _is_fresh(self._http, target):
            return self._http
        await self.close()
        self._http = httpcore.AsyncHTTPConnection(
            target.origin,
            tls_for(target.origin),
            keepalive_expiry=IDLE_SECONDS,
            network_backend=self._streams,
        )
        return self._http


def _is_fresh(http: httpcore.HTTPConnection | httpcore.AsyncHTTPConnection, target: Target) -> bool:
    """Return whether a connection can be used again."""
    return http.can_handle_request(target.origin) and http.is_available() and not http.has_expired()


def _request(target: Target, outgoing: Outgoing, watch: Watch) -> httpcore.Request:
    left = max(0.001, watch.deadline.remaining)
    timeouts = {"connect": min(CONNECT_SECONDS, left), "read": left, "write": left}
    own = {"host": target.authority.decode("ascii"), "content-length": str(len(outgoing.content))}
    return httpcore.Request(
        "POST",
        target.url,
        headers=[*(own | dict(outgoing.headers)).items()],
        content=outgoing.content,
        extensions={"timeout": timeouts},
    )


def _refuse_unasked(reads: int) -> None:
    if not reads:
        # It came with the answer to the call before, and would be taken for the one to this call.
        msg = "the server answered before it was asked"
        raise httpcore.RemoteProtocolError(msg)


def _as_text(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by their names in lower case; what is given twice is one list, as HTTP has it."""
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("ascii").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found
