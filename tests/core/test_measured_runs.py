"""What is measured of agents while items run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    BaseEvaluator,
    EvaluatorRunner,
    FakeProvider,
    MemoryCache,
    Message,
    ToolCall,
    Trajectory,
    run_case,
)
from neuron_evals.core.metrics import record_usage
from neuron_evals.core.results import AgentSteps
from tests.core.samples import Says

CASE = {"input": "Calculate 15% tip on $50", "expected": "7.5"}


def calculate(amount: float) -> float:
    """Return the tip."""
    return amount * 0.15


class Streaming(FakeProvider):
    """Tells when its replies began, and that the second was asked for three times."""

    fingerprint = "fixed"

    def complete(self, request: Any) -> Any:
        reply = super().complete(request)
        second = len(self.requests) == 2
        return replace(reply, first_token=0.75 if second else 0.25, attempts=3 if second else 1)


def tipping(provider: type[FakeProvider] = FakeProvider) -> Agent:
    calls = [ToolCall("calculate", {"amount": 50}), ToolCall("calculate", {}), ToolCall("search", {"q": "tip"})]
    return Agent(provider(calls, "7.5"), tools=[calculate])


class Chats(BaseEvaluator):
    """Asks an agent without a conversation of ours."""

    def __init__(self, agent: Any = None) -> None:
        self.agent = agent

    def get_dataset(self) -> list[dict[str, Any]]:
        return [{"id": "one", "input": "Calculate 15% tip on $50"}]

    def run(self, item: Any) -> Any:
        return self.agent.fresh().chat(item["input"]).text

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(Says("7.5"), output)


def measured(result: Any) -> tuple[Any, ...]:
    found = result.measurements
    return tuple(found[name] for name in ("iterations", "requests", "retries", "tool_calls", "tool_errors"))


def test_agent__its_steps_are_counted():
    """Bad arguments and a tool that does not exist are errors of tools; two model calls are two iterations."""
    result = run_case(CASE, agent=tipping())
    assert result.passed, result.explain()
    assert measured(result) == (2, 2, 0, 3, 2)
    assert result.measurements["latency"]["total"] == result.run_time
    assert result.measurements["latency"]["first_token"] is None


def test_agent_without_a_conversation__its_steps_are_counted_all_the_same():
    (result,) = EvaluatorRunner().run(Chats(tipping())).results
    assert result.trajectory is None
    assert measured(result) == (2, 2, 0, 3, 2)


def test_streamed_and_repeated_model_calls__first_token_and_retries():
    result = run_case(CASE, agent=tipping(Streaming))
    assert result.steps == AgentSteps(first_token=0.25, iterations=2, retries=2, tool_calls=3, tool_errors=2)


def test_callable__tells_nothing_and_nothing_is_made_up():
    called = run_case(CASE, agent=lambda text: "7.5")
    assert measured(called) == (None, None, None, 0, 0)
    assert (called.usage, called.known_usage) == (None, None)
    (result,) = EvaluatorRunner().run(Plain()).results
    assert measured(result) == (None,) * 5


class Plain(Chats):
    """Asks no agent."""

    def run(self, item: Any) -> Any:
        return "7.5"


def test_callable_that_records_its_model_calls__they_are_counted():
    def agent(text: str) -> str:
        record_usage(model="small", seconds=0.1, first_token=0.05)
        record_usage(model="small", seconds=0.1, attempts=2)
        return "7.5"

    result = run_case(CASE, agent=agent)
    assert (result.steps.first_token, measured(result)[:3]) == (0.05, (2, 2, None))


class Read(Plain):
    """Returns a conversation from elsewhere."""

    def run(self, item: Any) -> Any:
        call = ToolCall("search", {"q": "tip"}, id="1")
        failed = replace(call, error="ValueError: no network")
        said = [Message("assistant", tool_calls=[call]), Message("tool", tool_calls=[failed])]
        return Trajectory([Message("user", item["input"]), *said, Message("assistant", "7.5")])

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(Says("7.5"), output.final_answer())


def test_conversation_from_elsewhere__tells_what_it_can():
    (result,) = EvaluatorRunner().run(Read()).results
    assert result.measurements["requests"] == result.usage.requests == 2
    assert (result.steps.iterations, result.steps.tool_calls, result.steps.tool_errors) == (2, 1, 1)
    assert result.steps.retries is None


def test_judge__is_no_step_of_the_agent():
    case = {**CASE, "_assertions": [{"type": "criteria", "criteria": "Polite?"}]}
    result = run_case(case, agent=tipping(), judge=Agent(Streaming('{"score": 1}')))
    assert result.passed, result.explain()
    assert result.steps == AgentSteps(None, 2, 0, 3, 2)


def test_run_that_breaks__steps_until_then_are_kept():
    result = run_case(
        CASE, agent=Agent(FakeProvider([ToolCall("calculate", {})], RuntimeError("down")), tools=[calculate])
    )
    assert result.error is not None
    assert (result.steps.iterations, result.steps.tool_calls, result.steps.tool_errors) == (1, 1, 1)


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_workers__all_tell_the_same(workers):
    (result,) = EvaluatorRunner().run(Chats(tipping(Streaming)), workers=workers).results
    assert result.steps == AgentSteps(0.25, 2, 2, 3, 2)


def test_cached_run__keeps_what_was_measured_and_adds_nothing():
    cache = MemoryCache()
    evaluator = Chats(tipping(Streaming))
    first = EvaluatorRunner(cache=cache).run(evaluator)
    again = EvaluatorRunner(cache=cache).run(evaluator)
    assert again.cached_run_count == 1, again.cache
    assert again.results[0].measurements == {
        **first.results[0].measurements,
        "cost": again.results[0].measurements["cost"],
    }
    assert (first.metrics_summary.iterations, again.metrics_summary.iterations) == (2, None)
    assert again.metrics_summary.items == 0
