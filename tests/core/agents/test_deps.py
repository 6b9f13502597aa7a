"""What the tools of an agent depend on, and the model is not told of."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest

from neuron_evals import Agent, ApprovalRequest, Deps, FakeProvider, Tool, ToolCall, run_suite


def balance(currency: str, account: Annotated[dict[str, str], Deps]) -> str:
    """Tell what is in the account.

    Args:
        currency: In which currency.
    """
    return f"{account['id']} in {currency}"


async def awaited_balance(currency: str, account: Annotated[Any, Deps]) -> str:
    """Tell what is in the account."""
    await asyncio.sleep(0)
    return f"{account['id']} in {currency}"


def agent(tool: Any = balance, **options: Any) -> Agent:
    name = Tool.from_function(tool).name
    call = [ToolCall(name, {"currency": "EUR"})]
    return Agent(FakeProvider(call, "done", call, "done"), tools=[tool], **options)


def outcome(tested: Agent) -> Any:
    return next(message for message in tested.history if message.role == "tool").tool_calls[0]


def test_parameter_of_the_agent__is_not_told_to_the_model():
    tool = Tool.from_function(balance)
    assert list(tool.parameters["properties"]) == tool.parameters["required"] == ["currency"]


@pytest.mark.parametrize("tool", [balance, awaited_balance])
def test_deps__reach_the_tool_and_are_no_argument(tool):
    tested = agent(tool, deps={"id": "acct_123"})
    tested.chat("How much?")
    assert (outcome(tested).result, outcome(tested).arguments) == ("acct_123 in EUR", {"currency": "EUR"})
    changed = tested.fresh(deps={"id": "acct_456"})
    asyncio.run(changed.achat("How much?"))
    assert outcome(changed).result == "acct_456 in EUR"


def test_model_that_gives_the_parameter_itself__is_told_that_there_is_none():
    provider = FakeProvider([ToolCall("balance", {"currency": "EUR", "account": {"id": "mine"}})], "done")
    tested = Agent(provider, tools=[balance], deps={"id": "acct_123"})
    tested.chat("How much?")
    assert "account is not known" in outcome(tested).error


def test_call_that_was_approved__gets_them_too():
    tool = Tool.from_function(balance, approval=True)
    tested = Agent(FakeProvider([ToolCall("balance", {"currency": "EUR"})], "done"), tools=[tool], deps={"id": "a"})
    reply = tested.chat("How much?")
    assert isinstance(reply.interrupt, ApprovalRequest)
    [action] = reply.interrupt.pending
    tested.resume({action.id: ("edit", {"currency": "USD"})})
    assert outcome(tested).result == "a in USD"


def test_fingerprint__tells_deps_apart_and_is_empty_where_they_are_no_json():
    class Fixed(FakeProvider):
        fingerprint = "fixed"

    def of(deps: Any) -> str:
        return Agent(Fixed(), tools=[balance], deps=deps).fingerprint

    assert of({"id": "a"}) == of({"id": "a"})
    assert len({of({"id": "a"}), of({"id": "b"}), of(None), of(object())}) == 4
    assert of(object()) == ""


def test_case_of_a_suite__may_say_them():
    case = {
        "id": "balance",
        "input": "How much?",
        "expected": {"tool_args": {"balance": {"currency": "EUR"}}},
        "eval_type": "tool_usage",
        "deps": {"id": "acct_123"},
    }
    (result,) = run_suite({"test_cases": [case]}, agent=agent()).results
    assert result.passed, result.explain()
    assert result.trajectory.tool_calls()[0].result == "acct_123 in EUR"
