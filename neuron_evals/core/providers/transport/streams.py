"""Bytes over sockets and asyncio's streams, in the form in which httpcore takes them.

Its own streams will not do: the blocking ones hide a socket while it shakes hands for TLS, so that nothing can break it
off, and those for event loops go through another library, which takes time in each call.
"""

from __future__ import annotations

import asyncio
import ipaddress
import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import HasFileno

_CHUNK = 16_384
"""How much is read at once: each blocking call that waits holds so much memory."""

_NEXT_ADDRESS_SECONDS = 0.25
"""When to try the next address of a host, such as its IPv4 one, beside one that does not answer; as RFC 8305 has it."""


class Sockets(httpcore.NetworkBackend):
    """Makes the connection of a slot.

    Attributes:
        socket: What it goes over, from the moment that there is one; `None` before.
        reads: How often something was read.
    """

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.reads = 0

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect; called by httpcore."""
        del local_address, socket_options  # we give none
        with _connecting(timeout):
            self.socket = socket.create_connection((host, port), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _SocketStream(self, self.socket)


class _SocketStream(httpcore.NetworkStream):
    def __init__(self, owner: Sockets, connected: socket.socket) -> None:
        self._owner = owner
        self._socket = connected
        self._unsent = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._owner.reads += 1
        with _reading():
            if self._socket.gettimeout() != timeout:  # a system call, also when nothing changes
                self._socket.settimeout(timeout)
            unsent, self._unsent = self._unsent, b""
            # A server may refuse a call before it has read all of it: its answer says more than the broken connection.
            if unsent:
                with suppress(ConnectionError, ssl.SSLError):
                    self._socket.sendall(unsent)
            return self._socket.recv(min(max_bytes, _CHUNK))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # Sent before the next read: head and body in one, as each piece on its own costs a system call and a wait.
        del timeout
        self._unsent += buffer

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        with _connecting(timeout):
            try:
                self._socket.settimeout(timeout)
                secure = ssl_context.wrap_socket(
                    self._socket, server_hostname=server_hostname, do_handshake_on_connect=False
                )
                # Known to the owner before hands are shaken, so that the watchdog can break that off.
                self._socket = self._owner.socket = secure
                secure.do_handshake()
            except BaseException:
                self._socket.close()
                raise
        return self

    def get_extra_info(self, info: str) -> Any:
        return _is_readable(self._socket) if info == "is_readable" else None


class LoopStreams(httpcore.AsyncNetworkBackend):
    """Makes the connection of a slot in an event loop.

    Attributes:
        reads: How often something was read.
    """

    def __init__(self) -> None:
        self.reads = 0

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore's)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect; called by httpcore."""
        del local_address, socket_options  # we give none
        options: dict[str, Any] = {}
        # Other loops, such as uvloop's, know only one address after the other.
        if not _is_numeric(host) and isinstance(asyncio.get_running_loop(), asyncio.BaseEventLoop):
            options["happy_eyeballs_delay"] = _NEXT_ADDRESS_SECONDS
        with _connecting(timeout):
            async with asyncio.timeout(timeout):
                reader, writer = await asyncio.open_connection(host, port, **options)
        return _LoopStream(self, reader, writer)


class _LoopStream(httpcore.AsyncNetworkStream):
    """Its reads and writes have no time limit of their own: whoever calls ends them in time."""

    def __init__(self, owner: LoopStreams, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._owner = owner
        self._reader = reader
        self._writer = writer
        self._unsent = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (httpcore's)
        del timeout
        self._owner.reads += 1
        unsent, self._unsent = self._unsent, b""
        with _reading():
            if unsent:
                self._writer.write(unsent)
                with suppress(ConnectionError):  # as above
                    await self._writer.drain()
            return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  (httpcore's)
        del timeout
        self._unsent += buffer

    async def aclose(self) -> None:
        self._writer.close()
        try:
            # Lets the loop close the socket, and a TLS connection say that this is its end.
            await asyncio.sleep(0)
        finally:
            self._writer.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore's)
    ) -> httpcore.AsyncNetworkStream:
        try:
            with _connecting(timeout):
                async with asyncio.timeout(timeout):
                    await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except BaseException:
            self._writer.transport.abort()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._is_readable() if info == "is_readable" else None

    def _is_readable(self) -> bool:
        if _is_readable(self._writer.get_extra_info("socket")):
            return True  # and the loop has not come to it yet
        # The first step of a read gives what there is, or waits: the only way to ask a reader.
        step = self._reader.read(1)
        try:
            step.send(None)
        except (StopIteration, OSError):
            return True
        finally:
            step.close()
        return False


@contextmanager
def _connecting(seconds: float | None) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        msg = f"no connection within {seconds:.3g} s"
        raise httpcore.ConnectTimeout(msg) from None
    except OSError as exc:
        raise httpcore.ConnectError(str(exc)) from exc


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except TimeoutError as exc:
        raise httpcore.ReadTimeout(str(exc)) from exc
    except OSError as exc:
        raise httpcore.ReadError(str(exc)) from exc


def _is_readable(connected: HasFileno) -> bool:
    with suppress(AttributeError):  # there is no poll on Windows
        poll = select.poll()
        poll.register(connected, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([connected], [], [], 0)[0])


def _is_numeric(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
