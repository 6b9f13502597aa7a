"""One timer for all calls of an event loop, and only while there are any."""

from __future__ import annotations

import asyncio
import gc
import weakref
from functools import partial

import pytest

from neuron_evals import StopToken
from neuron_evals.core.cancellation import Deadline
from neuron_evals.core.providers.transport.loop_watchdog import over_on_loop
from neuron_evals.core.providers.transport.watch import Watch


async def waiting(token: StopToken | None) -> str:
    try:
        async with asyncio.timeout(30) as limit:
            with over_on_loop(limit, Watch(30, Deadline.after(30), token)):
                await asyncio.Event().wait()
    except TimeoutError:
        return "broken off"
    return "ended"


def test_abandoned__its_calls_are_broken_off_and_others_go_on():
    async def run() -> list[bool]:
        tokens = [StopToken(), StopToken()]
        calls = [asyncio.ensure_future(waiting(token)) for token in (*tokens, *tokens, None)]
        await asyncio.sleep(0)
        tokens[0].set("interrupted", abandon=True)
        tokens[1].set("first failure")
        assert [await calls[0], await calls[2]] == ["broken off"] * 2
        done = [call.done() for call in calls]
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        return done

    assert asyncio.run(run()) == [True, False, True, False, False]


def test_calls_one_after_the_other__each_is_looked_at():
    async def run() -> list[str]:
        found = []
        for _ in range(2):
            token = StopToken()
            asyncio.get_running_loop().call_later(0.01, partial(token.set, "interrupted", abandon=True))
            found.append(await waiting(token))
            await asyncio.sleep(0.12)  # the timer sees that there is no call
        return found

    assert asyncio.run(run()) == ["broken off"] * 2


def test_loop__gone_after_its_calls():
    async def run() -> weakref.ref[asyncio.AbstractEventLoop]:
        token = StopToken()
        token.set("interrupted", abandon=True)
        assert await waiting(token) == "broken off"
        return weakref.ref(asyncio.get_running_loop())

    loop = asyncio.run(run())
    gc.collect()
    if loop() is not None:
        pytest.fail("something holds the loop")
