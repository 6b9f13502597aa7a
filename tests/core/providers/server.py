"""A real HTTP server on loopback that answers as its script says, well or badly."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

JSON = "application/json"
EVENTS = "text/event-stream"
LINES = "application/x-ndjson"


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        body: A JSON value, or bytes sent as they are.
        status: HTTP status.
        headers: Further headers.
        kind: Content type; `None` for none.
        drip: Seconds between the bytes of the body; each is sent on its own.
        drip_head: Whether the head drips as well.
        reset: Whether the connection is reset instead.
        cut: Whether it is closed after the body, whose length was said to be larger.
        held: Whether the answer waits until the server closes.
        echo: Whether the body is the request's headers, as a reply of the OpenAI dialect.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = JSON
    drip: float = 0.0
    drip_head: bool = False
    reset: bool = False
    cut: bool = False
    held: bool = False
    echo: bool = False


@dataclass(frozen=True)
class Asked:
    """One request that came."""

    path: str
    headers: Mapping[str, str]
    body: Any
    connection: int


class Server:
    """Answers requests in the order of the script; the last answer repeats."""

    def __init__(self) -> None:
        self.script: deque[Answer] = deque()
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Handler(_Handler):
            server_of = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def answers(self, *answers: Answer) -> Self:
        """Add to the script."""
        self.script.extend(answers)
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, asked: Asked) -> Answer:
        """Remember a request and return the answer to it."""
        with self._lock:
            self.asked.append(asked)
            return self.script.popleft() if len(self.script) > 1 else self.script[0]

    @property
    def bodies(self) -> Sequence[Any]:
        """The bodies that came."""
        return [asked.body for asked in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes: the second would wait for the answer to the first, up to 40 ms.
    disable_nagle_algorithm = True
    server_of: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server_of.take(Asked(self.path, headers, body, self.client_address[1]))
        self._answer(answer, headers)

    def _answer(self, answer: Answer, headers: Mapping[str, str]) -> None:
        if answer.held:
            self.server_of.closing.wait()
        if answer.reset:
            self._reset()
            return
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        if answer.echo:
            body = json.dumps({"choices": [{"message": {"content": json.dumps(dict(headers))}}]}).encode()
        lines = [f"HTTP/1.1 {answer.status} Answer"]
        lines += [f"content-type: {answer.kind}"] if answer.kind else []
        lines += [f"content-length: {len(body) + (100 if answer.cut else 0)}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        self._write("\r\n".join([*lines, "", ""]).encode(), answer.drip if answer.drip_head else 0.0)
        self._write(body, answer.drip)
        if answer.cut:
            self.close_connection = True

    def _write(self, data: bytes, drip: float) -> None:
        if not drip:
            self.wfile.write(data)
            return
        for byte in data:
            self.wfile.write(bytes([byte]))
            if self.server_of.closing.wait(drip):
                return

    def _reset(self) -> None:
        # Closing with data unread, or with no time to linger, sends a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def handle(self) -> None:
        with suppress(OSError):  # the client had enough
            super().handle()

    def finish(self) -> None:
        with suppress(OSError, ValueError):  # the connection was reset
            super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name in http.server)
        """Say nothing."""


def events(*data: Any, names: bool = False) -> bytes:
    """Return server-sent events, one for each value; text is sent as it is."""
    blocks = []
    for value in data:
        text = value if isinstance(value, str) else json.dumps(value)
        name = f"event: {value['type']}\n" if names and isinstance(value, Mapping) else ""
        blocks.append(f"{name}data: {text}\n\n")
    return "".join(blocks).encode()


def lines(*data: Any) -> bytes:
    """Return JSON values, one on each line."""
    return "".join(json.dumps(value) + "\n" for value in data).encode()
