"""Runs of coroutines: one after the other, in other threads; and what importing leaves alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from neuron_evals.core.runner import EvaluatorRunner
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
