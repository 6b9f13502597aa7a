"""Messages between processes: each is a length and so many bytes of text."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_LENGTH = struct.Struct("!Q")


def framed(text: str) -> bytes:
    """Return a message as bytes."""
    body = text.encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


class FrameReader:
    """Puts messages together again from what arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take what arrived."""
        self._buffer += data

    @property
    def begun(self) -> bool:
        """Whether a part of a message is there."""
        return bool(self._buffer)

    def messages(self) -> Iterator[str]:
        """Yield the messages that are complete, each once."""
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield body.decode("utf-8", "surrogatepass")
