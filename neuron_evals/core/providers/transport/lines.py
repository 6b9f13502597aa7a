"""Streams as lines: server-sent events, or a JSON value on each line."""

from __future__ import annotations

from collections.abc import Iterator


class LineReader:
    """Cuts a stream into the texts that hold one JSON value each.

    Args:
        events: Whether it consists of server-sent events, of which the `data` is returned; else of plain lines.
    """

    def __init__(self, *, events: bool) -> None:
        self._events = events
        self._rest = bytearray()
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what `chunk` completes."""
        before = len(self._rest)
        self._rest += chunk
        if self._rest.find(b"\n", before) < 0:
            return
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest
        for line in lines:
            yield from self._take(bytes(line.removesuffix(b"\r")))

    def end(self) -> Iterator[bytes]:
        """Yield what the end of the stream completes: servers leave out the last line end."""
        yield from self._take(bytes(self._rest.removesuffix(b"\r")))
        yield from self._take(b"")

    def _take(self, line: bytes) -> Iterator[bytes]:
        if not self._events:
            if line.strip():
                yield line
        elif line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data)
            self._data.clear()
