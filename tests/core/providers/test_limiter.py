"""How many calls are in flight, and what changes it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack

import pytest

from neuron_evals import ProviderError, StopToken
from neuron_evals.core.cancellation import stopped_by
from neuron_evals.core.providers.transport import limiter as module
from neuron_evals.core.providers.transport.limiter import Limiter
from neuron_evals.core.providers.transport.watch import Watch
from tests.patience import wait_until

TOO_MANY = ProviderError("slow down", kind="rate_limit", status=429)


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def watch():
    return Watch.over(60.0)


def calls(limiter, number, *, error=None, broken=0):
    """Have `number` calls in flight at once, of which the first `broken` end with `error`."""
    with ExitStack() as stack:
        turns = [limiter.turn(watch()) for _ in range(number)]
        for turn in turns:
            stack.enter_context(turn)
        stack.pop_all()
    for position, turn in enumerate(turns):
        exc = error if position < broken else None
        assert not turn.__exit__(exc and type(exc), exc, None)


def blocked(limiter):
    """Return whether a call would have to wait: one of a run that was stopped is sent at once or never."""
    token = StopToken()
    token.set("enough")
    try:
        with stopped_by(token), limiter.turn(watch()):
            return False
    except ProviderError:
        return True


def test_no_trouble__no_limit():
    limiter = Limiter()
    calls(limiter, 500)
    assert limiter.limit is None


def test_ceiling__holds_from_the_start():
    limiter = Limiter(2)
    with limiter.turn(watch()), limiter.turn(watch()):
        assert blocked(limiter)
    assert not blocked(limiter)


def test_rate_limited__four_fifths_of_what_was_in_flight():
    limiter = Limiter()
    calls(limiter, 50, error=TOO_MANY, broken=1)
    assert limiter.limit == 40


def test_many_rate_limited_at_once__one_cut():
    limiter = Limiter()
    calls(limiter, 50, error=TOO_MANY, broken=50)
    assert limiter.limit == 40


def test_rate_limited_again__cut_again(clock):
    limiter = Limiter()
    calls(limiter, 50, error=TOO_MANY, broken=50)
    clock.now += 1
    calls(limiter, 40, error=TOO_MANY, broken=40)
    assert limiter.limit == 32


def test_rate_limited_alone__one_call_is_always_let_through(clock):
    limiter = Limiter()
    for _ in range(5):
        calls(limiter, 1, error=TOO_MANY, broken=1)
        clock.now += 1
    assert limiter.limit == 1
    assert not blocked(limiter)


def test_clean_rounds__grow_by_a_twentieth_but_not_at_once(clock):
    limiter = Limiter()
    calls(limiter, 100, error=TOO_MANY, broken=1)
    assert limiter.limit == 80
    calls(limiter, 80)
    assert limiter.limit == 80
    clock.now += 16
    calls(limiter, 80)
    assert limiter.limit == 84


def test_small_limit__grows_by_one(clock):
    limiter = Limiter(3)
    calls(limiter, 3, error=TOO_MANY, broken=1)
    assert limiter.limit == 2
    clock.now += 16
    calls(limiter, 2)
    calls(limiter, 2)
    assert limiter.limit == 3
    for _ in range(9):
        calls(limiter, 3)
    assert limiter.limit == 3


def test_server_error__stops_growth_and_cuts_nothing(clock):
    limiter = Limiter()
    calls(limiter, 10, error=TOO_MANY, broken=1)
    clock.now += 16
    calls(limiter, 8, error=ProviderError("broke", kind="server"), broken=1)
    assert limiter.limit == 8
    calls(limiter, 8)
    assert limiter.limit == 8
    clock.now += 16
    calls(limiter, 8)
    assert limiter.limit == 9


def test_other_errors__change_nothing():
    limiter = Limiter()
    calls(limiter, 5, error=ProviderError("no", kind="bad_request"), broken=5)
    calls(limiter, 5, error=ProviderError("quota", kind="rate_limit", transient=False), broken=5)
    calls(limiter, 5, error=ValueError("mine"), broken=5)
    assert limiter.limit is None
    assert limiter._in_flight == 0


def test_retry_after__holds_back_every_call(clock):
    limiter = Limiter()
    calls(limiter, 2, error=ProviderError("slow", kind="rate_limit", retry_after=30), broken=1)
    assert blocked(limiter)
    clock.now += 29
    assert blocked(limiter)
    clock.now += 2
    assert not blocked(limiter)


def test_retry_after_of_hours__capped(clock):
    limiter = Limiter()
    calls(limiter, 2, error=ProviderError("slow", kind="rate_limit", retry_after=36_000), broken=1)
    clock.now += 61
    assert not blocked(limiter)


def test_waiting_calls__served_in_order_across_threads_and_tasks():
    limiter = Limiter(1)
    order = []

    def in_thread() -> None:
        with limiter.turn(watch()):
            order.append("thread")

    async def in_task() -> None:
        async with limiter.aturn(watch()):
            order.append("task")

    first = threading.Thread(target=in_thread)
    second = threading.Thread(target=lambda: asyncio.run(in_task()))
    with limiter.turn(watch()):
        first.start()
        wait_until(lambda: len(limiter._waiting) == 1)
        second.start()
        wait_until(lambda: len(limiter._waiting) == 2)
    first.join()
    second.join()
    assert order == ["thread", "task"]
    assert limiter._in_flight == 0


def test_run_stopped_while_waiting__gives_its_place_up():
    limiter, token = Limiter(1), StopToken()
    token.set("enough")
    with limiter.turn(watch()):
        with stopped_by(token), pytest.raises(ProviderError, match=r"the run was stopped \(enough\)"):
            limiter.turn(watch()).__enter__()
        assert not limiter._waiting


def test_task_cancelled_while_waiting__gives_its_place_up():
    limiter = Limiter(1)

    async def scenario() -> None:
        async with limiter.aturn(watch()):
            waiting = asyncio.ensure_future(limiter.aturn(watch()).__aenter__())
            await asyncio.to_thread(wait_until, lambda: limiter._waiting)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert not limiter._waiting
        async with limiter.aturn(watch()):
            assert limiter._in_flight == 1

    asyncio.run(scenario())
