from __future__ import annotations

import pytest

from neuron_evals.core.assertions import Not, ToolWasApproved, ToolWasRejected
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from tests.core.assertions.trajectory.conversations import approved, call, conversation, pending, rejected


@pytest.mark.parametrize(
    ("calls", "was_approved", "was_rejected"),
    [
        ([approved("refund")], True, False),
        ([rejected("refund", "too much")], False, True),
        ([rejected("refund")], False, True),
        ([pending("refund")], False, False),
        ([call("refund")], False, False),
        ([approved("mail"), call("refund")], False, False),
        ([rejected("mail"), call("refund")], False, False),
        ([rejected("refund", "too much"), approved("refund")], True, True),
        ([approved("Refund")], False, False),
        ([], False, False),
    ],
)
def test_any_call_of_the_tool_in_that_state_will_do(calls, was_approved, was_rejected):
    trajectory = conversation(*calls)
    for cls, passed in [(ToolWasApproved, was_approved), (ToolWasRejected, was_rejected)]:
        result = cls("refund").evaluate(trajectory)
        assert (result.passed, result.score) == (passed, float(passed))
        assert bool(result.message) is not passed
        assert Not(cls("refund")).evaluate(trajectory).passed is not passed


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ({"sum": 500}, True),
        ({"sum": 5}, False),
        ({"sum": 500.0}, False),
        (lambda arguments: arguments["sum"] > 100, True),
        (lambda arguments: arguments["sum"] > 1_000, False),
        ({"order": {"id": 7}}, False),
    ],
)
def test_arguments_are_those_of_the_call_in_that_state(arguments, passed):
    trajectory = conversation(rejected("refund", sum=500, order={"id": 7, "n": 1}), approved("refund", sum=5))
    assert ToolWasRejected("refund", arguments).evaluate(trajectory).passed is passed


def test_objects_inside_arguments_may_have_more_keys_when_nested():
    trajectory = conversation(rejected("refund", order={"id": 7, "n": 1}))
    assert ToolWasRejected("refund", {"order": {"id": 7}}, nested=True).evaluate(trajectory).passed


@pytest.mark.parametrize(
    ("assertion", "calls", "message"),
    [
        (ToolWasApproved("refund"), [], "refund was not called; no tool was called"),
        (ToolWasApproved("refund"), [call("search")], "refund was not called; called were: search({})"),
        (
            ToolWasApproved("refund"),
            [rejected("refund", "too much", id=1), pending("refund"), call("refund")],
            'refund was not approved: refund({"id":1}) was rejected (too much), refund({}) waits for its approval, '
            "refund({}) needed no approval",
        ),
        (ToolWasRejected("refund"), [approved("refund")], "refund was not rejected: refund({}) was approved"),
        (
            ToolWasRejected("refund", {"id": 1}),
            [rejected("refund", id=2)],
            'refund was called once, never with {"id":1}: refund({"id":2})',
        ),
        (
            Not(ToolWasRejected("refund")),
            [rejected("refund", "no", id=2), approved("refund")],
            'refund was rejected, and it should not be: refund({"id":2})',
        ),
    ],
)
def test_a_failure_tells_the_state_of_each_call(assertion, calls, message):
    result = assertion.evaluate(conversation(*calls))
    assert (result.passed, result.message) == (False, message)


@pytest.mark.parametrize("cls", [ToolWasApproved, ToolWasRejected])
def test_wrong_types_are_errors(cls):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}: name must be text"):
        cls(3)
    for actual in ("a plain string", None):
        with pytest.raises(InvalidInput, match=f"{cls.__name__} evaluates a Trajectory"):
            cls("x").evaluate(actual)
