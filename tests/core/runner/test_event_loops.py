"""Runs of coroutines: one after the other, in other threads, stopped half way; and what importing leaves alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.runner import EvaluatorRunner, Listener
from tests.core.samples import Echo, inputs

ROOT = Path(__file__).parents[3]

UNCHANGED = """
import asyncio
loops = ("run", "new_event_loop", "get_event_loop", "get_running_loop", "set_event_loop", "Runner")
before = {name: getattr(asyncio, name) for name in loops}
policy = asyncio.events._event_loop_policy
import neuron_evals
from neuron_evals import *
from neuron_evals.core.runner.pools import loop
assert before == {name: getattr(asyncio, name) for name in loops}
assert asyncio.events._event_loop_policy is policy
"""


class Awaiting(Echo):
    async def run(self, item):
        await asyncio.sleep(0)
        return item["input"]


@pytest.fixture(autouse=True)
def _no_threads_left():
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("neuron-evals"):
            thread.join(20)


def test_runs_one_after_the_other_and_in_another_thread__all_complete():
    found = []

    def run():
        found.append(EvaluatorRunner().run(Awaiting(inputs(*["good"] * 20)), 5, workers="async"))

    run()
    run()
    other = threading.Thread(target=run)
    other.start()
    other.join()

    assert [results.passed_count for results in found] == [20, 20, 20]


def test_run__between_two_of_the_callers_own_loops__leaves_them_alone():
    async def caller():
        return EvaluatorRunner().run(Awaiting(inputs("good")), 2, workers="async").passed_count

    assert asyncio.run(caller()) == 1
    assert EvaluatorRunner().run(Awaiting(inputs("good")), 2, workers="async").passed_count == 1
    assert asyncio.run(caller()) == 1


def test_import__changes_nothing_of_asyncio():
    done = subprocess.run([sys.executable, "-c", UNCHANGED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_stopped_after_5_of_50__no_other_starts_those_in_flight_are_cancelled_and_all_are_named():
    started, cancelled, ended = [], [], []
    stop = StopToken()

    class Waiting(Echo):
        async def run(self, item):
            started.append(item["input"])
            if len(started) <= 5:
                return "good"
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(item["input"])
                raise

    class Stopping(Listener):
        count = 0

        def finished(self, result):
            self.count += 1
            if self.count == 5:
                stop.set("enough", abandon=True)

    @asynccontextmanager
    async def around():
        try:
            yield
        finally:
            ended.append("item")

    items = inputs(*(f"item {n}" for n in range(50)))
    runner = EvaluatorRunner(around_async=around)
    results = runner.run(Waiting(items), 10, workers="async", stop=stop, listener=Stopping())
    for thread in threading.enumerate():
        if thread.name.startswith("neuron-evals"):
            thread.join(20)

    assert results.passed_count == 5
    assert results.cancelled_count == 45
    assert results.total_count == 50
    assert len(started) < 50
    assert len(started) == 5 + len(cancelled)
    assert len(ended) == len(started)
