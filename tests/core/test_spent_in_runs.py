"""What agents, simulated users and judges used, while items run and when their outputs come from the cache."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from neuron_evals.core.caches import FileCache, MemoryCache
from neuron_evals.core.messages import Usage
from neuron_evals.core.outputs.render import render
from neuron_evals.core.report import Amount, EvaluationReport
from neuron_evals.core.runner import EvaluatorRunner
from tests.core.spenders import OF_THE_RUN, Talks, TalksAsync

WHEN = datetime(2026, 11, 30, tzinfo=UTC)
HALF_TOLD = (Usage(4, 1), None)


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
