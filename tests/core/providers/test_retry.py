"""Whether and when a call is repeated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from neuron_evals import ProviderError
from neuron_evals.core.providers.transport.retry import RetryPolicy, retry_after


def wait_after(policy, error, attempts) -> float:
    wait = policy.wait_after(error, attempts)
    assert wait is not None
    return float(wait)


def test_waits__grow_and_are_capped():
    error = ProviderError("broke", kind="server")
    policy = RetryPolicy(retries=100)
    waits = [[wait_after(policy, error, attempt) for _ in range(50)] for attempt in (1, 2, 3, 50)]
    assert [(low / 2 <= min(found), max(found) <= low) for low, found in zip((0.5, 1, 2, 60), waits, strict=True)] == [
        (True, True)
    ] * 4
    assert len(set(waits[0])) > 1


def test_retry_after__replaces_our_wait_and_is_capped():
    policy = RetryPolicy()
    for asked, least in ((3.0, 3.0), (0.0, 0.0), (3600.0, 60.0)):
        error = ProviderError("busy", kind="rate_limit", retry_after=asked)
        waits = [wait_after(policy, error, 1) for _ in range(50)]
        assert all(least <= wait <= least * 1.1 for wait in waits)


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (ProviderError("broke", kind="server"), 3),
        (ProviderError("no", kind="bad_request"), 1),
        (ProviderError("late", kind="timeout"), 1),
        (ProviderError("quota", kind="rate_limit", transient=False), 1),
        (ProviderError("stopped", kind="cancelled"), 1),
    ],
)
def test_not_repeated(error, attempts):
    assert RetryPolicy(retries=2).wait_after(error, attempts) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        (" 0.5 ", 0.5),
        ("0", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 +99999999999999", None),
        ("", None),
        ("-3", None),
    ],
)
def test_header__read_in_either_form(text, expected):
    assert retry_after({"retry-after": text}) == expected


def test_header__missing():
    assert retry_after({}) is None


@pytest.mark.parametrize("usegmt", [True, False])
def test_header__date_to_come(usegmt):
    text = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=usegmt)
    assert retry_after({"retry-after": text}) == pytest.approx(75, abs=25)
