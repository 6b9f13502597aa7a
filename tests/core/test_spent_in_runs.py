"""What agents, simulated users and judges used, while items run and when their outputs come from the cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from neuron_evals.core.agents import AgentReply, BaseAgent
from neuron_evals.core.caches import FileCache, MemoryCache
from neuron_evals.core.conversations import Conversation
from neuron_evals.core.conversations.simulator import UserSimulator
from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.outputs.render import render
from neuron_evals.core.report import Amount, EvaluationReport
from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.core.trajectories import Trajectory
from tests.core.samples import Says
from tests.core.spenders import OF_THE_RUN, Talks, TalksAsync, model, said

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult

WHEN = datetime(2026, 11, 30, tzinfo=UTC)
HALF_TOLD = (Usage(4, 1), None)


def run_one(evaluator: Talks) -> ItemResult:
    [result] = EvaluatorRunner().run(evaluator).results
    return result


def told(result: Any) -> dict[str, Any]:
    return {name: getattr(result, name) for name in OF_THE_RUN}


@pytest.mark.parametrize("user", [Talks().user, HALF_TOLD], ids=["told", "half told"])
@pytest.mark.parametrize(
    ("evaluator", "workers"), [(Talks, None), (Talks, "threads"), (TalksAsync, None), (Talks, "processes")]
)
def test_cached_run__keeps_what_agent_and_simulated_user_of_the_first_used(tmp_path, evaluator, workers, user):
    runner = EvaluatorRunner(FileCache(tmp_path / "cache"))
    [first] = runner.run(evaluator(user), workers=workers).results
    [again] = runner.run(evaluator(user), workers=workers).results

    assert (first.cached_run, again.cached_run) == (False, True), again.error
    assert told(again) == told(first)
    assert None not in (again.tool_time, again.simulator_time)
    assert (again.usage, again.cost) == (Usage(30, 5, requests=2), 35.0)
    known, cost = (Usage(4, 1, requests=2), 5.0) if user is HALF_TOLD else (Usage(10, 2, requests=2), 12.0)
    assert (again.known_simulator_usage, again.known_simulator_cost) == (known, cost)
    assert again.simulator_usage == (Usage(requests=2) if user is HALF_TOLD else known)
    assert again.simulator_cost == (None if user is HALF_TOLD else 12.0)
    assert (again.judge_usage, again.judge_cost) == (Usage(7, 1), 8.0)


def test_cached_run__its_simulated_user_costs_the_run_nothing_and_it_says_so():
    runner = EvaluatorRunner(MemoryCache())
    first, again = runner.run(Talks()), runner.run(Talks())

    assert first.simulator_spending.cost == Amount(Decimal(12), 1, 1)
    assert first.time_split.simulators is not None
    assert (again.simulator_spending.items, again.simulator_spending.cost.total) == (0, 0)
    assert (again.time_split.agent, again.time_split.simulators) == (None, None)
    assert again.judge_spending.cost.total == 8

    report = EvaluationReport([again], started_at=WHEN, finished_at=WHEN)
    [result] = json.loads(render(report, "json"))["results"]
    assert (result["simulator_cost"], result["simulator_time"]) == (12.0, again.results[0].simulator_time)
    text = render(report, "detailed")
    assert "simulator tokens input 10 output 2" in text
    assert "Cost of simulated users: 0\n1 cached run cost the simulated users nothing and is in neither sum\n" in text


class Asks(Talks):
    """Does what it is told, and asks in `evaluate` another agent and a user of its own."""

    def __init__(self, does: Callable[[], Any], asked: bool = False) -> None:
        super().__init__()
        self.does = does
        self.asked = asked

    def run(self, item: Any) -> Any:
        return self.does()

    def evaluate(self, output: Any, item: Any) -> None:
        if self.asked:
            model("judge", said("yes", Usage(5, 1))).chat("Is it polite?")
            self.conversation().run()
        self.check(Says("good"), "good")


class Foreign(BaseAgent):
    """Answers with messages of these usages, and records nothing."""

    def __init__(self, *usages: Usage | None) -> None:
        self.usages = usages
        self.said: list[Message] = []

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(self.said)

    def fresh(self, **overrides: Any) -> Foreign:
        return Foreign(*self.usages)

    def chat(self, message: Any) -> AgentReply:
        answer = said("Yes.", self.usages[len(self.said) // 2])
        self.said += [Message("user", message) if isinstance(message, str) else message, answer]
        return AgentReply(answer.content, answer, usage=answer.usage)


def read(*usages: Usage | None) -> Trajectory:
    return Trajectory([Message("user", "hi"), *(said("Yes.", usage) for usage in usages)])


def held(*usages: Usage | None) -> Trajectory:
    return Conversation(Foreign(*usages)).with_turns(["hi"] * len(usages)).run()


def played(*usages: Usage | None) -> Trajectory:
    says = [said('{"stop": false, "message": "hi"}', Usage(1, 1))] * len(usages)
    user = UserSimulator(model("player", *says), goal="Say hi")
    return Conversation(Foreign(*usages)).with_user(user, max_turns=len(usages)).run()


@pytest.mark.parametrize("have", [read, held, played])
@pytest.mark.parametrize(
    ("usages", "usage", "known"),
    [
        ([Usage(5, 1), Usage(7, 2)], Usage(12, 3, requests=2), Usage(12, 3, requests=2)),
        ([Usage(5, 1), None], Usage(requests=2), Usage(5, 1, requests=2)),
        ([Usage(5, None), Usage(7, 2)], Usage(12, None, requests=2), Usage(12, 2, requests=2)),
        ([None, None], Usage(requests=2), Usage(requests=2)),
    ],
    ids=["told", "half told", "one kind", "not told"],
)
def test_conversation_from_elsewhere__a_reply_that_does_not_tell_makes_the_whole_unknown(have, usages, usage, known):
    result = run_one(Asks(lambda: have(*usages)))
    assert (result.usage, result.known_usage, result.cost) == (usage, known, None)
    assert (result.steps.iterations, result.measurements["requests"]) == (2, 2)
    assert result.simulator_usage == (Usage(2, 2, requests=2) if have is played else None)


def test_conversation_without_a_reply__nothing_is_known_of_its_tokens():
    result = run_one(Asks(lambda: Trajectory([Message("user", "hi")])))
    assert (result.usage, result.known_usage) == (None, None)


def test_conversation_from_elsewhere_that_breaks_off__what_was_told_until_then_is_known():
    result = run_one(Asks(lambda: Conversation(Foreign(Usage(5, 1))).with_turns(["hi", "hi"]).run()))
    assert result.error.startswith("IndexError")
    assert (result.usage, result.known_usage) == (Usage(5, 1), Usage(5, 1))


@pytest.mark.parametrize("cached", [False, True])
def test_what_evaluate_asks_of_whomever__is_spent_on_judging_and_on_nobody_else(cached):
    runner, evaluator = EvaluatorRunner(MemoryCache()), Asks(lambda: read(Usage(5, 1)), asked=True)
    if cached:
        runner.run(evaluator)
    [result] = runner.run(evaluator).results
    assert result.cached_run == cached
    assert (result.judge_usage, result.judge_cost) == (Usage(45, 8, requests=5), 53.0)
    assert (result.usage, result.tool_time, result.simulator_time) == (Usage(5, 1), None, None)
