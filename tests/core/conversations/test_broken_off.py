"""What is kept of a conversation when something breaks, in every kind of worker."""

from __future__ import annotations

import asyncio
import os
import threading
from decimal import Decimal
from typing import Any

import pytest

from neuron_evals.core.agents import Agent
from neuron_evals.core.caches import MemoryCache
from neuron_evals.core.conversations import Conversation, SimulatedTurn, SimulatorError
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.metrics import record_usage
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.results import Status
from neuron_evals.core.runner import EvaluatorRunner, Limits
from neuron_evals.core.runner.pools import processes
from neuron_evals.core.runner.pools.processes import why_no_fork
from neuron_evals.core.trajectories import Remark, Trajectory, record_trajectory
from tests.core.conversations.doubles import LARGE, SEARCH, Asking, Shop, Steps, says
from tests.core.samples import Says

RELEASE = threading.Event()
PATIENCE = 120


@pytest.fixture(autouse=True)
def _let_go():
    """End what hangs once its test is over, so that process workers find no other threads."""
    RELEASE.clear()
    yield
    RELEASE.set()
    for thread in threading.enumerate():
        if thread.name.startswith("neuron-evals"):
            thread.join(PATIENCE)


@pytest.fixture(params=["inline", "threads", "processes"])
def workers(request, monkeypatch) -> dict[str, Any]:
    if request.param == "processes" and why_no_fork() is not None:
        monkeypatch.setattr(processes, "why_no_fork", lambda: None)
    return {"concurrency": 1} if request.param == "inline" else {"concurrency": 2, "workers": request.param}


class Talks(BaseEvaluator):
    """Holds the conversation that `conversation` gives, and checks what was said."""

    def __init__(self, conversation: Any, output: Any = lambda trajectory: trajectory) -> None:
        self.conversation = conversation
        self.output = output

    def get_dataset(self) -> list[dict[str, Any]]:
        return [{"id": "a"}]

    def run(self, item: Any) -> Any:
        return self.output(self.conversation().run())

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(Says("ok"), output.final_answer() if isinstance(output, Trajectory) else output)


class TalksAsync(Talks):
    async def run(self, item: Any) -> Any:
        return self.output(await self.conversation().arun())


def only(results):
    [result] = results.results
    return result


def breaks_at(number: int, error: BaseException):
    """Return an agent that says ok, and breaks at the given turn."""
    turns = iter(range(1, 100))

    def agent(_text: str) -> str:
        if next(turns) == number:
            raise error
        return "ok"

    return agent


def test_agent_breaks__what_was_said_until_then_is_in_the_result(workers):
    evaluator = Talks(lambda: Conversation(breaks_at(2, ConnectionError("shop\nis down"))).with_turns(["a", "b", "c"]))
    result = only(EvaluatorRunner().run(evaluator, **workers))
    assert result.status is Status.ERROR
    assert result.error.startswith("ConnectionError: shop\nis down")
    assert result.output is None
    assert result.trajectory.to_transcript() == "User: a\nAssistant: ok\nUser: b"
    ending = result.trajectory.ending
    assert (ending.reason, ending.turns, ending.detail) == ("error", 2, "ConnectionError: shop is down")
    assert not ending.simulator_fault
    assert "  conversation ended: error after 2 turns: ConnectionError: shop is down" in result.explain().splitlines()


def test_agent_breaks__async():
    evaluator = TalksAsync(lambda: Conversation(breaks_at(2, ValueError("x"))).with_turns(["a", "b"]))
    result = only(EvaluatorRunner().run(evaluator, concurrency=2))
    assert result.trajectory.user_messages() == ["a", "b"]
    assert result.trajectory.ending.detail == "ValueError: x"


def test_agent_with_tools_breaks__what_ran_is_there(workers):
    shop = Shop()
    evaluator = Talks(
        lambda: Conversation(shop.agent([SEARCH, LARGE])).with_turns(["Refund"]).with_approvals(lambda *_: {})
    )
    result = only(EvaluatorRunner().run(evaluator, **workers))
    assert [(call.name, call.ran, call.approval) for call in result.trajectory.tool_calls()] == [
        ("search", True, None),
        ("refund", False, "pending"),
    ]
    assert result.trajectory.ending.detail.startswith("EvaluationError: approvals: refund (large) has no decision")


def test_error_of_infrastructure__is_tried_again_with_a_conversation_of_its_own():
    agent = breaks_at(2, ConnectionError("down"))
    result = only(
        EvaluatorRunner().run(Talks(lambda: Conversation(agent).with_turns(["a", "b"])), limits=Limits(retries=1))
    )
    assert (result.status, result.attempts) == (Status.PASSED, 2)
    assert result.trajectory.ending.reason == "script_ended"


