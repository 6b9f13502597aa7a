"""Conversations as data, in items of a dataset."""

from __future__ import annotations

import json

import pytest

from neuron_evals.core.agents import Agent
from neuron_evals.core.conversations import Conversation, conversation_problems, is_simulated, player_name
from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.providers import FakeProvider
from tests.core.conversations.doubles import LARGE, SMALL, Asking, Shop

GOAL = {"goal": "Get a refund"}


@pytest.mark.parametrize(
    "item",
    [
        {"turns": ["Hi", {"content": "Bye"}, {"role": "user", "content": "", "attachments": [{"type": "image"}]}]},
        {"user": ["Hi", "Bye"]},
        {"user": GOAL},
        {"user": {**GOAL, "persona": "Impatient", "facts": ["order 123"], "max_turns": 1, "agent": "customer"}},
        {"user": {**GOAL, "facts": {"order": 123, "paid": "card"}}},
        {"input": "Hi", "approvals": "approve"},
        {"turns": ["Hi"], "approvals": {"refund": ["reject", "too much"], "pay": ["edit", {"x": 1}], "*": "approve"}},
        {"turns": ["Hi"], "reference": "x", "_assertions": [], "stubs": {}, "tags": ["a"]},
    ],
)
def test_valid_item__no_problem(item):
    assert conversation_problems(item) == []


@pytest.mark.parametrize(
    ("item", "problems"),
    [
        ({}, [("(item)", "nobody speaks; give turns, user or input")]),
        ({"turns": "Hi"}, [("turns", "must be a list of texts or messages, got str")]),
        ({"turns": None}, [("turns", "must be a list of texts or messages, got NoneType")]),
        ({"turns": []}, [("turns", "must have at least one turn")]),
        ({"turns": ["Hi", " "]}, [("turns[1]", "a turn must say something, got blank text")]),
        (
            {"turns": [{"content": "x", "contents": "y"}]},
            [("turns[0].contents", "unknown key; a turn has role, content, attachments")],
        ),
        (
            {"turns": [{"role": "assistant", "content": "x"}]},
            [("turns[0].role", "must be user: the agent is told what its user says, got 'assistant'")],
        ),
        ({"turns": ["Hi"], "user": ["Ho"]}, [("user", "turns and user exclude one another; drop one")]),
        ({"turns": ["Hi"], "input": "Ho"}, [("input", "say it in turns; a conversation has no input beside")]),
        ({"user": ["Hi"], "input": "Ho"}, [("input", "say it in user; a conversation has no input beside")]),
        ({"input": "", "approvals": "approve"}, [("input", "a turn must say something, got blank text")]),
        ({"user": []}, [("user", "must have at least one turn")]),
        (
            {"user": [7]},
            [("user[0]", "a turn is text, a Message of the user, or a mapping with the key content, got int")],
        ),
        (
            {"user": "Hi"},
            [("user", "must be a list of texts, or a mapping with persona, goal, facts, max_turns, agent, got str")],
        ),
        ({"user": {}}, [("user.goal", "is missing; say what the user wants")]),
        ({"user": {"goal": " "}}, [("user.goal", "must be text that is not blank, got ' '")]),
        (
            {"user": {**GOAL, "gaol": "x"}},
            [
                (
                    "user.gaol",
                    'unknown key; did you mean "goal"? a user has persona, goal, facts, max_turns, agent',
                )
            ],
        ),
        (
            {"user": {**GOAL, "budget": 1}},
            [("user.budget", "unknown key; a user has persona, goal, facts, max_turns, agent")],
        ),
        ({"user": {**GOAL, "persona": 7}}, [("user.persona", "must be text that is not blank, got 7")]),
        ({"user": {**GOAL, "agent": None}}, [("user.agent", "must be text that is not blank, got None")]),
        ({"user": {**GOAL, "max_turns": 0}}, [("user.max_turns", "must be a whole number, 1 or more, got 0")]),
        ({"user": {**GOAL, "max_turns": True}}, [("user.max_turns", "must be a whole number, 1 or more, got True")]),
        ({"user": {**GOAL, "facts": "x"}}, [("user.facts", "facts must be a list of texts or a mapping, got str")]),
        (
            {"turns": ["Hi"], "approvals": "aprove"},
            [("approvals", 'must be "approve" or "reject", or a mapping from tool to decision, got \'aprove\'')],
        ),
        ({"turns": ["Hi"], "approvals": {}}, [("approvals", 'must name at least one tool, or "*" for all')]),
    ],
)
def test_item_that_cannot_be_run__each_problem_with_its_place(item, problems):
    assert conversation_problems(item) == problems


