from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.outputs.preview import preview

ASTRONAUT = "👩\u200d🚀"


@pytest.mark.parametrize(
    "cluster",
    [
        ASTRONAUT,
        "👍🏽",
        "🏳\ufe0f\u200d🌈",
        "🇪🇸",
        "e\u0301\u0323",
        "👨\u200d👩\u200d👧\u200d👦",
        "\x1b",
        "\U000e0041",
        "\n",
    ],
)
@pytest.mark.parametrize("limit", [20, 21, 22, 23, 24, 25, 40, 255])
def test_a_long_text_is_cut_between_clusters_fits_and_says_so(cluster, limit):
    text = cluster * 300
    shown = preview(text, limit)
    body, mark = shown.split("… (")
    escaped = preview(cluster, 20)
    assert len(shown) <= limit
    assert mark == f"{len(text)} characters)"
    assert body == escaped * (len(body) // len(escaped))
    assert len(body) + len(escaped) + len("… (") + len(mark) > limit
    shown.encode()


def test_the_longest_text_that_fits_is_not_marked():
    assert preview("x" * 255, 255) == "x" * 255
    assert preview("x" * 256, 255).endswith("… (256 characters)")


def test_a_text_that_only_its_escapes_make_too_long_is_marked():
    assert preview("\x1b" * 10, 30) == r"\x1b\x1b\x1b… (10 characters)"


def test_a_cluster_that_does_not_fit_at_all_leaves_the_mark():
    assert preview("e" + "\u0301" * 500, 100) == "… (501 characters)"


def test_a_limit_below_the_mark_leaves_room_for_an_ellipsis():
    assert preview("abcdefgh", 3) == "ab…"


@given(st.text(st.characters(exclude_categories=())), st.integers(1, 60))
def test_whatever_the_text_it_fits_and_is_marked_only_when_shortened(text, limit):
    shown = preview(text, limit)
    assert len(shown) <= limit
    shown.encode()
    if len(text) > limit:
        assert "…" in shown
