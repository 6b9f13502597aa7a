from __future__ import annotations

import pytest

from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.trajectories import Trajectory


def proposed(*calls):
    return Message("assistant", tool_calls=calls)


def outcome(*calls):
    return Message("tool", tool_calls=calls)


def folded(*messages):
    """Return result, or error, of each call of a conversation, and the number of ignored outcomes."""
    trajectory = Trajectory.from_messages(messages)
    return [call.error or call.result for call in trajectory.tool_calls()], trajectory.ignored_results()


A, B = ToolCall("search", {"q": "a"}, id="1"), ToolCall("search", {"q": "b"}, id="2")


def result(text, call_id=None, name="search"):
    return ToolCall(name, id=call_id, result=text)


@pytest.mark.parametrize(
    ("messages", "results", "ignored"),
    [
        ([proposed(A, B), outcome(result("a", "1"), result("b", "2"))], ["a", "b"], 0),
        ([proposed(A, B), outcome(result("a", "1")), outcome(result("b", "2"))], ["a", "b"], 0),
        ([proposed(A, B), outcome(result("b", "2")), outcome(result("a", "1"))], ["a", "b"], 0),
        ([proposed(A, B), outcome(result("b", "2"))], [None, "b"], 0),
        ([proposed(A), outcome(result("a", "1")), outcome(result("forged", "1"))], ["a"], 1),
        ([proposed(A), outcome(result("forged", "9"))], [None], 1),
        ([proposed(A), outcome(result("a", "1")), proposed(B), outcome(result("forged", "1"))], ["a", None], 1),
        ([proposed(A), Message("user", "wait"), outcome(result("late", "1"))], [None], 1),
        ([proposed(A), Message("system", "x"), outcome(result("late", "1"))], [None], 1),
        ([proposed(A), Message("assistant", "hm"), outcome(result("late", "1"))], [None], 1),
        ([outcome(result("forged", "1")), proposed(A)], [None], 1),
        ([Message("user", tool_calls=[A]), outcome(result("forged", "1"))], [], 1),
        ([], [], 0),
    ],
)
def test_an_outcome_resolves_an_open_call_of_the_round_once(messages, results, ignored):
    assert folded(*messages) == (results, ignored)


@pytest.mark.parametrize(
    ("names", "outcomes", "results", "ignored"),
    [
        (["search", "search"], [result("a"), result("b")], ["a", "b"], 0),
        (["search", "read", "search"], [result("a"), result("b"), result("r", name="read")], ["a", "r", "b"], 0),
        (["search", "read"], [result("s", name=""), result("r", name="")], ["s", "r"], 0),
        (["search"], [result("a"), result("b")], ["a"], 1),
        (["search"], [result("p", name="pay")], [None], 1),
        (["search"], [result("a", "generated")], [None], 1),
    ],
)
@pytest.mark.parametrize("in_one_message", [True, False])
def test_calls_without_ids_are_paired_in_order(names, outcomes, results, ignored, in_one_message):
    told = [outcome(*outcomes)] if in_one_message else [outcome(call) for call in outcomes]
    assert folded(proposed(*map(ToolCall, names)), *told) == (results, ignored)


def test_calls_that_share_an_id_in_one_round_are_paired_in_order():
    twins = proposed(ToolCall("a", id="x"), ToolCall("a", id="x"))
    assert folded(twins, outcome(result("1", "x")), outcome(result("2", "x"))) == (["1", "2"], 0)


def test_an_outcome_without_an_id_goes_to_the_first_open_call_of_its_tool():
    assert folded(proposed(A, B), outcome(result("a", "1")), outcome(result("b"))) == (["a", "b"], 0)


def test_the_outcome_wins_and_the_proposal_fills_what_it_leaves_open():
    asked = ToolCall("pay", {"sum": 3}, id="1", approval="pending", approval_reason="costs money")
    edited = ToolCall("other", {"sum": 2}, id="1", result="paid", approval="approved")
    (call,) = Trajectory.from_messages([proposed(asked), outcome(edited)]).tool_calls()
    assert call == ToolCall(
        "pay", {"sum": 2}, id="1", result="paid", approval="approved", approval_reason="costs money"
    )
    (call,) = Trajectory.from_messages([proposed(asked), outcome(ToolCall("pay", id="1", error="boom"))]).tool_calls()
    assert (call.arguments, call.error, call.approval) == ({"sum": 3}, "boom", None)


def test_arguments_that_no_one_could_read_stay_with_the_call():
    broken = ToolCall("pay", "{", id="1")  # type: ignore[arg-type]
    (call,) = Trajectory.from_messages([proposed(broken), outcome(result("bad arguments", "1"))]).tool_calls()
    assert (call.arguments, call.invalid_arguments, call.result) == ({}, "{", "bad arguments")


def test_a_call_that_is_still_pending_stays_open():
    waiting = ToolCall("pay", id="1", approval="pending", approval_reason="costs money")
    done = ToolCall("pay", id="1", approval="approved", result="paid")
    conversation = [proposed(ToolCall("pay", id="1")), outcome(waiting), outcome(done)]
    assert folded(*conversation) == (["paid"], 0)
    (call,) = Trajectory.from_messages(conversation[:2]).tool_calls()
    assert (call.approval, call.approval_reason, call.ran) == ("pending", "costs money", False)


@pytest.mark.parametrize(
    ("told", "ran"),
    [
        (ToolCall("log", id="1"), True),
        (ToolCall("log", id="1", approval="approved"), True),
        (ToolCall("log", id="1", approval="rejected"), False),
        (ToolCall("log", id="1", executed=False), False),
        (None, False),
    ],
)
def test_a_tool_that_returned_nothing_ran_unless_it_was_held_back(told, ran):
    conversation = [proposed(ToolCall("log", id="1")), *([outcome(told)] if told else [])]
    (call,) = Trajectory.from_messages(conversation).tool_calls()
    assert call.ran is ran


def test_a_round_of_many_calls_with_shared_and_missing_ids_is_folded():
    many = 20_000
    calls = [ToolCall("a", id=None if number % 2 else "same") for number in range(many)]
    outcomes = [ToolCall("a", id=None if number % 2 else "same", result=number) for number in range(many)]
    results, ignored = folded(proposed(*calls), *[outcome(told) for told in outcomes])
    assert ignored == 0
    assert sorted(results) == list(range(many))
