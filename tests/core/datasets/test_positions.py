from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.datasets.positions import Positions


@given(st.lists(st.tuples(st.integers(1, 3), st.text(max_size=2)), max_size=200))
def test_a_text_is_known_at_its_first_position_whatever_is_left_out_between(steps):
    positions, position = Positions(), -1
    first: dict[str, int] = {}
    for step, text in steps:
        position += step
        assert positions.note(text, position) == first.get(text)
        first.setdefault(text, position)


def test_many_texts_are_all_known_at_their_positions():
    positions = Positions()
    many = range(300_000)
    assert all(positions.note(f"text {number}", number) is None for number in many)
    assert all(positions.note(f"text {number}", len(many)) == number for number in many)


@pytest.mark.parametrize("remainder", [0, 2**32, -1])
def test_texts_whose_hashes_meet_in_one_slot_are_told_apart(remainder):
    class Colliding(str):
        __slots__ = ()

        def __hash__(self):
            return int(self) * 3 * 2**40 + remainder

    positions = Positions()
    assert [positions.note(Colliding(number), number) for number in range(1, 1500)] == [None] * 1499
    assert [positions.note(Colliding(number), 1500) for number in range(1, 1500)] == list(range(1, 1500))


def test_a_text_takes_few_bytes():
    positions = Positions()
    for number in range(300_000):
        positions.note(f"text {number}", number)
    assert sum(sys.getsizeof(getattr(positions, name)) for name in Positions.__slots__) < 16 * 300_000
