from __future__ import annotations

import pytest

from neuron_evals.core.assertions import Not, ToolWasCalled, ToolWasNotCalled
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.messages import ToolCall
from neuron_evals.matchers import AnyValue, Number, OneOf, Subset, TextContains
from tests.core.assertions.trajectory.conversations import approved, call, conversation, pending, rejected

SHIPPED = conversation(call("ship", items=["a", "b"], address={"city": "Rome", "zip": "00100"}))


@pytest.mark.parametrize(
    ("name", "arguments", "calls", "found"),
    [
        ("search", None, [call("search", q="x")], True),
        ("search", {}, [call("search", q="x")], True),
        ("search", None, [], False),
        ("search", None, [call("read")], False),
        ("Search", None, [call("search")], False),
        ("refund", {"id": "123"}, [call("refund", id="123", notify=True)], True),
        ("refund", {"id": "123"}, [call("refund", id="999")], False),
        ("refund", {"id": 123}, [call("refund", id="123")], False),
        ("refund", {"amount": 10}, [call("refund", amount=10.0)], False),
        ("refund", {"notify": True}, [call("refund", notify=1)], False),
        ("refund", {"flag": False}, [call("refund", flag=0)], False),
        ("refund", {"flag": None}, [call("refund", flag=False)], False),
        ("refund", {"flag": None}, [call("refund", flag=None)], True),
        ("refund", {"coupon": None}, [call("refund")], False),
        ("search", {"q": "right"}, [call("search", q="wrong"), call("search", q="right")], True),
        ("search", {"a": 1, "b": 2}, [call("search", a=1), call("search", b=2)], False),
        ("search", {"a": 1}, [call("read", a=1)], False),
        ("refund", None, [pending("refund")], True),
        ("refund", None, [rejected("refund")], True),
        ("refund", {"amount": Number(10)}, [call("refund", amount=10.0)], True),
        ("refund", {"amount": Number(1)}, [call("refund", amount=True)], False),
        ("refund", {"amount": AnyValue()}, [call("refund", amount=None)], True),
        ("refund", {"amount": AnyValue()}, [call("refund")], False),
        ("refund", {"why": TextContains("LATE"), "id": OneOf(1, 2)}, [call("refund", why="was late", id=2)], True),
        ("refund", Subset({"order": {"id": 1}}), [call("refund", order={"id": 1, "n": 2})], True),
        ("refund", lambda arguments: arguments["amount"] < 100, [call("refund", amount=150)], False),
        ("refund", lambda arguments: arguments["amount"] < 100, [call("search"), call("refund", amount=5)], True),
    ],
)
def test_a_call_is_found_by_name_and_arguments(name, arguments, calls, found):
    trajectory = conversation(*calls)
    for assertion, passed in [
        (ToolWasCalled(name, arguments), found),
        (ToolWasNotCalled(name, arguments), not found),
        (Not(ToolWasCalled(name, arguments)), not found),
        (Not(ToolWasNotCalled(name, arguments)), found),
    ]:
        result = assertion.evaluate(trajectory)
        assert (result.passed, result.score) == (passed, float(passed))
        assert bool(result.message) is not passed


@pytest.mark.parametrize(
    ("arguments", "whole", "nested"),
    [
        ({"items": ["a", "b"]}, True, True),
        ({"items": ["b", "a"]}, False, False),
        ({"address": {"city": "Rome"}}, False, True),
        ({"address": {"zip": "00100", "city": "Rome"}}, True, True),
        ({"address": {"city": "Oslo"}}, False, False),
        ({"address": Subset({"city": "Rome"})}, True, True),
    ],
)
def test_objects_inside_arguments_are_compared_whole_unless_nested(arguments, whole, nested):
    assert ToolWasCalled("ship", arguments).evaluate(SHIPPED).passed is whole
    assert ToolWasCalled("ship", arguments, nested=True).evaluate(SHIPPED).passed is nested
    assert ToolWasNotCalled("ship", arguments, nested=True).evaluate(SHIPPED).passed is not nested


@pytest.mark.parametrize(
    ("made", "executed"),
    [
        (call("refund"), True),
        (approved("refund"), True),
        (pending("refund"), False),
        (rejected("refund"), False),
        (ToolCall("refund", error="boom"), True),
        (ToolCall("refund"), True),
    ],
)
def test_executed_only_counts_calls_whose_tool_ran(made, executed):
    trajectory = conversation(made)
    assert ToolWasCalled("refund").evaluate(trajectory).passed
    assert ToolWasCalled("refund", executed_only=True).evaluate(trajectory).passed is executed
    assert ToolWasNotCalled("refund", executed_only=True).evaluate(trajectory).passed is not executed


def test_a_predicate_is_asked_about_calls_of_the_tool_up_to_the_first_that_fits():
    asked = []

    def fits(arguments):
        asked.append(arguments["n"])
        return arguments["n"] == 2

    calls = [call("read", n=0), call("search", n=1), call("search", n=2), call("search", n=3)]
    assert ToolWasCalled("search", fits).evaluate(conversation(*calls)).passed
    assert asked == [1, 2]


