from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.statistics import percentile, wilson_interval


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # Published example: Newcombe (1998), 81 of 263, 15 of 148, 0 of 20, 1 of 29; method 3 (score).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_interval__published_examples(successes, total, low, high):
    assert wilson_interval(successes, total) == pytest.approx((low, high), abs=5e-5)


def test_wilson_interval__no_trials__unknown():
    assert wilson_interval(0, 0) is None


@given(st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_wilson_interval__holds_the_rate_and_stays_within_0_and_1(counts):
    successes, total = counts
    interval = wilson_interval(successes, total)
    assert interval is not None
    low, high = interval

    assert 0 <= low <= successes / total <= high <= 1
    assert low < high


@pytest.mark.parametrize(
    ("values", "fraction", "expected"),
    [
        ([], 0.5, None),
        ([7.0], 0.99, 7.0),
        ([1.0, 2.0], 0.5, 1.5),
        ([1.0, 2.0, 3.0, 4.0], 0.95, 3.85),
        ([1.0, 2.0, 3.0], 0.0, 1.0),
        ([1.0, 2.0, 3.0], 1.0, 3.0),
    ],
)
def test_percentile__linear_interpolation(values, fraction, expected):
    assert percentile(values, fraction) == (None if expected is None else pytest.approx(expected))
