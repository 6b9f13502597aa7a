from __future__ import annotations

import io

import pytest

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.outputs.streams import flush, write_text
from tests.core.outputs.factories import ClosedPipe


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("ascii", b"caf\\xe9 \\u2026 \\U0001f680"),
        ("latin-1", b"caf\xe9 \\u2026 \\U0001f680"),
        ("cp1252", b"caf\xe9 \x85 \\U0001f680"),
        ("utf-8", "café … 🚀".encode()),
    ],
)
def test_a_character_the_encoding_lacks_is_escaped(encoding, written):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write_text(stream, "café … 🚀")
    flush(stream)
    assert raw.getvalue() == written


def test_a_lone_surrogate_is_escaped_too():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    write_text(stream, "a\ud83db")
    flush(stream)
    assert raw.getvalue() == b"a\\ud83db"


def test_a_closed_pipe_is_an_output_error():
    with pytest.raises(OutputError, match="closed the pipe"):
        write_text(ClosedPipe(), "x")


def test_a_pipe_found_closed_when_flushing_is_an_output_error():
    class Buffered(io.StringIO):
        def flush(self):
            raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(OutputError, match="closed the pipe"):
        flush(Buffered())
