from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.statistics import (
    pass_at_k,
    pass_hat_k,
    percentile,
    repeated_interval,
    t_quantile,
    wilson_interval,
)


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


@pytest.mark.parametrize(
    ("fraction", "freedom", "quantile"),
    [
        # Printed tables of Student's t: one-sided 95 %, two-sided 95 %, two-sided 99 %.
        (0.95, 1, 6.314),
        (0.95, 5, 2.015),
        (0.95, 10, 1.812),
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 3, 3.182),
        (0.975, 4, 2.776),
        (0.975, 9, 2.262),
        (0.975, 10, 2.228),
        (0.975, 30, 2.042),
        (0.975, 120, 1.980),
        (0.995, 1, 63.657),
        (0.995, 10, 3.169),
        (0.995, 29, 2.756),
    ],
)
def test_t_quantile__values_of_printed_tables(fraction, freedom, quantile):
    assert t_quantile(fraction, freedom) == pytest.approx(quantile, abs=5.1e-4)


def test_t_quantile__many_degrees_of_freedom__near_the_normal_quantile_and_at_once():
    assert t_quantile(0.975, 10**9) == pytest.approx(1.96, abs=5e-3)
    assert t_quantile(0.975, 999) >= t_quantile(0.975, 1000) >= t_quantile(0.975, 10**9)


@pytest.mark.parametrize(
    ("successes", "tries", "k", "at", "hat"),
    [
        # 9 of 10: the plug-in estimate 0.9 ** k would say 0.729, 0.590 and 0.349.
        (9, 10, 3, 1.0, 0.7),
        (9, 10, 5, 1.0, 0.5),
        (9, 10, 10, 1.0, 0.0),
        (1, 3, 2, 2 / 3, 0.0),
        (2, 3, 2, 1.0, 1 / 3),
        (0, 5, 3, 0.0, 0.0),
        (5, 5, 5, 1.0, 1.0),
        (1, 4, 1, 0.25, 0.25),
    ],
)
def test_pass_at_k_and_pass_hat_k__worked_examples(successes, tries, k, at, hat):
    assert pass_at_k(successes, tries, k) == pytest.approx(at)
    assert pass_hat_k(successes, tries, k) == pytest.approx(hat)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_pass_at_k_and_pass_hat_k__are_the_shares_of_all_choices_of_k_tries(case):
    successes, tries, k = case
    chosen = list(combinations([True] * successes + [False] * (tries - successes), k))

    assert pass_at_k(successes, tries, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_hat_k(successes, tries, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_pass_at_k_and_pass_hat_k__fewer_tries_than_k__unknown():
    assert pass_at_k(2, 2, 3) is None
    assert pass_hat_k(2, 2, 3) is None


@pytest.mark.parametrize(
    ("shares", "rate", "effective", "quantile"),
    [
        # Shares 1, 0.8, 0.6 and 0: the variance of their mean is 0.56 / 3 / 4, and 0.24 / that is 36 / 7.
        pytest.param({(5, 5): 1, (4, 5): 1, (3, 5): 1, (0, 5): 1}, 0.6, 36 / 7, 3.182446, id="spread between items"),
        pytest.param({(0, 5): 1, (5, 5): 1}, 0.5, 2, 12.706205, id="never fewer than items"),
        pytest.param({(1, 2): 2}, 0.5, 4, 12.706205, id="alike: never more than executions"),
        pytest.param({(3, 5): 1}, 0.6, 1, 1.959964, id="one item tells nothing of the spread"),
        # Shares 1, 0.25 and 0.75: the variance of their mean is 7 / 24 / 2 / 3, and 2 / 9 over that is 32 / 7.
        pytest.param({(2, 2): 1, (1, 4): 1, (3, 4): 1}, 2 / 3, 32 / 7, 4.302653, id="unequal repeats"),
    ],
)
def test_repeated_interval__solves_wilsons_equation_for_the_effective_number(shares, rate, effective, quantile):
    interval = repeated_interval(shares)
    assert interval is not None
    for bound in interval:
        if 0 < bound < 1:
            assert (rate - bound) ** 2 == pytest.approx(quantile**2 * bound * (1 - bound) / effective, rel=1e-5)
    assert interval[0] < rate < interval[1]


@pytest.mark.parametrize(("shares", "rate"), [({(3, 3): 4}, 1.0), ({(0, 3): 4}, 0.0)])
def test_repeated_interval__all_alike_at_an_end__rests_on_the_items_alone(shares, rate):
    interval = repeated_interval(shares)
    assert interval is not None
    low, high = interval
    assert (low, high) == pytest.approx(wilson_interval(rate * 4, 4, t_quantile(0.975, 3)))
    assert rate in (low, high)


def test_repeated_interval__nothing_judged__unknown():
    assert repeated_interval({}) is None


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), min_size=1, max_size=30))))
def test_repeated_interval__never_narrower_than_if_all_executions_were_independent(case):
    repeats, passed = case
    interval = repeated_interval(Counter((count, repeats) for count in passed))
    naive = wilson_interval(sum(passed), repeats * len(passed))

    assert interval is not None
    assert naive is not None
    assert 0 <= interval[0] <= naive[0] + 1e-12
    assert naive[1] - 1e-12 <= interval[1] <= 1
    assert not math.isnan(interval[0] + interval[1])
