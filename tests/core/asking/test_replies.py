from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.asking.replies import without_thoughts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello", "Hello"),
        ("<think>He is rude.</think>\n\nHello", "Hello"),
        ("He is rude.</think>Hello", "Hello"),
        ("<THINK>a <think>b</think> c</THINK>Hello", "Hello"),
        ("Hello<think>rude</think> there", "Hello there"),
        ("<think>He is rude and I", ""),
        (" \n<think>He is rude and I", ""),
        ("Models write <think> first", "Models write <think> first"),
        ("<think>a</think>", ""),
        ("", ""),
    ],
)
def test_text_with_thoughts__keeps_what_was_said(text, said):
    assert without_thoughts(text) == said


PLAIN = st.text(st.characters(exclude_characters="<"))


@given(PLAIN, PLAIN)
def test_any_closed_thoughts__left_out_whole(thought, said):
    assert without_thoughts(f"<think>{thought}</think>{said}") == said.strip()
