"""What a row keeps of large texts and JSON."""

from __future__ import annotations

import json

import pytest
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.models.sizes import cut_json, cut_text, json_bytes

LIMIT = 1_000
LETTERS = st.sampled_from(["a", '"', "\\", "é", "\u0301", "🍣", "\x00", "\ud800", "\n", "\x1f"])
TEXTS = st.builds(lambda unit, times: unit * times, st.text(LETTERS, max_size=8), st.integers(0, 400))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=60) | st.dictionaries(TEXTS, inner, max_size=12),
    max_leaves=60,
)


@settings(deadline=None)
@given(TEXTS)
def test_cut_text__any__fits_and_says_whether_it_was_cut(text):
    kept, cut = cut_text(text, LIMIT)
    assert len(kept.encode()) <= LIMIT
    assert cut is (len(clean_text(text).encode()) > LIMIT)
    assert (kept == clean_text(text)) is not cut
    assert cut_text(kept, LIMIT) == (kept, False)


def test_cut_text__too_long__keeps_its_beginning_and_ends_in_a_mark():
    kept, cut = cut_text("begin" + "x" * 5_000, LIMIT)
    assert cut
    assert kept.startswith("beginxxx")
    assert "[shortened: 5005 characters, sha256 " in kept
    assert len(kept) > LIMIT - 20


def test_cut_text__many_bytes_a_character__is_measured_in_bytes():
    kept, cut = cut_text("🍣" * 600, LIMIT)
    assert cut
    assert kept.startswith("🍣" * 100)
    assert 800 < len(kept.encode()) <= LIMIT


@settings(deadline=None)
@given(VALUES)
def test_cut_json__any__fits_is_clean_and_of_the_same_kind(value):
    cleaned = clean_json(value)
    kept, cut = cut_json(value, LIMIT)
    assert json_bytes(kept) <= LIMIT
    assert cut is (json_bytes(cleaned) > LIMIT)
    assert (kept == cleaned) is not cut
    assert type(kept) is type(cleaned)
    assert clean_json(kept) == kept
    assert cut_json(kept, LIMIT) == (kept, False)


def test_cut_json__one_long_text__leaves_the_others_whole():
    value = {"question": "hours?", "page": "x" * 9_000, "turns": [{"role": "user", "content": "9 to 5?"}]}
    kept, cut = cut_json(value, LIMIT)
    assert cut
    assert {**kept, "page": ""} == {**value, "page": ""}
    assert "[shortened: 9000 characters" in kept["page"]


def test_cut_json__long_texts__share_the_place():
    kept, _ = cut_json([{"content": "x" * size} for size in (3_000, 50, 3_000)], LIMIT)
    first, second, third = (len(message["content"]) for message in kept)
    assert second == 50
    assert abs(first - third) < 5
    assert first > 300


def test_cut_json__too_many_members__the_last_are_left_out_with_a_mark():
    kept, cut = cut_json(list(range(10_000)), LIMIT)
    assert cut
    assert kept[:3] == [0, 1, 2]
    assert kept[-1] == f"[cut: {10_001 - len(kept)} more values]"
    kept, _ = cut_json({f"key {number}": number for number in range(10_000)}, LIMIT)
    assert kept["key 0"] == 0
    assert kept["[cut]"] == f"{10_001 - len(kept)} more keys"


def test_cut_json__long_keys__stay_apart():
    value = {"k" * 5_000 + str(number): number for number in range(3)}
    kept, _ = cut_json(value, LIMIT)
    assert list(kept.values()) == [0, 1, 2]
    assert all(key.startswith("[key of 5001 characters, sha256 ") for key in kept)


@pytest.mark.parametrize("value", ["y" * 20_000_000, [["y" * 100_000] * 3] * 70, {"a": {"b": ["🍣" * 2_000_000]}}])
def test_cut_json__megabytes__fits(value):
    kept, cut = cut_json(value)
    assert cut
    assert len(json.dumps(kept)) <= 262_144


def test_limit__by_default_that_of_the_settings():
    with override_settings(NEURON_EVALS={"LIMITS": {"STORED_BYTES": 5_000}}):
        assert len(cut_text("x" * 9_000)[0]) <= 5_000
        assert 4_000 < json_bytes(cut_json("x" * 9_000)[0]) <= 5_000


@pytest.mark.parametrize("cut", [cut_text, cut_json])
def test_limit__too_small_for_marks__refused(cut):
    with pytest.raises(InvalidArgument, match="the limit is 1000 bytes or more, got 999"):
        cut("", 999)
