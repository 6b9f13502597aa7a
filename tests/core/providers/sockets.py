"""A server of bytes on loopback, plain or with TLS, that answers each call as its script says."""

from __future__ import annotations

import socket
import ssl
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Self

CERTIFICATE = Path(__file__).parent / "loopback.pem"
"""Signed by itself, for 127.0.0.1 and no name, until 2126; it is good for nothing but these tests."""


def trusting() -> ssl.SSLContext:
    """Return a context that trusts the server."""
    return ssl.create_default_context(cafile=CERTIFICATE)


class ByteServer:
    """Answers one call after another over each connection; `None` in the script closes the connection instead.

    Args:
        script: What to send back for each call.
        tls: Whether the connections are encrypted.
        closes: Whether a connection is closed after each answer, without saying so.
        mute: Whether it neither answers nor shakes hands.
    """

    def __init__(self, *script: bytes | None, tls: bool = False, closes: bool = False, mute: bool = False) -> None:
        self.script = deque(script)
        self.calls: list[bytes] = []
        self.connections = 0
        self.called, self.closed = threading.Semaphore(0), threading.Semaphore(0)
        self._closes, self._mute = closes, mute
        self._context: ssl.SSLContext | None = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(CERTIFICATE)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *exc: object) -> None:
        for connected in [self._listener, *self._open]:
            with suppress(OSError):
                socket.socket.shutdown(connected, socket.SHUT_RDWR)
            connected.close()
        for thread in list(self._threads):
            thread.join()

    def push(self, data: bytes) -> None:
        """Send over the newest connection what nobody asked for."""
        self._open[-1].sendall(data)

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connected)
            thread = threading.Thread(target=self._serve, args=(connected,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connected: socket.socket) -> None:
        if self._mute:
            return
        with suppress(OSError):
            if self._context is not None:
                connected = self._context.wrap_socket(connected, server_side=True)
                self._open.append(connected)
            while (call := _call_from(connected)) is not None:
                self.calls.append(call)
                self.called.release()
                answer = self.script.popleft() if len(self.script) > 1 else self.script[0]
                if answer is not None:
                    connected.sendall(answer)
                if answer is None or self._closes:
                    break
        connected.close()
        self.closed.release()


def _call_from(connected: socket.socket) -> bytes | None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += (got := connected.recv(65_536))
        if not got:
            return None
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connected.recv(65_536)
    return data
