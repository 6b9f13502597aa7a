from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.jsonable import Undecodable, clean_json, decode, encode
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.trajectories import Trajectory

REFUND = Trajectory.from_messages(
    [
        Message("system", "Be brief."),
        Message("user", "Refund, please"),
        Message("user", ""),
        Message("assistant", "Let me look.", [ToolCall("search", {"q": "order"}, id="1")], Usage(10, 2)),
        Message("tool", tool_calls=[ToolCall("search", {"q": "order"}, id="1", result="#7")]),
        Message("assistant", "", [ToolCall("refund", {"id": 7}, id="2", approval="pending")], Usage(20, 3)),
        Message("tool", tool_calls=[ToolCall("refund", {"id": 7}, id="2", approval="rejected")]),
        Message("assistant", "I cannot do that.", usage=Usage(30, 4)),
        Message("user", "Why?"),
        Message("assistant", ""),
    ]
)


def test_accessors_give_what_happened():
    assert REFUND.count() == 10
    assert [message.role for message in REFUND.messages()][:2] == ["system", "user"]
    assert REFUND.user_messages() == ["Refund, please", "Why?"]
    assert REFUND.final_answer() == "I cannot do that."
    assert [(call.name, call.result, call.approval) for call in REFUND.tool_calls()] == [
        ("search", "#7", None),
        ("refund", None, "rejected"),
    ]
    assert [call.name for call in REFUND.tool_calls("refund")] == ["refund"]
    assert REFUND.tool_calls("Refund") == []
    assert REFUND.last_tool_call().name == "refund"
    assert REFUND.last_tool_call("search").result == "#7"
    assert REFUND.last_tool_call("pay") is None
    assert REFUND.ignored_results() == 0
    assert repr(REFUND) == "<Trajectory: 10 messages, 2 tool calls>"


def test_an_empty_trajectory_has_nothing_of_anything():
    empty = Trajectory.from_messages([])
    assert (empty.count(), empty.messages(), empty.user_messages(), empty.tool_calls()) == (0, [], [], [])
    assert (empty.final_answer(), empty.to_transcript(), empty.last_tool_call()) == ("", "", None)


def test_text_that_accompanies_a_suspended_call_is_the_final_answer():
    tail = [Message("user", "Refund"), Message("assistant", "One moment.", [ToolCall("refund", approval="pending")])]
    assert Trajectory.from_messages(tail).final_answer() == "One moment."
    assert Trajectory.from_messages([tail[0], Message("assistant", "", tail[1].tool_calls)]).final_answer() == ""


@pytest.mark.parametrize(
    ("usages", "total"),
    [
        ([Usage(10, 5, cached_input=4, reasoning=1), Usage(1, 2, cached_input=0, reasoning=0)], Usage(11, 7, 4, 1, 2)),
        ([Usage(10, 5), None], Usage(10, 5, requests=1)),
        ([Usage(10, None), Usage(1, 2)], Usage(11, None, requests=2)),
        ([None, None], Usage(requests=0)),
        ([], Usage(requests=0)),
    ],
)
def test_usage_is_the_sum_of_what_is_known_and_never_zero_for_unknown(usages, total):
    trajectory = Trajectory.from_messages([Message("assistant", "x", usage=usage) for usage in usages])
    assert trajectory.usage() == total


def test_what_an_accessor_returned_can_be_changed_without_changing_the_trajectory():
    before = REFUND.to_transcript()
    REFUND.messages().clear()
    REFUND.tool_calls().clear()
    assert (REFUND.count(), REFUND.to_transcript()) == (10, before)


def test_trajectories_with_equal_messages_are_equal_and_have_no_hash():
    assert Trajectory.from_messages(REFUND.messages()) == REFUND
    assert Trajectory.from_messages(REFUND.messages()[:-1]) != REFUND
    assert REFUND.messages() != REFUND
    with pytest.raises(TypeError, match="unhashable"):
        hash(REFUND)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda held: pickle.loads(pickle.dumps(held))])  # noqa: S301  (its own)
def test_a_copy_is_equal(copied):
    assert copied(REFUND) == REFUND
    assert copied(REFUND).tool_calls() == REFUND.tool_calls()


@given(st.lists(st.sampled_from(REFUND.messages()), max_size=6))
def test_it_comes_back_from_the_round_trip(messages):
    trajectory = Trajectory.from_messages(messages)
    back = decode(encode({"output": trajectory}))["output"]
    assert type(back) is Trajectory
    assert (back, back.to_transcript()) == (trajectory, trajectory.to_transcript())


@pytest.mark.parametrize("text", ['{"$trajectory":7}', '{"$trajectory":[{"role":"user"}]}'])
def test_a_damaged_entry_cannot_be_read_back(text):
    with pytest.raises(Undecodable):
        decode(text)


def test_the_clean_view_keeps_calls_usage_and_the_number_of_ignored_outcomes():
    cleaned = clean_json(REFUND)
    assert list(cleaned) == ["messages", "ignored_results", "ending"]
    assert (cleaned["ignored_results"], cleaned["ending"]) == (0, None)
    assert cleaned["messages"][3]["tool_calls"][0]["arguments"] == {"q": "order"}
    assert cleaned["messages"][3]["usage"]["input"] == 10
    assert cleaned["messages"][6]["tool_calls"][0]["approval"] == "rejected"
