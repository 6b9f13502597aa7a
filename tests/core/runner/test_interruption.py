"""Real signals to real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.runner.interruption import signals_stop
from tests.patience import wait_until
from tests.processes import is_alive

ROOT = Path(__file__).parents[3]

SCRIPT = """
import os, sys, time
from neuron_evals.core.runner import EvaluatorRunner
from tests.core.samples import Echo, inputs

class Slow(Echo):
    def run(self, item):
        if item["input"] == "slow good":
            print("running", os.getpid(), flush=True)
            time.sleep(600)
        return item["input"]

    def tear_down(self):
        print("torn down", flush=True)

items = inputs("good", "slow good", "good", "good")
results = EvaluatorRunner().run(Slow(items), int(sys.argv[1]), workers=sys.argv[2])
print(" ".join(result.status for result in results.results), flush=True)
"""


@pytest.mark.parametrize(
    ("concurrency", "kind"), [(1, "inline"), (2, "threads"), (2, "async"), (1, "processes"), (2, "processes")]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal__results_so_far_are_reported_and_the_rest_is_cancelled(number, concurrency, kind):
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(concurrency), kind],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    running, pid = process.stdout.readline().split()
    assert running == "running"
    process.send_signal(number)
    try:
        output, _ = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()

    torn_down, line = output.splitlines()
    assert torn_down == "torn down"
    statuses = line.split()
    assert statuses[1] == "cancelled"
    assert len(statuses) == 4
    assert set(statuses) <= {"passed", "cancelled"}
    if concurrency == 1:
        assert statuses[0] == "passed"
    assert process.returncode == 0
    wait_until(lambda: not is_alive(int(pid)))


def test_signals_stop__handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with signals_stop(StopToken()):
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_signals_stop__outside_the_main_thread__touches_nothing():
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def target():
        with signals_stop(StopToken()):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    assert seen == [before]


def test_first_signal_outside_an_item__code_at_work_goes_on():
    token = StopToken()
    with signals_stop(token):
        os.kill(os.getpid(), signal.SIGTERM)
        assert token.is_set()
    assert (token.reason, token.interrupted, token.abandon) == ("interrupted", True, True)


def test_second_signal__breaks_off():
    token = StopToken()
    with signals_stop(token), pytest.raises(KeyboardInterrupt):  # noqa: PT012  (both signals belong to what is tested)
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)


def test_signal_after_fail_fast__is_the_first_signal():
    token = StopToken()
    token.set("fail-fast")
    with signals_stop(token):
        os.kill(os.getpid(), signal.SIGINT)
    assert (token.reason, token.interrupted, token.abandon) == ("fail-fast", True, True)
