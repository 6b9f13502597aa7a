"""Agents that stop to ask in a conversation, and what policies answer."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from neuron_evals.core.agents import AgentReply
from neuron_evals.core.approvals import ApprovalRequest, Decision, Interrupt
from neuron_evals.core.conversations import Conversation
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.messages import ToolCall
from tests.core.conversations.doubles import LARGE, SEARCH, SMALL, Asking, Shop, interrupt


def told(trajectory):
    return [(call.id, call.approval, call.result, call.reject_reason) for call in trajectory.tool_calls()]


@pytest.mark.parametrize(
    ("decision", "outcome", "done"),
    [
        ("approve", ("large", "approved", "refunded 500", None), [("A2", 500)]),
        ("reject", ("large", "rejected", None, None), []),
        (("reject", "too much"), ("large", "rejected", None, "too much"), []),
        (["reject", "too much"], ("large", "rejected", None, "too much"), []),
        (Decision("reject", reason="no"), ("large", "rejected", None, "no"), []),
        (("edit", {"order": "A2", "amount": 50}), ("large", "approved", "refunded 50", None), [("A2", 50)]),
    ],
)
def test_decision__carried_out_and_in_the_trajectory(hold, decision, outcome, done):
    shop = Shop()
    conversation = Conversation(shop.agent([LARGE], "Done.")).with_turns(["Refund A2"])
    trajectory = hold(conversation.with_approvals(lambda request, _: dict.fromkeys(ids(request), decision)))
    assert told(trajectory) == [outcome]
    assert shop.refunds == done
    assert trajectory.final_answer() == "Done."


def ids(request):
    return [action.id for action in request.pending]


def test_policy__sees_the_pending_calls_with_their_arguments_and_the_conversation(hold):
    seen = []

    def policy(request, so_far):
        seen.append(([call.arguments for call in request.pending], so_far.tool_calls("refund")[0].approval))
        return dict.fromkeys(ids(request), "approve")

    hold(Conversation(Shop().agent([LARGE], "ok")).with_turns(["Refund"]).with_approvals(policy))
    assert seen == [([LARGE.arguments], "pending")]


def test_async_policy__awaited(hold):
    async def policy(request, _so_far):
        return dict.fromkeys(ids(request), "approve")

    shop = Shop()
    hold(Conversation(shop.agent([SMALL], "ok")).with_turns(["Refund"]).with_approvals(policy))
    assert shop.refunds == [("A1", 5)]


def test_call_without_a_gate_beside_a_denied_one__runs_once_and_order_and_ids_stay(hold):
    """pydantic-ai ran the former again, and lost the denial."""
    shop = Shop()
    conversation = Conversation(shop.agent([SEARCH, LARGE], "ok")).with_turns(["Go"])
    trajectory = hold(conversation.with_approvals(lambda _request, _so_far: {"large": "reject"}))
    assert told(trajectory) == [("search", None, ["A1"], None), ("large", "rejected", None, None)]
    assert (shop.searches, shop.refunds) == (1, [])


def test_same_tool_later__needs_an_approval_of_its_own_and_nothing_runs_again(hold):
    asked = []

    def policy(request, _so_far):
        asked.append(ids(request))
        return {"small": "approve"} if ids(request) == ["small"] else {"large": "reject"}

    shop = Shop()
    hold(Conversation(shop.agent([SMALL], "ok", [LARGE], "ok")).with_turns(["a", "b"]).with_approvals(policy))
    assert asked == [["small"], ["large"]]
    assert shop.refunds == [("A1", 5)]


def test_resumption_that_stops_again__asks_again_in_the_same_turn(hold):
    shop = Shop()
    trajectory = hold(
        Conversation(shop.agent([SMALL], [LARGE], "Done."))
        .with_turns(["Refund both"])
        .with_approvals(lambda request, _: dict.fromkeys(ids(request), "approve"))
    )
    assert shop.refunds == [("A1", 5), ("A2", 500)]
    assert trajectory.ending.turns == 1


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, r"refund \(large\) has no decision; refund \(small\) has no decision"),
        ({"large": "approve"}, r"refund \(small\) has no decision"),
        ({"large": "aprove", "small": "approve"}, r"refund \(large\): a decision is .*got 'aprove'"),
        ({"large": True, "small": "approve"}, "got True"),
        ({"large": ["reject"], "small": "approve"}, r"got \['reject'\]"),
        ({"large": "approve", "small": "approve", "other": "approve"}, "'other' is no pending action"),
        ({"approvals": {"large": True}, "results": {"small": "x"}}, "'approvals' is no pending action"),
        ("approve", "returns a mapping from action id to decision, got str"),
        (None, "returns a mapping from action id to decision, got NoneType"),
    ],
)
def test_decisions_that_cannot_be_used__refused_before_anything_is_resumed(hold, given, complaint):
    shop = Shop()
    agent = shop.agent([LARGE, SMALL], "never")
    with pytest.raises(EvaluationError, match=complaint):
        hold(Conversation(agent).with_turns(["Go"]).with_approvals(lambda _request, _so_far: given))
    assert shop.refunds == []


PAY = ApprovalRequest(actions=(ToolCall("pay", {}, "a", approval="pending"),))


@pytest.mark.parametrize("given", [{}, {"a": "aprove"}, {"a": "approve", "b": "approve"}, "approve"])
def test_decisions_that_cannot_be_used__an_agent_that_would_take_them_is_not_resumed(hold, given):
    agent = Asking(PAY)
    with pytest.raises(EvaluationError, match="approvals: "):
        hold(Conversation(agent).with_turns(["Go"]).with_approvals(lambda _request, _so_far: given))
    assert agent.resumed == []


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (Decision("approve"), "approve"),
        (Decision("reject", reason="no"), ("reject", "no")),
        (["reject", "no"], ("reject", "no")),
        (["edit", {"x": 1}], ("edit", {"x": 1})),
    ],
)
def test_decision_in_any_form__the_agent_gets_its_plain_form(hold, given, plain):
    agent = Asking(PAY)
    hold(Conversation(agent).with_turns(["Go"]).with_approvals(lambda _request, _so_far: {"a": given}))
    assert agent.resumed == [{"a": plain}]


def test_action_that_was_decided_before__needs_none(hold):
    request = ApprovalRequest(
        actions=(ToolCall("read", {}, "a", result="x"), ToolCall("pay", {}, "b", approval="pending"))
    )
    agent = Asking(request)
    hold(Conversation(agent).with_turns(["Go"]).with_approvals(lambda _request, _so_far: {"b": "approve"}))
    assert agent.resumed == [{"b": "approve"}]


def test_no_policy__refused_with_what_was_asked(hold):
    with pytest.raises(
        EvaluationError, match=r"stopped with ApprovalRequest \(refund\).*call with_approvals\(policy\)"
    ):
        hold(Conversation(Shop().agent([LARGE])).with_turns(["Go"]))


def test_no_policy__other_interrupt_named_by_its_type(hold):
    @dataclass(frozen=True)
    class NeedsPhoneNumber(Interrupt):
        pass

    with pytest.raises(EvaluationError, match="stopped with NeedsPhoneNumber, and there is no policy"):
        hold(Conversation(Asking(NeedsPhoneNumber())).with_turns(["Go"]))


@pytest.mark.parametrize("answer", [{"phone": "123"}, "anything", None, ["reject"]])
def test_other_interrupt__gets_what_the_policy_says_as_it_is(hold, answer):
    agent = Asking(interrupt("your number?"))
    asked = []

    def policy(request, _so_far):
        asked.append(request.payload)
        return answer

    hold(Conversation(agent).with_turns(["Go"]).with_approvals(policy))
    assert agent.resumed == [answer]
    assert agent.resumed[0] is answer
    assert asked == ["your number?"]


@pytest.mark.parametrize("what", [True, {"id": 1}, "approval"])
def test_interrupt_without_a_request__refused_and_the_policy_is_not_called(hold, what):
    called = []
    with pytest.raises(EvaluationError, match="stopped without a request"):
        hold(Conversation(Asking(what)).with_turns(["Go"]).with_approvals(lambda *args: called.append(args)))
    assert called == []


@pytest.mark.parametrize(("allowed", "asked"), [(None, 10), (3, 3)])
def test_agent_that_stops_again_and_again__ended_at_the_cap(hold, allowed, asked):
    agent = Asking(*[interrupt()] * 30)
    conversation = Conversation(agent).with_turns(["Go"]).with_approvals(lambda _request, _so_far: "go on")
    if allowed is not None:
        conversation = conversation.with_max_suspensions(allowed)
    with pytest.raises(EvaluationError, match=f"more than {asked} times in turn 1; with_max_suspensions"):
        hold(conversation)
    assert len(agent.resumed) == asked


def test_cap__counts_within_a_turn_only(hold):
    agent = Asking(interrupt(), interrupt(), None, interrupt(), interrupt())
    agent.chat = _stopping(agent)  # type: ignore[method-assign]
    conversation = Conversation(agent).with_turns(["a", "b"]).with_approvals(lambda _request, _so_far: "go on")
    assert hold(conversation.with_max_suspensions(1)).ending.turns == 2


def _stopping(agent):
    """Return a `chat` that always stops to ask, for an agent whose resumptions do not."""
    agent.interrupts = ()
    chat = type(agent).chat

    def stops(message):
        reply = chat(agent, message)
        return AgentReply(reply.text, reply.message, interrupt())

    return stops


@pytest.mark.parametrize("count", [0, -1, 2.0, True])
def test_cap_below_one__refused_at_once(count):
    with pytest.raises(InvalidArgument, match="count must be a whole number, 1 or more"):
        Conversation(Asking()).with_max_suspensions(count)


def test_what_a_policy_raises__goes_through(hold):
    def policy(_request, _so_far):
        raise LookupError("no such rule")

    with pytest.raises(LookupError, match="no such rule"):
        hold(Conversation(Asking(interrupt())).with_turns(["Go"]).with_approvals(policy))
