"""`InPlaceRunner`: items in the thread that calls it."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from neuron_evals import BaseEvaluator, Limits, NotEmpty, Status
from neuron_evals.core.datasets import ArrayDataset
from neuron_evals.core.datasets.identity import identified
from neuron_evals.core.runner import InPlaceRunner


class Noting(BaseEvaluator):
    """Notes what is called, and in which thread."""

    repeats = 3

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.threads: set[int] = set()

    def set_up(self) -> None:
        self.calls.append("set_up")

    def tear_down(self) -> None:
        self.calls.append("tear_down")

    def get_dataset(self) -> Any:
        self.calls.append("get_dataset")
        return [{"id": "a", "input": "x"}, {"id": "b", "input": "y"}]

    def run(self, item: Any) -> Any:
        self.calls.append(item["id"])
        self.threads.add(threading.get_ident())
        return item["input"]

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(NotEmpty(), output)


def test_items__run_in_the_calling_thread_whatever_is_asked_for():
    evaluator = Noting()
    results = InPlaceRunner().run(evaluator, 4, workers="threads", limits=Limits(timeout=60, repeats=1))
    assert (results.passed_count, evaluator.threads) == (2, {threading.get_ident()})


def test_one_item__set_up_run_once_and_torn_down():
    evaluator = Noting()
    entries = list(identified(ArrayDataset([{"id": "a", "input": "x"}, {"id": "b", "input": "y"}])))
    (result,) = InPlaceRunner().run_one(evaluator, entries[1], repeat=2).results
    assert (result.item_id, result.index, result.repeat, result.passed) == ("b", 1, 2, True)
    assert evaluator.calls == ["set_up", "get_dataset", "b", "tear_down"]


def test_set_up_that_breaks__raises_and_is_torn_down():
    class Broken(Noting):
        def set_up(self) -> None:
            raise RuntimeError("boom")

    evaluator = Broken()
    (entry,) = identified(ArrayDataset([{"id": "a"}]))
    with pytest.raises(RuntimeError, match="boom"):
        InPlaceRunner().run_one(evaluator, entry)
    assert evaluator.calls == ["tear_down"]


def test_item_beyond_its_time_limit__is_an_error_with_its_output():
    class Slow(Noting):
        repeats = 1

        def run(self, item: Any) -> Any:
            until = time.monotonic() + 0.05
            while time.monotonic() < until:
                time.sleep(0.01)
            return "late"

    results = InPlaceRunner().run(Slow(), limits=Limits(timeout=0.01))
    assert [(result.status, result.output) for result in results.results] == [(Status.ERROR, "late")] * 2
    assert "took longer than 0.01 s" in str(results.results[0].error)


def test_interruption__goes_through_after_tear_down():
    class Interrupted(Noting):
        def run(self, item: Any) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(60)

    evaluator = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        InPlaceRunner().run(evaluator)
    assert evaluator.calls[-1] == "tear_down"
