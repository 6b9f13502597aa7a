from __future__ import annotations

import pytest

from neuron_evals.core.approvals import ApprovalRequest, Decision, Interrupt, read_decisions
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.messages import ToolCall

PAY = ToolCall("pay", {"sum": 3}, id="a", approval="pending")
MAIL = ToolCall("mail", id="b", approval="pending")
DECIDED = ToolCall("read", id="c", approval="approved")
REQUEST = ApprovalRequest(actions=(PAY, DECIDED, MAIL))


def test_a_request_is_an_interrupt_whose_pending_actions_need_a_decision():
    assert isinstance(REQUEST, Interrupt)
    assert REQUEST.pending == (PAY, MAIL)
    assert REQUEST.payload is None


@pytest.mark.parametrize("actions", [[ToolCall("pay", approval="pending")], [PAY, ToolCall("mail", id="a")]])
def test_actions_that_a_decision_cannot_name_are_refused(actions):
    with pytest.raises(InvalidArgument, match="each action needs an id of its own, pay has "):
        ApprovalRequest(actions=actions)


@pytest.mark.parametrize(
    ("given", "decision"),
    [
        ("approve", Decision("approve")),
        ("reject", Decision("reject")),
        (("reject", "too much"), Decision("reject", reason="too much")),
        (["reject", ""], Decision("reject", reason="")),
        (("edit", {"sum": 2}), Decision("edit", arguments={"sum": 2})),
        (["edit", {}], Decision("edit", arguments={})),
        (Decision("approve"), Decision("approve")),
    ],
)
def test_decisions_are_read(given, decision):
    assert Decision.parse(given) == decision


@pytest.mark.parametrize(
    "given",
    [
        "approved", "Approve", "", None, True, False, 1, "edit", ("reject",), ("approve", "fine"), ("reject", None),
        ("reject", 3), ("edit",), ("edit", None), ("edit", '{"sum": 2}'), ("edit", {}, {}), {"reject": "x"}, b"approve",
    ],
)  # fmt: skip
def test_anything_else_is_no_decision(given):
    with pytest.raises(InvalidArgument) as caught:
        Decision.parse(given)
    assert str(caught.value) == (
        f'a decision is "approve", "reject", ("reject", "reason"), or ("edit", {{"argument": value}}); got {given!r}'
    )


def test_decisions_come_in_the_order_of_the_actions():
    read = read_decisions(REQUEST, {"b": "approve", "a": ("reject", "no")})
    assert list(read.items()) == [("a", Decision("reject", reason="no")), ("b", Decision("approve"))]


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ({}, ["pay (a) has no decision", "mail (b) has no decision"]),
        ({"a": "approve"}, ["mail (b) has no decision"]),
        ({"a": "approve", "b": "approve", "z": "approve"}, ["'z' is no pending action"]),
        ({"a": "approve", "b": "approve", "c": "approve"}, ["'c' is no pending action"]),
        (
            {"a": "ok", "z": "approve"},
            ["mail (b) has no decision", "'z' is no pending action", "pay (a): a deci"],
        ),
        ("approve", ["a policy returns a mapping from action id to decision, got str"]),
        (None, ["got NoneType"]),
    ],
)
def test_every_problem_of_a_policy_is_named_before_anything_is_resumed(given, problems):
    with pytest.raises(EvaluationError) as caught:
        read_decisions(REQUEST, given)
    assert all(problem in str(caught.value) for problem in problems)
    assert "\n" not in str(caught.value)
