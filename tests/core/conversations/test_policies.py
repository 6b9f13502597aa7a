from __future__ import annotations

import pytest

from neuron_evals.core.approvals import ApprovalRequest, Decision, Interrupt
from neuron_evals.core.conversations import Conversation
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.trajectories import Trajectory
from neuron_evals.policies import approve_all, by_tool, from_item, reject_all, when
from tests.core.conversations.doubles import LARGE, SMALL, Shop


def decided(policy, *names, **arguments):
    """Return what a policy decides on one pending call of each tool."""
    actions = tuple(ToolCall(name, arguments, f"id-{name}", approval="pending") for name in names)
    decisions = policy(ApprovalRequest(actions=actions), Trajectory())
    assert list(decisions) == [f"id-{name}" for name in names]
    return [Decision.parse(decision).plain for decision in decisions.values()]


def test_all__approved_or_rejected():
    assert decided(approve_all(), "a", "b") == ["approve", "approve"]
    assert decided(reject_all(), "a") == ["reject"]
    assert decided(reject_all("closed"), "a") == [("reject", "closed")]


def test_by_tool__exact_names_and_the_rest():
    """inspect_ai matched by prefix, so that a rule for `add` approved `add_user`."""
    policy = by_tool({"add": "approve", "*": "reject"})
    assert decided(policy, "add", "addition", "add_user", "Add") == ["approve", "reject", "reject", "reject"]


def test_by_tool__all_forms_of_decisions():
    policy = by_tool({"a": ("reject", "no"), "b": ["edit", {"x": 1}], "c": Decision("approve"), "d": reject_all("off")})
    assert decided(policy, "a", "b", "c", "d") == [("reject", "no"), ("edit", {"x": 1}), "approve", ("reject", "off")]


def test_by_tool__unknown_tool_and_no_rest__says_what_it_knows():
    with pytest.raises(
        EvaluationError, match=r'no decision for the tool "pay" \(id-pay\); it knows add, sub, and "\*"'
    ):
        decided(by_tool({"add": "approve", "sub": "reject"}), "pay")


def test_by_tool__decided_calls_are_left_alone():
    request = ApprovalRequest(actions=(ToolCall("pay", {}, "done", approval="approved"),))
    assert by_tool({"add": "approve"})(request, Trajectory()) == {}


@pytest.mark.parametrize("name", ["add*", "a?d", "[ab]", "**"])
def test_by_tool__pattern_without_globs__refused(name):
    with pytest.raises(InvalidArgument, match="looks like a pattern"):
        by_tool({name: "approve"})


def test_by_tool__globs__exact_first_then_in_order():
    policy = by_tool({"*": "reject", "get_*": "approve", "get_card": ("reject", "private")}, globs=True)
    assert decided(policy, "get_card", "pay") == [("reject", "private"), "reject"]
    policy = by_tool({"get_?": "approve", "get_*": "reject"}, globs=True)
    assert decided(policy, "get_a", "get_all", "get_A") == ["approve", "reject", "approve"]
    with pytest.raises(EvaluationError, match="no decision"):
        decided(policy, "GET_a")


@pytest.mark.parametrize(
    ("decisions", "complaint"),
    [
        ({}, "with at least one"),
        ("approve", "expected a mapping"),
        ({"a": "aprove"}, r"by_tool\['a'\]: a decision is"),
        ({"a": True}, "got True"),
        ({1: "approve"}, "named by text, got 1"),
        ({"": "approve"}, "named by text"),
    ],
)
def test_by_tool__what_means_nothing__refused_at_once(decisions, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        by_tool(decisions)


def test_when__by_a_condition_and_nested():
    policy = when(
        lambda call: call.arguments["amount"] > 100,
        ("reject", "above the limit"),
        by_tool({"refund": "approve", "*": "reject"}),
    )
    assert decided(policy, "refund", "pay", amount=500) == [("reject", "above the limit")] * 2
    assert decided(policy, "refund", "pay", amount=5) == ["approve", "reject"]


async def later(_call):
    return False


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((later, "approve", "reject"), "plain callable"),
        (("amount", "approve", "reject"), "plain callable"),
        ((bool, "yes", "reject"), "when: then: a decision is"),
        ((bool, "approve", None), "when: otherwise: a decision is"),
    ],
)
def test_when__what_means_nothing__refused_at_once(arguments, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        when(*arguments)


def test_when__predicate_that_gives_something_to_await__refused_and_not_taken_as_true():
    given = []

    def asked(call):
        given.append(later(call))
        return given[-1]

    with pytest.raises(EvaluationError, match="when: predicate must return its answer at once"):
        decided(when(asked, "approve", "reject"), "refund")
    given[0].close()


def test_reject_all__reason_that_is_no_text__refused_at_once():
    with pytest.raises(InvalidArgument, match=r"reject_all: a decision is .* got .'reject', 5."):
        reject_all(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "decisions"),
    [
        ("approve", ["approve", "approve"]),
        ("reject", ["reject", "reject"]),
        ({"refund": ["reject", "too much"], "*": "approve"}, [("reject", "too much"), "approve"]),
    ],
)
def test_from_item__as_it_is_written(given, decisions):
    assert decided(from_item({"approvals": given}), "refund", "pay") == decisions


def test_from_item__under_another_key():
    assert decided(from_item({"human": "reject"}, key="human"), "pay") == ["reject"]


@pytest.mark.parametrize(
    ("item", "complaint"),
    [
        ({"input": "x"}, 'the item has no "approvals"'),
        ({"approvals": "yes"}, '"approvals": expected "approve" or "reject".*got \'yes\''),
        ({"approvals": None}, "got None"),
        ({"approvals": True}, "got True"),
        ({"approvals": {}}, "with at least one"),
        ({"approvals": {"refund": "maybe"}}, r"by_tool\['refund'\]"),
    ],
)
def test_from_item__nothing_to_read__error(item, complaint):
    with pytest.raises(EvaluationError, match=complaint):
        from_item(item)


@pytest.mark.parametrize("policy", [approve_all(), reject_all(), by_tool({"*": "approve"})])
def test_other_interrupt__no_ready_made_policy_answers_it(policy):
    with pytest.raises(
        EvaluationError, match=f"{policy.name} decides on tool calls, and the agent stopped with Interr"
    ):
        policy(Interrupt("number?"), Trajectory())


def test_policy__in_a_conversation(hold):
    shop = Shop()
    policy = when(lambda call: call.arguments["amount"] > 100, ("reject", "above the limit"), "approve")
    trajectory = hold(Conversation(shop.agent([LARGE, SMALL], "ok")).with_turns(["Refund"]).with_approvals(policy))
    assert [(call.approval, call.reject_reason) for call in trajectory.tool_calls()] == [
        ("rejected", "above the limit"),
        ("approved", None),
    ]
    assert shop.refunds == [("A1", 5)]
