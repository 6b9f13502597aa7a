from __future__ import annotations

import pytest

from neuron_evals.core.assertions import Not, ToolCallCount
from neuron_evals.core.exceptions import InvalidArgument
from tests.core.assertions.trajectory.conversations import call, conversation, rejected

MADE = conversation(call("search"), call("search"), call("pay", sum=3), rejected("pay"))


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [
        (ToolCallCount(4, 4), True),
        (ToolCallCount(max=4), True),
        (ToolCallCount(max=3), False),
        (ToolCallCount(5), False),
        (ToolCallCount(1, 3), False),
        (ToolCallCount(max=0), False),
        (ToolCallCount(2, 2, "search"), True),
        (ToolCallCount(max=0, name="mail"), True),
        (ToolCallCount(1, name="Search"), False),
        (ToolCallCount(max=3, executed_only=True), True),
        (ToolCallCount(2, name="pay", executed_only=True), False),
        (ToolCallCount(), True),
    ],
)
def test_the_number_of_calls_is_within_the_bounds(assertion, passed):
    result = assertion.evaluate(MADE)
    assert (result.passed, result.score) == (passed, float(passed))
    assert Not(assertion).evaluate(MADE).passed is not passed


def test_no_call_is_within_a_limit_of_none():
    assert ToolCallCount(max=0).evaluate(conversation()).passed


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        (
            ToolCallCount(max=0),
            'tools were called 4 times, expected at most 0: search({}), search({}), pay({"sum":3}), pay({})',
        ),
        (ToolCallCount(1, 1, "mail"), "mail was called 0 times, expected 1 to 1"),
        (
            ToolCallCount(2, name="pay", executed_only=True),
            'pay was executed once, expected at least 2: pay({"sum":3})',
        ),
        (
            Not(ToolCallCount(max=2, name="search")),
            "search was called 2 times, which should not be at most 2: search({}), search({})",
        ),
    ],
)
def test_a_failure_tells_the_number_the_bounds_and_the_calls(assertion, message):
    assert assertion.evaluate(MADE).message == message


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"min": -1}, "min must be 0 or more, got -1"),
        ({"max": -1}, "max must be 0 or more, got -1"),
        ({"min": 1.5}, "min must be a whole number, got float"),
        ({"min": None}, "min must be a whole number, got NoneType"),
        ({"max": True}, "max must be a whole number, got bool"),
        ({"min": 3, "max": 2}, "min must not be above max, got min=3 and max=2"),
        ({"max": 1, "name": ""}, "name must be the name of a tool"),
        ({"max": 1, "executed_only": None}, "executed_only must be True or False"),
    ],
)
def test_an_option_that_cannot_mean_anything_is_refused(options, problem):
    with pytest.raises(InvalidArgument, match=f"^ToolCallCount: {problem}"):
        ToolCallCount(**options)


def test_without_a_bound_it_is_vacuous():
    assert ToolCallCount().vacuous
    assert not ToolCallCount(1).vacuous
    assert not ToolCallCount(max=0).vacuous
