from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import clean_text

any_text = st.text(alphabet=st.characters(exclude_categories=()))


class Shouting(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError

    def isascii(self) -> bool:
        raise RuntimeError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("hours: 9 to 5\r\n\t", "hours: 9 to 5\r\n\t"),
        ("a\x00b", "a\u2400b"),
        ("a\ud83d", "a\ufffd"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        ("\u001b[31m", "\u001b[31m"),
        ("e\u0301 \u00e9 \u4f60\u597d \U0001f600", "e\u0301 \u00e9 \u4f60\u597d \U0001f600"),
        (Shouting("ok"), "ok"),
    ],
)
def test_only_what_cannot_be_stored_is_replaced(text, expected):
    cleaned = clean_text(text)
    assert cleaned == expected
    assert type(cleaned) is str


@given(any_text)
def test_cleaned_text_is_storable_and_cleaning_it_again_changes_nothing(text):
    cleaned = clean_text(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert clean_text(cleaned) == cleaned


@given(any_text.map(lambda text: text * 7), st.integers(80, 200))
def test_a_limit_holds_and_cutting_again_changes_nothing(text, limit):
    shortened = clean_text(text, limit)
    assert len(shortened) <= limit
    assert clean_text(shortened, limit) == shortened
    assert (shortened == clean_text(text)) == (len(clean_text(text)) <= limit)


def test_a_shortened_text_states_its_length_and_digest():
    text = "x" * 1000
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    marker = f"\u2026 [shortened: 1000 characters, sha256 {digest}]"
    assert clean_text(text, 100) == "x" * (100 - len(marker)) + marker


@pytest.mark.parametrize("cluster", ["e\u0301\u0323", "\U0001f469\u200d\U0001f52c", "\u2764\ufe0f"])
def test_a_cut_does_not_part_a_letter_from_its_accents_or_an_emoji_from_its_parts(cluster):
    for lead in range(len(cluster)):
        kept, _, _ = clean_text("x" * lead + cluster * 100, 100).partition("\u2026")
        assert kept == "x" * lead + cluster * ((len(kept) - lead) // len(cluster))


def test_endless_accents_are_cut_all_the_same():
    assert len(clean_text("e" + "\u0301" * 1000, 100)) == 100


@pytest.mark.parametrize("limit", [79, 0, -1])
def test_a_limit_without_room_for_the_marker_is_refused(limit):
    with pytest.raises(InvalidArgument, match="at least 80"):
        clean_text("x", limit)