@pytest.mark.parametrize(
    ("assertion", "calls", "message"),
    [
        (ToolWasCalled("pay"), [], "pay was not called; no tool was called"),
        (
            ToolWasCalled("pay"),
            [call("search", q="ñ"), call("read")],
            'pay was not called; called were: search({"q":"ñ"}), read({})',
        ),
        (
            ToolWasCalled("search", {"q": "x", "n": Number(1)}),
            [call("search", q="a"), call("search", q="b")],
            'search was called 2 times, never with {"q":"x","n":Number(value=1, tolerance=0)}: '
            'search({"q":"a"}), search({"q":"b"})',
        ),
        (
            ToolWasCalled("pay", executed_only=True),
            [rejected("pay", sum=3)],
            'pay was not executed; called were: pay({"sum":3})',
        ),
        (ToolWasNotCalled("pay"), [call("pay", sum=3)], 'pay was called once, and it should not be: pay({"sum":3})'),
        (
            ToolWasNotCalled("pay", {"sum": 3}, executed_only=True),
            [call("pay", sum=3), call("pay", sum=3), call("pay", sum=4)],
            'pay was executed 2 times with {"sum":3}, and it should not be: pay({"sum":3}), pay({"sum":3})',
        ),
        (
            ToolWasCalled("pay", {"sum": 1, "to": "x"}),
            [call("pay", sum=1.0, to="x")],
            'pay was called once, never with {"sum":1,"to":"x"}: pay({"sum":1.0,"to":"x"}); '
            "only the type differs: sum is 1.0 (float), expected 1 (int)",
        ),
        (
            ToolWasCalled("pay", {"sum": 1, "id": 7}),
            [call("pay", sum=True, id="7")],
            'pay was called once, never with {"sum":1,"id":7}: pay({"sum":true,"id":"7"}); '
            "only the type differs: sum is True (bool), expected 1 (int), id is '7' (str), expected 7 (int)",
        ),
        (
            ToolWasCalled("pay", {"sum": 1, "to": "x"}),
            [call("pay", sum=1.0, to="y")],
            'pay was called once, never with {"sum":1,"to":"x"}: pay({"sum":1.0,"to":"y"})',
        ),
        (
            ToolWasCalled("pay", {"sum": 1}),
            [ToolCall("pay", '{"sum": 1', result="x")],  # type: ignore[arg-type]
            'pay was called once, never with {"sum":1}: pay("{\\"sum\\": 1")',
        ),
    ],
)
def test_a_failure_tells_which_calls_there_were(assertion, calls, message):
    result = assertion.evaluate(conversation(*calls))
    assert (result.passed, result.message) == (False, message)


def test_a_function_is_named_without_its_address():
    message = ToolWasCalled("pay", {"sum": lambda value: False}).evaluate(conversation(call("pay", sum=1))).message
    assert "0x" not in message
    assert "<lambda>" in message


def test_many_calls_are_counted_and_the_first_ones_shown_on_one_line():
    calls = [call("read", n=number, text="a\nb\u2028c") for number in range(50)]
    message = ToolWasCalled("pay").evaluate(conversation(*calls)).message
    assert message.endswith(" and 30 more")
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("cls", [ToolWasCalled, ToolWasNotCalled])
@pytest.mark.parametrize("actual", ["a plain string", None, [], {"messages": []}])
def test_what_is_no_trajectory_is_an_error(cls, actual):
    with pytest.raises(InvalidInput, match=rf"{cls.__name__} evaluates a Trajectory, got {type(actual).__name__}"):
        cls("x").evaluate(actual)


@pytest.mark.parametrize("cls", [ToolWasCalled, ToolWasNotCalled])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": ""}, "name must be the name of a tool, got an empty text"),
        ({"name": None}, "name must be text, got NoneType"),
        ({"name": "a", "arguments": "x"}, "arguments must be a mapping or a callable, got str"),
        ({"name": "a", "arguments": {"q": int}}, "the type int"),
        ({"name": "a", "nested": 1}, "nested must be True or False, got int"),
        ({"name": "a", "executed_only": "yes"}, "executed_only must be True or False, got str"),
    ],
)
def test_an_option_that_cannot_mean_anything_is_refused(cls, options, problem):
    with pytest.raises(InvalidArgument) as caught:
        cls(**options)
    assert str(caught.value).startswith(f"{cls.__name__}: ")
    assert problem in str(caught.value)


def test_an_assertion_has_its_own_name_in_reports_and_takes_a_trajectory():
    assertion = ToolWasCalled("pay", {"sum": 3})
    assert (assertion.assertion_name, assertion.accepts, assertion.vacuous) == ("ToolWasCalled", "trajectory", False)
    assert assertion == ToolWasCalled("pay", {"sum": 3})
    assert repr(assertion) == "ToolWasCalled(name='pay', arguments={'sum': 3}, nested=False, executed_only=False)"