@pytest.mark.parametrize("error", [SimulatorError("no reply"), LookupError("a bug in the user")])
def test_simulated_user_breaks__marked_as_its_fault(workers, error):
    conversation = Conversation(lambda _: "ok")
    evaluator = Talks(lambda: conversation.with_user(Steps(says("Hi", "to begin"), error)))
    result = only(EvaluatorRunner().run(evaluator, **workers))
    assert result.status is Status.ERROR
    ending = result.trajectory.ending
    assert (ending.reason, ending.turns, ending.simulator_fault) == ("error", 1, True)
    assert ending.reasons == (Remark(1, "to begin"),)
    assert result.trajectory.to_transcript() == "User: Hi\nAssistant: ok"


def test_simulated_user_says_nothing__its_fault_with_what_was_odd():
    step = SimulatedTurn(Message("user", ""), "", ("empty message",))
    result = only(EvaluatorRunner().run(Talks(lambda: Conversation(lambda _: "ok").with_user(Steps(step)))))
    assert result.trajectory.ending.simulator_fault
    assert result.trajectory.ending.notes == (Remark(1, "empty message"),)


def test_run_breaks_after_the_conversation__it_is_kept_as_it_ended(workers):
    def output(trajectory):
        raise ValueError("no answer in it")

    evaluator = Talks(lambda: Conversation(lambda _: "ok").with_turns(["Hi"]), output)
    result = only(EvaluatorRunner().run(evaluator, **workers))
    assert (result.status, result.output) == (Status.ERROR, None)
    assert result.trajectory.to_transcript() == "User: Hi\nAssistant: ok"
    assert result.trajectory.ending.reason == "script_ended"


def test_run_returns_something_else__the_conversation_is_kept_beside_it(workers):
    evaluator = Talks(lambda: Conversation(lambda _: "ok").with_turns(["Hi"]), Trajectory.final_answer)
    result = only(EvaluatorRunner().run(evaluator, **workers))
    assert (result.status, result.output) == (Status.PASSED, "ok")
    assert result.trajectory.user_messages() == ["Hi"]


def test_cached_run__gives_the_conversation_with_its_ending():
    def evaluator():
        return Talks(lambda: Conversation(lambda _: "ok").with_user(["Hi"]), Trajectory.final_answer)

    cache = MemoryCache()
    fresh, cached = (only(EvaluatorRunner(cache=cache).run(evaluator())) for _ in range(2))
    assert (fresh.cached_run, cached.cached_run) == (False, True)
    assert cached.trajectory == fresh.trajectory
    assert cached.trajectory.ending == fresh.trajectory.ending
    assert cached.trajectory.ending.reason == "user_stopped"


def hangs_at_second(text: str) -> str:
    if text == "b":
        assert RELEASE.wait(PATIENCE)
    return "ok"


def assert_broken_off_by_the_limit(result):
    assert result.status is Status.ERROR
    assert result.error.startswith("TimeLimit: the item took longer than")
    assert result.trajectory.to_transcript() == "User: a\nAssistant: ok\nUser: b"
    ending = result.trajectory.ending
    assert (ending.reason, ending.turns, ending.simulator_fault) == ("error", 2, False)
    assert ending.detail.startswith("TimeLimit: the item took longer than")


@pytest.fixture
def forks(monkeypatch):
    """Idle threads that other tests left in this process do no harm."""
    if why_no_fork() is not None:
        monkeypatch.setattr(processes, "why_no_fork", lambda: None)


@pytest.mark.usefixtures("forks")
def test_process_killed_at_the_limit__what_was_said_until_then_is_in_the_result():
    evaluator = Talks(lambda: Conversation(hangs_at_second).with_turns(["a", "b", "c"]))
    limits = Limits(timeout=3)
    assert_broken_off_by_the_limit(
        only(EvaluatorRunner().run(evaluator, concurrency=2, workers="processes", limits=limits))
    )


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("ended", [False, True], ids=["midway", "afterwards"])
def test_process_that_dies__what_was_said_until_then_is_in_the_result(ended):
    def agent(text: str) -> str:
        if text == "b" and not ended:
            os._exit(7)
        return "ok"

    evaluator = Talks(lambda: Conversation(agent).with_turns(["a", "b"]), lambda _trajectory: os._exit(7))
    result = only(EvaluatorRunner().run(evaluator, concurrency=2, workers="processes"))
    assert result.error == "WorkerDied: its process ended with exit status 7 before the item did"
    assert result.trajectory.user_messages() == ["a", "b"]
    assert str(result.trajectory.ending) == (
        "script_ended after 2 turns" if ended else f"error after 2 turns: {result.error}"
    )


