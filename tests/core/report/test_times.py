from __future__ import annotations

from neuron_evals.core.report.times import Times


def times(*seconds):
    held = Times()
    for one in seconds:
        held.append(one)
    return held


def test_all_are_held_in_order():
    many = [number / 8 for number in range(10_000)]
    assert list(times(*many)) == many
    assert len(times(*many)) == 10_000


def test_none_are_none():
    assert not times()


def test_those_of_another_are_added_and_stay_apart_from_it():
    first, second = times(1.0), times(2.0)
    first.extend(second)
    second.append(3.0)
    first.append(4.0)
    assert list(first) == [1.0, 2.0, 4.0]
    assert list(second) == [2.0, 3.0]
