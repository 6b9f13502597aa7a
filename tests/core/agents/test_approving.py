"""Turns that stop for a decision, and go on with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, AgentError, AgentReply, Tool
from neuron_evals.core.approvals import ApprovalRequest
from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.trajectories import Trajectory

Resume = Callable[[Agent, Any], AgentReply]


def refund(order: str, amount: float) -> str:
    return f"refunded {amount} for {order}"


def search() -> list[str]:
    return ["A1"]


SMALL = ToolCall("refund", {"order": "A1", "amount": 5}, "small")
LARGE = ToolCall("refund", {"order": "A2", "amount": 500}, "large")
HUGE = ToolCall("refund", {"order": "A3", "amount": 9000}, "huge")
SEARCH = ToolCall("search", {}, "search")


def agent(*replies: Any, **options: Any) -> Agent:
    rule = Tool.from_function(refund, approval=lambda given: "above 100" if given["amount"] > 100 else False)
    return Agent(FakeProvider(*replies), tools=[rule, search], **options)


@pytest.fixture(params=["plain", "async"])
def resume(request) -> Resume:
    if request.param == "plain":
        return lambda tested, payload: tested.resume(payload)
    return lambda tested, payload: asyncio.run(tested.aresume(payload))


def outcomes(tested: Agent) -> list[ToolCall]:
    return Trajectory.from_messages(tested.history).tool_calls()


def test_gated_call__suspends_the_turn_after_the_other_calls_of_the_round_ran():
    tested = agent(Message("assistant", "One moment.", [LARGE, SEARCH, SMALL]), "never")
    reply = tested.chat("Refund all.")
    assert isinstance(reply.interrupt, ApprovalRequest)
    [pending] = reply.interrupt.pending
    assert (pending.id, pending.arguments, pending.approval_reason) == ("large", LARGE.arguments, "above 100")
    assert [action.id for action in reply.interrupt.actions] == ["large", "search", "small"]
    assert reply.text == "One moment."
    assert [(part.id, part.approval, part.ran) for part in outcomes(tested)] == [
        ("large", "pending", False),
        ("search", None, True),
        ("small", None, True),
    ]
    assert tested._setup.provider.call_count == 1  # type: ignore[attr-defined]


def test_gated_calls_alone__nothing_is_said_of_outcomes_before_there_are_any():
    tested = agent([LARGE], "never")
    tested.chat("Go")
    assert [message.role for message in tested.history] == ["user", "assistant"]
    assert [part.approval for part in tested.history[1].tool_calls] == ["pending"]


@pytest.mark.parametrize(
    ("decision", "recorded"),
    [
        ("approve", ("approved", True, "refunded 500.0 for A2", None)),
        ("reject", ("rejected", False, None, None)),
        (("reject", "too much"), ("rejected", False, None, "too much")),
        (["reject", "too much"], ("rejected", False, None, "too much")),
    ],
)
def test_decision__is_done_recorded_and_told_to_the_model(resume, decision, recorded):
    tested = agent([SEARCH, LARGE, SMALL], "Done.")
    tested.chat("Go")
    reply = resume(tested, {"large": decision})
    assert (reply.text, reply.interrupt) == ("Done.", None)
    assert [message.role for message in tested.history] == ["user", "assistant", "tool", "assistant"]
    decided = tested.history[2].tool_calls[1]
    assert (decided.approval, decided.ran, decided.result, decided.reject_reason) == recorded
    assert decided.approval_reason == "above 100"
    assert tested._setup.provider.requests[1].messages[2] == tested.history[2]  # type: ignore[attr-defined]
    assert [part.id for part in outcomes(tested)] == ["search", "large", "small"]


def test_edited_arguments__are_run_and_recorded_and_the_model_sees_what_was_run(resume):
    tested = agent([LARGE], "Done.")
    tested.chat("Go")
    resume(tested, {"large": ("edit", {"order": "A2", "amount": 50})})
    assert tested.history[1].tool_calls[0].arguments == LARGE.arguments
    [done] = outcomes(tested)
    assert (done.arguments, done.approval, done.result) == (
        {"order": "A2", "amount": 50},
        "approved",
        "refunded 50.0 for A2",
    )
    sent = tested._setup.provider.requests[1].messages  # type: ignore[attr-defined]
    assert sent[1].tool_calls[0].arguments == {"order": "A2", "amount": 50}


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (None, "a policy returns a mapping"),
        ({}, r"refund \(large\) has no decision; refund \(huge\) has no decision"),
        ({"large": "approve"}, r"refund \(huge\) has no decision"),
        ({"large": "approve", "huge": "yes"}, r"refund \(huge\): a decision is"),
        ({"large": "approve", "huge": "reject", "search": "approve"}, "'search' is no pending action"),
        ({"large": "approve", "huge": ("edit", {"amount": 1})}, r"refund \(huge\): .* order is missing"),
    ],
)
def test_decisions_that_cannot_be_used__nothing_runs_and_the_turn_still_waits(resume, payload, why):
    tested = agent([LARGE, HUGE, SEARCH], "Done.")
    tested.chat("Go")
    with pytest.raises(EvaluationError, match=why):
        resume(tested, payload)
    assert [part.approval for part in outcomes(tested)] == ["pending", "pending", None]
    assert resume(tested, {"large": "approve", "huge": "reject"}).text == "Done."


def test_turn__may_stop_again_and_its_usage_counts_from_the_start(resume):
    tested = agent(
        Message("assistant", tool_calls=[LARGE], usage=Usage(1, 1)),
        Message("assistant", tool_calls=[HUGE], usage=Usage(10, 10)),
        Message("assistant", "Done.", usage=Usage(100, 100)),
    )
    assert tested.chat("Go").usage.total == 2
    again = resume(tested, {"large": "approve"})
    assert [action.id for action in again.interrupt.pending] == ["huge"]
    last = resume(tested, {"huge": "reject"})
    assert (last.text, last.usage.total, last.usage.requests) == ("Done.", 222, 3)
    assert last.duration >= again.duration


def test_limit_of_model_calls__counts_on_through_decisions(resume):
    tested = agent([LARGE], [HUGE], "never", max_steps=2)
    tested.chat("Go")
    with pytest.raises(AgentError, match="after 2 model calls"):
        resume(tested, {"large": "approve"})
    assert [(part.approval, part.ran) for part in outcomes(tested)] == [("approved", True), (None, False)]


def test_chat_while_waiting_and_resume_while_not__are_refused():
    tested = agent([LARGE], "Done.")
    with pytest.raises(AgentError, match="nothing to resume"):
        tested.resume({"large": "approve"})
    tested.chat("Go")
    with pytest.raises(AgentError, match=r"waits for decisions; call resume\(\)"):
        tested.chat("Hello?")
    assert Trajectory.from_messages(tested.history).user_messages() == ["Go"]
    tested.resume({"large": "approve"})
    with pytest.raises(AgentError, match="nothing to resume"):
        tested.resume({"large": "approve"})


def test_provider_that_breaks_after_the_decision__the_tool_does_not_run_twice(resume):
    tested = agent([LARGE], RuntimeError("down"), "Back.")
    tested.chat("Go")
    with pytest.raises(RuntimeError, match="down"):
        resume(tested, {"large": "approve"})
    with pytest.raises(AgentError, match="nothing to resume"):
        resume(tested, {"large": "approve"})
    assert tested.chat("Still there?").text == "Back."
    assert [part.result for part in outcomes(tested)] == ["refunded 500.0 for A2"]


def test_fresh__of_an_agent_that_waits__waits_for_nothing():
    tested = agent([LARGE], "Hi.")
    tested.chat("Go")
    assert tested.fresh().chat("Hello").text == "Hi."