@pytest.mark.usefixtures("forks")
def test_process_that_dies_after_a_message_no_text_can_hold__what_was_told_before_is_in_the_result():
    class Odd(Asking):
        def chat(self, message: Any) -> Any:
            if message.content == "b":
                self._history.append(Message("assistant", tool_calls=[ToolCall("x", {"unwritable": object()})]))
            return super().chat(message)

    evaluator = Talks(lambda: Conversation(Odd()).with_turns(["a", "b"]), lambda _trajectory: os._exit(7))
    result = only(EvaluatorRunner().run(evaluator, concurrency=2, workers="processes"))
    assert result.trajectory.user_messages() == ["a", "b"]
    assert result.trajectory.tool_calls() == []


@pytest.mark.parametrize("concurrency", [1, 2])
def test_thread_left_behind_at_the_limit__what_was_said_until_then_is_in_the_result(concurrency):
    evaluator = Talks(lambda: Conversation(hangs_at_second).with_turns(["a", "b", "c"]))
    results = EvaluatorRunner().run(evaluator, concurrency=concurrency, limits=Limits(timeout=3))
    assert_broken_off_by_the_limit(only(results))


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_worker_that_is_gone__the_tokens_that_the_conversation_tells_are_known(workers):
    def gone(_trajectory: Trajectory) -> Any:
        return RELEASE.wait(PATIENCE) if workers == "threads" else os._exit(7)

    agent = Agent(FakeProvider(*(Message("assistant", "ok", usage=usage) for usage in (Usage(5, 1), Usage(7, 2)))))
    evaluator = Talks(lambda: Conversation(agent).with_turns(["a", "b"]), gone)
    results = EvaluatorRunner().run(evaluator, concurrency=2, workers=workers, limits=Limits(timeout=3))
    result = only(results)
    assert result.status is Status.ERROR
    assert (result.usage, result.known_usage, result.cost) == (*[Usage(12, 3, requests=2)] * 2, None)
    assert (results.agent_spending.input.known, results.agent_spending.input.total) == (12, None)


def test_async_item_cancelled_at_the_limit__what_was_said_until_then_is_in_the_result():
    async def agent(text: str) -> str:
        if text == "b":
            await asyncio.Event().wait()
        return "ok"

    evaluator = TalksAsync(lambda: Conversation(agent).with_turns(["a", "b", "c"]))
    assert_broken_off_by_the_limit(only(EvaluatorRunner().run(evaluator, concurrency=2, limits=Limits(timeout=3))))


def test_history_that_cannot_be_read__costs_the_conversation_and_not_the_error():
    class Torn(Asking):
        history = property(lambda _self: 1 / 0)

        def chat(self, message: Any) -> Any:
            raise ValueError("the real error")

    result = only(EvaluatorRunner().run(Talks(lambda: Conversation(Torn()).with_turns(["Hi"]))))
    assert result.error.startswith("ValueError: the real error")
    assert result.trajectory is None


def test_agent_that_breaks_before_it_notes_what_it_was_told__the_message_is_there():
    class Deaf(Asking):
        def chat(self, message: Any) -> Any:
            if message.content == "b":
                raise ValueError("not now")
            return super().chat(message)

    result = only(EvaluatorRunner().run(Talks(lambda: Conversation(Deaf()).with_turns(["a", "b"]))))
    assert result.trajectory.to_transcript() == "User: a\nAssistant: ok\nUser: b"


def test_what_the_simulated_user_uses__apart_from_the_agent(workers):
    class Counts(Steps):
        def next_turn(self, trajectory: Trajectory) -> SimulatedTurn:
            record_usage(Usage(7, 2), Decimal("0.02"), seconds=0.5)
            return super().next_turn(trajectory)

    evaluator = Talks(
        lambda: Conversation(Agent(FakeProvider("ok"))).with_user(Counts(says("Hi"), SimulatedTurn(None)))
    )
    result = only(EvaluatorRunner().run(evaluator, **workers))
    assert (result.simulator_cost, result.simulator_time) == (0.04, 1.0)
    assert (result.simulator_usage.input, result.simulator_usage.output, result.simulator_usage.requests) == (14, 4, 2)
    assert result.usage.requests == 1


def test_last_conversation__is_the_one_that_is_kept():
    def output(first):
        return Conversation(lambda _: "ok").with_turns([first.final_answer() + "!"]).run().final_answer()

    result = only(EvaluatorRunner().run(Talks(lambda: Conversation(lambda _: "ok").with_turns(["Hi"]), output)))
    assert result.trajectory.user_messages() == ["ok!"]


def test_conversation_outside_an_item__records_nothing():
    record_trajectory(Trajectory())
    assert Conversation(lambda _: "ok").with_turns(["Hi"]).run().count() == 2
