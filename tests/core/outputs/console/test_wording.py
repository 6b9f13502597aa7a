from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.outputs.console.wording import by_status, number, percent, plural, seconds, time_left
from neuron_evals.core.results import Status


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (None, "n/a"),
        (0.0, "0%"),
        (1.0, "100%"),
        (0.5, "50%"),
        (2 / 3, "66.7%"),
        (0.95, "95%"),
        (9999 / 10000, "99.99%"),
        (99999 / 100000, "99.999%"),
        (0.9994, "99.9%"),
        (0.9996, "99.96%"),
        (1 / 10000, "0.01%"),
        (1 / 3000, "0.03%"),
        (0.0006, "0.1%"),
    ],
)
def test_a_rate_reads_all_or_nothing_only_when_it_is(rate, shown):
    assert percent(rate) == shown


@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_no_other_rate_reads_100_or_0_percent(total, missing):
    passed = max(0, total - missing)
    assert (percent(passed / total) == "100%") is (passed == total)
    assert (percent(passed / total) == "0%") is (passed == 0)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "n/a"),
        (0.0, "0"),
        (-0.0, "0"),
        (-0.0001, "0"),
        (1.0, "1"),
        (100.0, "100"),
        (0.8333, "0.833"),
        (0.6, "0.6"),
        (12.3456, "12.346"),
        (-1.5, "-1.5"),
        (1e300, "1e+300"),
    ],
)
def test_a_number_has_three_decimals_at_most_and_no_trailing_zeros(value, shown):
    assert number(value) == shown


def test_seconds_say_their_unit_and_unknown_ones_do_not():
    assert seconds(0.25) == "0.25 s"
    assert seconds(None) == "n/a"


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0:00"), (0.2, "0:01"), (59.5, "1:00"), (61, "1:01"), (3599, "59:59"), (3725, "1:02:05")]
)
def test_the_time_left_is_rounded_up(value, shown):
    assert time_left(value) == shown


@pytest.mark.parametrize(("count", "shown"), [(0, "0 items"), (1, "1 item"), (2, "2 items")])
def test_one_is_singular(count, shown):
    assert plural(count, "item") == shown


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ({}, "0 passed"),
        ({Status.ERROR: 1}, "0 passed, 1 error"),
        (
            {Status.CANCELLED: 1, Status.SKIPPED: 3, Status.ERROR: 2, Status.FAILED: 1, Status.PASSED: 4},
            "4 passed, 1 failed, 2 errors, 3 skipped, 1 cancelled",
        ),
    ],
)
def test_counts_by_status_keep_them_apart(counts, shown):
    assert by_status(counts) == shown
