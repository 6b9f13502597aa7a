"""Deadlines and the stop token, found by the code inside."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from neuron_evals import StopToken
from neuron_evals.core.cancellation import Deadline, bind, current_deadline, current_stop, ends_by, stopped_by


def test_outside__neither():
    assert current_stop() is None
    assert current_deadline() is None


def test_token__inside_and_gone_after():
    outer, inner = StopToken(), StopToken()
    with stopped_by(outer):
        with stopped_by(inner):
            assert current_stop() is inner
        assert current_stop() is outer
    assert current_stop() is None


@pytest.mark.parametrize(("outer", "inner"), [(1000, 2000), (2000, 1000)])
def test_deadlines__the_earlier_counts(outer, inner):
    with ends_by(Deadline.after(outer)), ends_by(Deadline.after(inner)) as effective:
        assert current_deadline() == effective
        assert 500 < effective.remaining <= 1000
    assert current_deadline() is None


def test_deadline__passed_has_nothing_left():
    deadline = Deadline.after(-1)
    assert deadline.passed
    assert deadline.remaining == 0
    assert not Deadline.after(60).passed


def test_context__reaches_coroutines_and_threads_that_are_given_it():
    token = StopToken()
    found = []

    async def inside() -> None:
        await asyncio.to_thread(lambda: found.append(current_stop()))

    with stopped_by(token):
        asyncio.run(inside())
        thread = threading.Thread(target=contextvars.copy_context().run, args=(lambda: found.append(current_stop()),))
        thread.start()
        thread.join()
    assert found == [token, token]


def test_bind__for_the_rest_of_its_context():
    token, deadline = StopToken(), Deadline.after(60)
    context = contextvars.copy_context()
    context.run(bind, token, deadline)
    assert context.run(current_stop) is token
    assert context.run(current_deadline) == deadline
    assert current_stop() is None
