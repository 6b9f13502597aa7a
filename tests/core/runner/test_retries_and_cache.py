"""Trying again in a run with a cache."""

from __future__ import annotations

import os
import signal

import pytest

from neuron_evals.core.caches import CacheCounts, FileCache, MemoryCache
from neuron_evals.core.runner import EvaluatorRunner, Limits, scheduling
from neuron_evals.core.runner.pools import processes
from tests.core.samples import Echo, inputs


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(scheduling, "FIRST_PAUSE", 0.0)


class Learning(Echo):
    """Answers wrongly once."""

    retries = 1
    retry_failed = True

    def set_up(self):
        self.asked = []

    def run(self, item):
        self.asked.append(item["input"])
        return item["input"] if len(self.asked) > 1 else "bad"


class DoubtfulJudge(Echo):
    """Breaks once when it judges."""

    retries = 1

    def set_up(self):
        self.judged = []
        self.asked = []

    def run(self, item):
        self.asked.append(item["input"])
        return item["input"]

    def evaluate(self, output, item):
        self.judged.append(output)
        if len(self.judged) == 1:
            raise ConnectionError("the judge is away")
        super().evaluate(output, item)

    def is_transient(self, exc):
        return isinstance(exc, ConnectionError)


def test_a_wrong_answer__is_asked_for_again_and_the_first_one_stays_in_the_cache():
    runner = EvaluatorRunner(MemoryCache())

    evaluator = Learning(inputs("good"))
    results = runner.run(evaluator)
    result = results.results[0]

    assert len(evaluator.asked) == 2
    assert (result.status, result.output, result.cached_run) == ("failed", "bad", False)
    assert [(other.status, other.output) for other in result.other_attempts] == [("passed", "good")]
    assert results.cache == CacheCounts(misses=1, stored=1)

    assert runner.run(evaluator, limits=Limits(retries=0)).results[0].output == "bad"


def test_judging_breaks_and_is_tried_again__the_output_is_reused_but_was_paid_for_in_this_run():
    runner = EvaluatorRunner(MemoryCache())

    evaluator = DoubtfulJudge(inputs("good"))
    result = runner.run(evaluator).results[0]
    later = runner.run(DoubtfulJudge(inputs("good"))).results[0]

    assert len(evaluator.asked) == 1
    assert (result.status, result.attempts, result.cached_run) == ("passed", 2, False)
    assert (later.status, later.attempts, later.cached_run) == ("passed", 2, True)


def test_the_forker_is_replaced__each_output_is_counted_once(tmp_path, monkeypatch, hold):
    # Idle threads that other tests left in this process do no harm; in threads the item would kill who runs the tests.
    monkeypatch.setattr(processes, "why_no_fork", lambda: None)

    class Killing(Echo):
        def run(self, item):
            if item["input"] == "kill":
                os.kill(os.getppid(), signal.SIGKILL)
                hold()
            return item["input"]

    items = [{"input": f"good {number}"} for number in range(10)]
    items[4]["input"] = "kill"
    results = EvaluatorRunner(FileCache(tmp_path)).run(Killing(items), 1, workers="processes")

    assert results.cache.stored == results.cache.misses == results.passed_count == len(list(tmp_path.iterdir()))