def test_all_problems__at_once():
    item = {
        "turns": ["", 7],
        "user": {"max_turns": 0},
        "approvals": {"refund": "maybe", "get_*": "approve", "pay": True},
    }
    assert [path for path, _ in conversation_problems(item)] == [
        "turns[0]",
        "turns[1]",
        "user",
        "user.goal",
        "user.max_turns",
        "approvals.refund",
        "approvals.get_*",
        "approvals.pay",
    ]


@pytest.mark.parametrize("given", [None, True, 1, ["approve"], ["reject", "x"]])
def test_approvals_that_are_neither_text_nor_mapping__refused(given):
    [(path, message)] = conversation_problems({"turns": ["Hi"], "approvals": given})
    assert (path, message.endswith(f"got {given!r}")) == ("approvals", True)


def test_turns_and_approvals__run_as_written(hold):
    item = json.loads('{"turns": ["Refund both", "Thanks"], "approvals": {"refund": ["reject", "too much"]}}')
    trajectory = hold(Conversation.from_item(Shop().agent([LARGE, SMALL], "No.", "Bye."), item))
    assert trajectory.user_messages() == ["Refund both", "Thanks"]
    assert [(call.approval, call.reject_reason) for call in trajectory.tool_calls()] == [("rejected", "too much")] * 2


def test_input_with_approvals__one_turn():
    shop = Shop()
    item = {"input": "Refund", "approvals": "approve"}
    assert Conversation.from_item(shop.agent([SMALL], "Done."), item).run().ending.turns == 1
    assert shop.refunds == [("A1", 5)]


def test_list_as_user__says_all_of_it_however_long():
    trajectory = Conversation.from_item(Asking(), {"user": [str(n) for n in range(12)]}).run()
    assert (len(trajectory.user_messages()), trajectory.ending.reason) == (12, "user_stopped")


def test_simulated_user__played_by_the_agent_that_is_given(hold):
    player = FakeProvider(
        {"reason": "to begin", "stop": False, "message": "Refund order 123"},
        {"reason": "not yet", "stop": False, "message": "And?"},
    )
    item = {"user": {**GOAL, "persona": "A customer in a hurry", "facts": {"order": 123}, "max_turns": 2}}
    trajectory = hold(Conversation.from_item(Asking(), item, simulator_agent=Agent(player)))
    assert trajectory.user_messages() == ["Refund order 123", "And?"]
    assert (trajectory.ending.reason, trajectory.ending.detail) == ("max_turns", "not yet")
    asked = " ".join(message.content for message in player.requests[0].messages) + player.requests[0].instructions
    assert all(text in asked for text in ("Get a refund", "A customer in a hurry", "order: 123"))


def test_simulated_user_and_nobody_to_play_it__refused():
    with pytest.raises(EvaluationError, match="user: a simulated user needs an agent that plays it"):
        Conversation.from_item(Asking(), {"user": GOAL})


def test_item_with_problems__refused_with_all_of_them():
    with pytest.raises(EvaluationError, match=r"no conversation: turns\[0\]: .*; approvals: must name"):
        Conversation.from_item(Asking(), {"turns": [""], "approvals": {}})


@pytest.mark.parametrize(
    ("item", "simulated", "name"),
    [
        ({"user": {**GOAL, "agent": "customer"}}, True, "customer"),
        ({"user": GOAL}, True, None),
        ({"user": ["Hi"]}, False, None),
        ({"turns": ["Hi"]}, False, None),
    ],
)
def test_who_plays__told_for_those_who_look_agents_up(item, simulated, name):
    assert (is_simulated(item), player_name(item)) == (simulated, name)
