from __future__ import annotations

import math

import pytest

from neuron_evals.core.assertions import AllOf, MaxDuration, Not
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import Record


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
