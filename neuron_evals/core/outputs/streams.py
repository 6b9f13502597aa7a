"""Writing text to a stream that may not take every character, or may be gone."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from neuron_evals.core.exceptions import OutputError

_STANDARD = {1, 2}


def write_text(stream: TextIO, text: str) -> None:
    """Write, with an escape for each character that the stream's encoding does not have.

    Raises:
        OutputError: The reader has closed the pipe.
    """
    try:
        stream.write(encodable(text, stream))
    except BrokenPipeError:
        raise closed(stream) from None


def flush(stream: TextIO) -> None:
    """Send what the stream has buffered.

    Raises:
        OutputError: The reader has closed the pipe.
    """
    try:
        stream.flush()
    except BrokenPipeError:
        raise closed(stream) from None


def encodable(text: str, stream: TextIO) -> str:
    """Return a text with an escape for each character that the stream's encoding does not have."""
    encoding = getattr(stream, "encoding", None)
    if not encoding or text.isascii():
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def closed(stream: TextIO) -> OutputError:
    """Return the error of a stream whose reader has closed the pipe, and let go of the pipe."""
    # Python flushes standard streams once more at exit and would complain about the same pipe with a traceback.
    with suppress(OSError, ValueError):
        descriptor = stream.fileno()
        if descriptor in _STANDARD:
            with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
                os.dup2(nowhere.fileno(), descriptor)
    return OutputError("the reader closed the pipe before everything was written")
