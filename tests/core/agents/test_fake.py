from __future__ import annotations

import asyncio

import pytest

from neuron_evals import FakeAgent, FakeScript, InvalidArgument, ToolCall
from neuron_evals.core.agents.contract import OVERRIDES


def test_fake_agent__says_that_it_is_one_until_it_is_told_otherwise():
    assert "fake" in FakeAgent().chat("hi").text
    assert FakeAgent(FakeScript("9 to 5")).chat("hi").text == "9 to 5"


def test_replies__one_for_each_turn_and_the_last_from_then_on():
    agent = FakeAgent(FakeScript(["a", "b"]))
    assert [agent.chat("x").text for _ in range(3)] == ["a", "b", "b"]
    assert agent.fresh().chat("x").text == "a"
    assert asyncio.run(agent.fresh().achat("x")).text == "a"


def test_calls__in_the_first_turn_with_their_outcomes():
    agent = FakeAgent(FakeScript("done", ["look", ToolCall("refund", {"id": 1}, result="ok")]))
    agent.chat("refund me")
    agent.chat("thanks")
    assert [(message.role, message.content) for message in agent.history] == [
        ("user", "refund me"),
        ("assistant", ""),
        ("tool", ""),
        ("assistant", "done"),
        ("user", "thanks"),
        ("assistant", "done"),
    ]
    proposed, outcomes = agent.history[1].tool_calls, agent.history[2].tool_calls
    assert [(call.name, call.id, call.result) for call in proposed] == [
        ("look", "fake_1", None),
        ("refund", "fake_2", None),
    ]
    assert [(call.name, call.ran) for call in outcomes] == [("look", False), ("refund", True)]


def test_script_of_an_item__by_id_else_by_position_else_the_usual_one():
    agent = FakeAgent(FakeScript("usual"), {"hours": FakeScript("by id"), "1": FakeScript("by position")})
    answers = [agent.for_item(item_id, index).chat("x").text for item_id, index in [("hours", 1), (None, 1), ("b", 0)]]
    assert answers == ["by id", "by position", "usual"]


def test_overrides__taken_and_not_looked_at():
    assert FakeAgent().fresh(**dict.fromkeys(OVERRIDES, "x")).history == ()


@pytest.mark.parametrize("script", [{"replies": []}, {"replies": [1]}, {"tool_calls": [1]}, {"tool_calls": [""]}])
def test_script_that_means_nothing__refused(script):
    with pytest.raises(InvalidArgument, match="FakeScript"):
        FakeScript(**script)
