"""Turns that break off: what the history says of their calls, and that the conversation can go on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, AgentReply, StepLimitReached, Tool, UnstubbedCall
from neuron_evals.core.exceptions import ConfigurationError, StopRun
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.providers import FakeProvider, ProviderError
from neuron_evals.core.trajectories import Trajectory
from tests.core.providers.dialects import DIALECTS
from tests.core.providers.server import Answer, Server

Chat = Callable[[Agent, str], AgentReply]
NOT_RUN = (False, "the turn was broken off before this tool ran")


@pytest.fixture(params=["plain", "async"])
def chat(request) -> Chat:
    if request.param == "plain":
        return lambda tested, message: tested.chat(message)
    return lambda tested, message: asyncio.run(tested.achat(message))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def look() -> str:
    return "seen"


def misconfigured() -> None:
    raise ConfigurationError("no shop")


def calls(*names: str) -> list[ToolCall]:
    return [ToolCall(name, id=f"{name}-{number}") for number, name in enumerate(names, 1)]


def outcomes(tested: Agent) -> list[tuple[bool, str | None]]:
    return [(call.ran, call.error) for call in Trajectory.from_messages(tested.history).tool_calls()]


def unanswered(body: Mapping[str, Any], dialect: str) -> list[str]:
    """Return the calls in a request that the messages right after them do not answer, which servers refuse."""
    missing: list[str] = []
    waiting: list[str] = []
    for message in body["messages"]:
        content = message["content"] if isinstance(message["content"], list) else []
        if dialect == "anthropic":
            answered = [part["tool_use_id"] for part in content if part["type"] == "tool_result"]
            proposed = [part["id"] for part in content if part["type"] == "tool_use"]
        else:
            answered = [message["tool_call_id"]] if message["role"] == "tool" else []
            proposed = [call["id"] for call in message.get("tool_calls", [])]
        waiting = [call for call in waiting if call not in answered]
        if not answered:
            missing += waiting
            waiting = proposed
    return missing + waiting


def broken_lookup(id: int) -> str:  # noqa: A002  (as the doubles call it)
    raise StopRun(f"no order {id}")


@pytest.mark.parametrize("name", DIALECTS)
def test_next_message_after_a_tool_broke_the_turn_off__is_a_request_that_servers_take(server, chat, name):
    dialect = DIALECTS[name]
    server.answers(Answer(dialect.tool), Answer(dialect.text))
    tested = Agent(dialect.make(server), tools=[Tool.from_function(broken_lookup, name="lookup")])
    with pytest.raises(StopRun):
        chat(tested, "One")
    assert chat(tested, "Two").text == "Hello!"
    assert unanswered(server.bodies[1], name) == []
    assert str(server.bodies[1]).count("StopRun: no order 1") == 1


@pytest.mark.parametrize("name", DIALECTS)
def test_next_message_after_the_provider_broke_the_turn_off__is_a_request_that_servers_take(server, chat, name):
    dialect = DIALECTS[name]
    server.answers(Answer(dialect.tool), Answer(dialect.error, status=400), Answer(dialect.text))
    tested = Agent(dialect.make(server), tools=[look])
    with pytest.raises(ProviderError):
        chat(tested, "One")
    assert chat(tested, "Two").text == "Hello!"
    assert unanswered(server.bodies[2], name) == []
    assert str(server.bodies[2]).count("there is no tool") == 1


def test_tool_that_ends_the_turn__earlier_calls_keep_their_outcome_and_later_ones_did_not_run():
    tested = Agent(FakeProvider(calls("look", "misconfigured", "look"), "Back."), tools=[look, misconfigured])
    with pytest.raises(ConfigurationError):
        tested.chat("Go")
    assert outcomes(tested) == [(True, None), (True, "ConfigurationError: no shop"), NOT_RUN]
    assert tested.history[-1].tool_calls[0].result == "seen"
    assert tested.chat("Again").text == "Back."
    assert [message.role for message in tested.history] == ["user", "assistant", "tool", "user", "assistant"]


def test_tool_that_ends_an_async_turn__the_others_came_to_their_end():
    tested = Agent(FakeProvider(calls("misconfigured", "look"), "Back."), tools=[look, misconfigured])
    with pytest.raises(ConfigurationError):
        asyncio.run(tested.achat("Go"))
    assert outcomes(tested) == [(True, "ConfigurationError: no shop"), (True, None)]


def test_interrupt_in_a_tool__recorded_as_broken_off_while_it_ran():
    def interrupted() -> None:
        raise KeyboardInterrupt

    tested = Agent(FakeProvider(calls("interrupted", "look"), "Back."), tools=[interrupted, look])
    with pytest.raises(KeyboardInterrupt):
        tested.chat("Go")
    assert outcomes(tested) == [(True, "broken off while it ran: KeyboardInterrupt"), NOT_RUN]


def test_cancelled_turn__tools_that_ran_say_so_and_the_agent_is_free():
    async def quick() -> str:
        return "done"

    async def talk() -> Agent:
        started = asyncio.Event()

        async def hang() -> None:
            started.set()
            await asyncio.Event().wait()

        tested = Agent(FakeProvider(calls("quick", "hang"), "Back."), tools=[quick, hang])
        turn = asyncio.create_task(tested.achat("Go"))
        await started.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert (await tested.achat("Again")).text == "Back."
        return tested

    tested = asyncio.run(talk())
    assert outcomes(tested) == [(True, None), (True, "broken off while it ran: CancelledError")]


def test_plain_tool_of_a_cancelled_turn__what_it_returns_later_changes_nothing():
    started, go, ended = threading.Event(), threading.Event(), threading.Event()

    def slow() -> str:
        started.set()
        assert go.wait(30)
        ended.set()
        return "late"

    async def talk() -> Agent:
        tested = Agent(FakeProvider(calls("slow")), tools=[slow])
        turn = asyncio.create_task(tested.achat("Go"))
        assert await asyncio.to_thread(started.wait, 30)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        go.set()
        assert await asyncio.to_thread(ended.wait, 30)
        return tested

    tested = asyncio.run(talk())
    assert outcomes(tested) == [(True, "broken off while it ran: CancelledError")]


def test_provider_that_breaks_after_a_round__its_outcomes_stand_once(chat):
    tested = Agent(FakeProvider(calls("look"), RuntimeError("down"), "Back."), tools=[look])
    with pytest.raises(RuntimeError, match="down"):
        chat(tested, "Go")
    assert chat(tested, "Again").text == "Back."
    assert [message.role for message in tested.history] == ["user", "assistant", "tool", "user", "assistant"]
    assert outcomes(tested) == [(True, None)]


def test_limit_of_model_calls__the_calls_stand_once_with_the_limit_as_their_error(chat):
    tested = Agent(FakeProvider(calls("look"), "Back."), tools=[look], max_steps=1)
    with pytest.raises(StepLimitReached) as caught:
        chat(tested, "Go")
    assert caught.value.history == tested.history
    assert outcomes(tested) == [(False, "not run: the limit of 1 model calls was reached")]
    assert chat(tested, "Again").text == "Back."


def test_approval_rule_that_ends_the_turn__nothing_runs_and_the_calls_stand_in_the_history(chat):
    ran: list[int] = []

    def rule(_arguments: Any) -> bool:
        raise ConfigurationError("no limit set")

    pay = Tool("pay", "", {"type": "object"}, lambda: ran.append(1), approval=rule)
    tested = Agent(FakeProvider(calls("look", "pay"), "Back."), tools=[look, pay])
    with pytest.raises(ConfigurationError, match="no limit set"):
        chat(tested, "Go")
    assert ran == []
    assert outcomes(tested) == [NOT_RUN, (False, "ConfigurationError: no limit set")]
    assert chat(tested, "Again").text == "Back."


def test_call_without_a_stub__did_not_run(chat):
    def unstubbed() -> None:
        raise UnstubbedCall("refund({}) was refused: the tool has no stub")

    tested = Agent(FakeProvider(calls("unstubbed"), "Back."), tools=[unstubbed])
    with pytest.raises(UnstubbedCall):
        chat(tested, "Go")
    assert outcomes(tested) == [(False, "UnstubbedCall: refund({}) was refused: the tool has no stub")]
    assert chat(tested, "Again").text == "Back."


def gated(function: Callable[..., Any]) -> Tool:
    return Tool.from_function(function, approval=True)


@pytest.mark.parametrize("how", ["plain", "async"])
def test_turn_broken_off_after_the_decisions__one_message_with_every_outcome(how):
    tools: list[Any] = [look, gated(misconfigured), Tool.from_function(look, name="late", approval=True)]
    tested = Agent(FakeProvider(calls("look", "misconfigured", "late", "late"), "Back."), tools=tools)
    tested.chat("Go")
    decisions = {"misconfigured-2": "approve", "late-3": "approve", "late-4": ("reject", "no")}
    with pytest.raises(ConfigurationError):
        tested.resume(decisions) if how == "plain" else asyncio.run(tested.aresume(decisions))
    assert [message.role for message in tested.history] == ["user", "assistant", "tool"]
    late = (False, NOT_RUN[1]) if how == "plain" else (True, None)
    assert outcomes(tested) == [(True, None), (True, "ConfigurationError: no shop"), late, (False, None)]
    assert [call.approval for call in tested.history[2].tool_calls] == [None, "approved", "approved", "rejected"]
    assert tested.chat("Again").text == "Back."


def test_turn_broken_off_before_anyone_was_asked__the_gated_call_waits_no_more(chat):
    tools: list[Any] = [misconfigured, Tool.from_function(look, approval=lambda _: "please")]
    tested = Agent(FakeProvider(calls("look", "misconfigured"), "Back."), tools=tools)
    with pytest.raises(ConfigurationError):
        chat(tested, "Go")
    [gated_call, _] = Trajectory.from_messages(tested.history).tool_calls()
    assert (gated_call.approval, gated_call.approval_reason, gated_call.ran) == (None, "please", False)
    assert chat(tested, "Again").text == "Back."
