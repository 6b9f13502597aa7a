"""What comes back over the wire, chunk by chunk, with its limits; the same for blocking and async calls."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from neuron_evals.core.providers.errors import ProviderError
from neuron_evals.core.providers.keys import redact, redact_bytes, redact_json
from neuron_evals.core.providers.transport.failures import error_in_body, error_of_status, shown
from neuron_evals.core.providers.transport.lines import LineReader
from neuron_evals.core.providers.transport.retry import retry_after

MAX_ERROR_BYTES = 65_536
"""How much of an error's body is read."""

MAX_RAW_CHARACTERS = 20_000
"""How much of a reply is kept as it came."""

_LAST_EVENT = b"[DONE]"
_OK = 200
_REDIRECTS = range(300, 400)


class Assembler(Protocol):
    """Puts a streamed reply together, so that it has the form of one that was not streamed."""

    @property
    def complete(self) -> bool:
        """Whether the reply came to its end."""

    def feed(self, event: Mapping[str, Any]) -> bool:
        """Take one event; return whether it brought a part of the reply."""

    def result(self) -> Mapping[str, Any]:
        """Return the reply."""


@dataclass(frozen=True, slots=True)
class Received:
    """A reply.

    Attributes:
        data: The JSON object.
        raw: The same, or its beginning when it is long.
        duration: Seconds from sending to the end.
        first_token: Seconds from sending to the first part of the reply; `None` when it was not streamed.
    """

    data: Mapping[str, Any]
    raw: Mapping[str, Any]
    duration: float
    first_token: float | None


class Receiver:
    """Takes one answer: `begin` with its head, `feed` with each chunk, `end` when there is no more.

    Args:
        assembler: Makes what puts a streamed reply together; `None` when none was asked for.
        max_bytes: Largest body, in bytes as they come.
        secrets: What must not be kept, should the server send it back.
    """

    def __init__(self, assembler: Callable[[], Assembler] | None, max_bytes: int, secrets: Iterable[str]) -> None:
        self._make = assembler
        self._max_bytes = max_bytes
        self._secrets = tuple(secrets)
        self._started = time.perf_counter()
        self._status = 0
        self._headers: Mapping[str, str] = {}
        self._body = bytearray()
        self._size = 0
        self._lines: LineReader | None = None
        self._assembler: Assembler | None = None
        self._first_token: float | None = None
        self._said_last = False

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Take status and headers (names in lower case).

        Raises:
            ProviderError: It is nothing that can be read: compressed, a redirect, or of another type than JSON.
        """
        self._status, self._headers = status, headers
        encoding = redact(headers.get("content-encoding", "identity"), self._secrets).strip().lower()
        if encoding not in ("", "identity"):
            self._refuse(f"answered with the encoding {shown(encoding)}, which was not asked for")
        if status in _REDIRECTS:
            self._refuse("answered with a redirect, which is not followed; base_url should be the final address")
        if status != _OK:
            return
        kind = redact(headers.get("content-type", ""), self._secrets).partition(";")[0].strip().lower()
        if self._make is not None and kind in ("text/event-stream", "application/x-ndjson", "application/jsonl"):
            self._lines = LineReader(events=kind == "text/event-stream")
            self._assembler = self._make()
        elif kind not in ("", "application/json") and not kind.endswith("+json"):
            self._refuse(f"answered with {shown(kind)} where JSON was expected; is base_url right?")

    def feed(self, chunk: bytes) -> bool:
        """Take a chunk of the body; return whether more is wanted.

        Raises:
            ProviderError: The body is too large, or the stream says that something broke.
        """
        self._size += len(chunk)
        if self._status != _OK:
            self._body += chunk[: MAX_ERROR_BYTES - len(self._body)]
            return len(self._body) < MAX_ERROR_BYTES
        if self._size > self._max_bytes:
            message = f"the reply is larger than {self._max_bytes:,} bytes (option max_reply_bytes)"
            raise ProviderError(message, kind="too_large", status=self._status)
        if self._lines is None or self._assembler is None:
            self._body += chunk
            return True
        for line in self._lines.feed(chunk):
            if not self._is_no_event(line):
                self._take(self._parsed(line), self._assembler)
        return True

    def end(self) -> Received:
        """Return the reply.

        Raises:
            ProviderError: It is an error, or no JSON object.
        """
        duration = time.perf_counter() - self._started
        if self._status != _OK:
            body = redact_bytes(bytes(self._body), self._secrets)
            raise error_of_status(self._status, body, _object(body, self._secrets), retry_after(self._headers))
        if self._lines is None or self._assembler is None:
            data = self._parsed(bytes(self._body))
            failure = error_in_body(data, self._status)
            if failure is not None:
                raise failure
        else:
            for line in self._lines.end():
                # What is left may be half a line.
                if not self._is_no_event(line) and (event := _object(line, self._secrets)) is not None:
                    self._take(event, self._assembler)
            if not self._assembler.complete and not (self._said_last and self._first_token is not None):
                msg = "the stream ended before the reply did"
                raise ProviderError(msg, kind="connection", status=self._status)
            # Once more for the whole: one part of the stream may hold half a key.
            data = redact_json(self._assembler.result(), self._secrets)
        return Received(data, _bounded(data), duration, self._first_token)

    def _is_no_event(self, line: bytes) -> bool:
        """Return whether a line holds nothing, or says that it is the last: many servers end in no other way."""
        said = line.strip()
        self._said_last = self._said_last or said == _LAST_EVENT
        return said in (b"", _LAST_EVENT)

    def _take(self, event: Mapping[str, Any], assembler: Assembler) -> None:
        failure = error_in_body(event, self._status)
        if failure is not None:
            raise failure
        if assembler.feed(event) and self._first_token is None:
            self._first_token = time.perf_counter() - self._started

    def _parsed(self, body: bytes) -> Mapping[str, Any]:
        data = _object(body, self._secrets)
        if data is None:
            what = shown(redact_bytes(body, self._secrets))
            self._refuse(f"answered with something that is no JSON object: {what}")
        return data

    def _refuse(self, what: str) -> NoReturn:
        raise ProviderError(what, kind="bad_reply", status=self._status)


def _object(body: bytes, secrets: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        data = json.loads(redact_bytes(body, secrets).decode("utf-8-sig"))
        if b"\\" in body:
            data = redact_json(data, secrets)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _bounded(data: Mapping[str, Any]) -> Mapping[str, Any]:
    text = json.dumps(data)
    return data if len(text) <= MAX_RAW_CHARACTERS else {"truncated": text[:MAX_RAW_CHARACTERS]}
