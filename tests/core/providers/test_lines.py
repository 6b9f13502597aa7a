"""Streams, cut anywhere, give the same lines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.providers.transport.lines import LineReader

EVENTS = b': comment\n\ndata: {"a": 1}\n\nevent: x\r\ndata:{"b":\r\ndata: 2}\r\n\r\nid: 3\n\ndata: last'
EVENT_TEXTS = [b'{"a": 1}', b'{"b":\n2}', b"last"]
RETURNS = b"\xef\xbb\xbfdata: 1\r\rdata: 2\rdata: 3\r\n\r\ndata: 4\n\ndata: 5\r\n\rdata: 6\r\r\n"
RETURN_TEXTS = [b"1", b"2\n3", b"4", b"5", b"6"]
LINES = b'{"a": 1}\r\n\n  \n{"b": 2}\n{"c": 3}'
MARKED = b'\xef\xbb\xbf{"a":\r1}\n{"b": 2}\n'
MARKED_TEXTS = [b'{"a":\r1}', b'{"b": 2}']
LINE_TEXTS = [b'{"a": 1}', b'{"b": 2}', b'{"c": 3}']


@pytest.mark.parametrize(
    ("stream", "texts", "events"),
    [
        (EVENTS, EVENT_TEXTS, True),
        (RETURNS, RETURN_TEXTS, True),
        (LINES, LINE_TEXTS, False),
        (MARKED, MARKED_TEXTS, False),
    ],
    ids=["events", "events with returns", "lines", "lines with a mark"],
)
@given(cuts=st.lists(st.integers(0, 100), max_size=20))
def test_any_cut__same_texts(stream, texts, events, cuts):
    reader = LineReader(events=events)
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    found = [text for start, end in pairwise(places) for text in reader.feed(stream[start:end])]
    assert [*found, *reader.end()] == texts


def test_event_that_ends_in_returns__read_before_the_next_one_comes():
    assert [*LineReader(events=True).feed(b"data: 1\r\r")] == [b"1"]
