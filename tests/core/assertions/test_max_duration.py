from __future__ import annotations

import math
import time

import pytest

from neuron_evals.core.assertions import AllOf, MaxDuration, Not, NotEmpty
from neuron_evals.core.caches import MemoryCache
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import Record
from neuron_evals.core.runner import EvaluatorRunner
from tests.core.samples import Echo, inputs


@pytest.mark.parametrize(("duration", "passed"), [(0.0, True), (1.5, True), (1.501, False)])
def test_a_duration_up_to_the_limit_passes(duration, passed):
    result = MaxDuration(1.5).evaluate(Record("out", duration=duration))
    assert (result.passed, result.score) == (passed, float(passed))


def test_messages_say_both_durations():
    assert MaxDuration(1).evaluate(Record(duration=1.25)).message == "it took 1.250 s, more than 1 s"
    unwanted = Not(MaxDuration(1)).evaluate(Record(duration=0.5)).message
    assert unwanted == "it took 0.500 s, and it should take more than 1 s"


def test_an_unknown_duration_is_skipped_and_not_taken_for_0():
    result = MaxDuration(1).evaluate(Record("out"))
    assert (result.skipped, result.passed, result.score) == (True, False, None)
    assert result.message == "the duration is unknown"


@pytest.mark.parametrize("actual", ["text", 0.5, None, {"duration": 0.5}])
def test_anything_but_a_record_is_refused(actual):
    with pytest.raises(InvalidInput, match="MaxDuration evaluates a Record, got "):
        MaxDuration(1).evaluate(actual)


@pytest.mark.parametrize("seconds", [0, -1, math.inf, math.nan, True, "1", None])
def test_a_limit_out_of_range_is_refused(seconds):
    with pytest.raises(InvalidArgument, match="MaxDuration: seconds must be a finite number above 0, got "):
        MaxDuration(seconds)


def test_it_takes_the_record_also_inside_others():
    assert MaxDuration(1).accepts == Not(MaxDuration(1)).accepts == AllOf(MaxDuration(1)).accepts == "record"


class Timed(Echo):
    """Checks how long `run` took, after an evaluation that takes longer."""

    limit = 60.0

    def run(self, item):
        spin(0.02)
        return item["input"]

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)
        spin(0.02)
        self.check(MaxDuration(self.limit), self.record)


class TimedAwaiting(Timed):
    async def run(self, item):
        return super().run(item)


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


@pytest.mark.parametrize("evaluator", [Timed, TimedAwaiting])
@pytest.mark.parametrize("kind", ["inline", "threads", "async", "processes"])
def test_in_an_evaluator__the_time_of_run_alone(evaluator, kind):
    [result] = EvaluatorRunner().run(evaluator(inputs("good")), workers=kind).results
    assert result.checks[1].name == "MaxDuration"
    seconds = result.checks[1].context["duration"]
    assert (result.status, seconds) == ("passed", result.run_time)
    assert 0.02 <= seconds <= result.execution_time - 0.02


def test_in_an_evaluator__above_the_limit__fails():
    strict = type("Strict", (Timed,), {"limit": 0.001})
    [result] = EvaluatorRunner().run(strict(inputs("good"))).results
    assert result.status == "failed"
    assert "more than 0.001 s" in result.reason


def test_cached_run__has_the_time_of_its_first_run():
    runner = EvaluatorRunner(cache=MemoryCache())
    first, second = (runner.run(Timed(inputs("good"))).results[0] for _ in range(2))
    assert (first.cached_run, second.cached_run) == (False, True)
    assert second.checks[1].context == first.checks[1].context
    assert second.run_time == first.run_time
    assert first.checks[1].context["duration"] >= 0.02


def test_cached_run__a_first_run_that_was_too_slow_stays_too_slow():
    runner = EvaluatorRunner(cache=MemoryCache())
    strict = type("Strict", (Timed,), {"limit": 0.001, "__module__": __name__})
    assert [runner.run(strict(inputs("good"))).failed_count for _ in range(2)] == [1, 1]
