from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.bounds import MAX_NAME
from neuron_evals.core.printable import name_fault, printable
from tests.core.outputs.factories import HOSTILE

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\x9bb\x85c\xadd", r"a\x9bb\x85c\xadd"),
        ("a\x7fb\x00c\x08", r"a\x7fb\x00c\x08"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("a\u202eb\u2066c\u200ed\u061ce", r"a\u202eb\u2066c\u200ed\u061ce"),
        ("a\u200bb\ufeffc\u2060d\u2028e\u2029", r"a\u200bb\ufeffc\u2060d\u2028e\u2029"),
        ("a\ud83db", r"a\ud83db"),
        ("a\U000e0041b", r"a\U000e0041b"),
        ("pass\u200dword \u200c", r"pass\u200dword \u200c"),
    ],
)
def test_what_controls_or_hides_becomes_a_visible_escape(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain text, 100 %",
        "café naïve",
        "e\u0301",
        "こんにちは 你好 \u3000",
        "العربية",
        "می\u200cخواهم",  # noqa: RUF001  (Persian needs its joiner)
        "👩\u200d🚀 👍🏽 🏳\ufe0f\u200d🌈",
        r"C:\temp\x1b.txt",
        "[bold]x[/] :smile:",
    ],
)
def test_text_of_any_language_stays_as_it_is(text):
    assert printable(text) == text


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("multiline", [False, True])
def test_nothing_hostile_is_left(text, multiline):
    shown = printable(text, multiline=multiline)
    assert shown.replace("\n", "").replace("\t", "").isprintable()
    assert multiline or "\n" not in shown


def test_several_lines_keep_newlines_and_tabs_only():
    assert printable("a\tb\r\nc\x1b", multiline=True) == "a\tb\\r\nc\\x1b"


@given(ANY_TEXT)
def test_showing_twice_changes_nothing_and_can_be_written_as_utf8(text):
    shown = printable(text)
    assert printable(shown) == shown
    assert "\n" not in shown
    assert "\x1b" not in shown
    shown.encode()


@pytest.mark.parametrize(
    "name", ["Smoke tests", "评估 \u3000 Ça va?", "👩\u200d🚀 \u0645\u0647\u200c\u06cc", "a" * MAX_NAME]
)
def test_name_of_one_printable_line__is_one(name):
    assert name_fault(name) == ""


@pytest.mark.parametrize(
    "name", ["", " \t", "a\nb", "\x1b[31mred", "a\u202eb", "a\u200bb", "a\x00", "\ud800", "\ufeffa"]
)
def test_name_that_could_drive_a_terminal_or_says_nothing__is_none(name):
    assert name_fault(name)


def test_name_that_is_too_long__says_how_long_it_may_be():
    assert name_fault("a" * (MAX_NAME + 1)) == "must have at most 200 characters, got 201"
