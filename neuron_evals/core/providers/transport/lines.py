"""Streams as lines: server-sent events, or a JSON value on each line."""

from __future__ import annotations

from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"


class LineReader:
    """Cuts a stream into the texts that hold one JSON value each.

    A byte order mark at its beginning is passed over. Lines of events may also end in a lone carriage return, as their
    standard has it; in plain lines that is a blank of JSON.

    Args:
        events: Whether it consists of server-sent events, of which the `data` is returned; else of plain lines.
    """

    def __init__(self, *, events: bool) -> None:
        self._events = events
        self._rest = bytearray()
        self._data: list[bytes] = []
        self._begun = False
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what `chunk` completes."""
        if self._events:
            chunk = self._with_newlines(chunk)
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

    def _with_newlines(self, chunk: bytes) -> bytes:
        """Return the chunk with every line end as a newline; a pair of them may lie across two chunks."""
        if self._after_return:
            chunk, self._after_return = chunk.removeprefix(b"\n"), not chunk
        if b"\r" not in chunk:
            return chunk
        self._after_return = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take(self, line: bytes) -> Iterator[bytes]:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BOM)
        if not self._events:
            if line.strip():
                yield line
        elif line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data)
            self._data.clear()
