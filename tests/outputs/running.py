"""Runs for tests, through the engine, and results that have everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from neuron_evals import BaseEvaluator, Equals, EvaluatorRunner, Message, ToolCall, Trajectory
from neuron_evals.core.messages import Usage
from neuron_evals.core.outputs import OutputDriver, OutputPipeline
from neuron_evals.core.results import AgentSteps, Attempt, Check, ItemResult, Status, Verdict
from neuron_evals.core.runner import Limits
from neuron_evals.core.trajectories import Ending, Remark
from neuron_evals.models.leases import Lease, claim
from neuron_evals.outputs import DatabaseOutput

if TYPE_CHECKING:
    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.models import EvalRun

NAME = "evaluators.support.Support"


class Scripted(BaseEvaluator):
    """Gives each item's `output`, which must be `"yes"`; does what `during` says first."""

    def __init__(self, items: Any, during: Callable[[Any], object] | None = None) -> None:
        self.items = items
        self.during = during

    def get_dataset(self) -> Any:
        return self.items

    def run(self, item: Any) -> Any:
        if self.during is not None:
            self.during(item)
        return item["output"]

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(Equals("yes"), output, label="answer")


class Other(Scripted):
    """An evaluator of another name."""


def questions(*outputs: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{number}", "output": output} for number, output in enumerate(outputs)]


def execute(
    drivers: list[OutputDriver],
    *evaluators: BaseEvaluator,
    concurrency: int = 1,
    repeats: int | None = None,
    fail_fast: bool = False,
    stop: StopToken | None = None,
) -> tuple[EvaluationReport, OutputPipeline]:
    """Run evaluators as the command does."""
    pipeline = OutputPipeline(drivers)
    assert pipeline.problems() == []
    try:
        run = EvaluatorRunner().prepare_run(evaluators, concurrency, limits=Limits(None, repeats, None), stop=stop)
        report = run.execute(pipeline, fail_fast=fail_fast)
    finally:
        pipeline.close()
    return report, pipeline


def stored(using: str, *evaluators: BaseEvaluator, **options: Any) -> tuple[EvaluationReport, DatabaseOutput]:
    """Run evaluators into the database, without any failure of the driver."""
    driver = DatabaseOutput(using=using, stop=options.get("stop"))
    report, pipeline = execute([driver], *evaluators, **options)
    assert pipeline.errors == []
    for run in driver.runs:
        run.refresh_from_db()
    return report, driver


def leased(run: EvalRun) -> Lease:
    """Claim a shard of a run."""
    lease = claim(run, "test")
    assert lease is not None
    return lease


def result(index: int = 0, **members: Any) -> ItemResult:
    """A small result."""
    return ItemResult(
        **{
            "evaluator_class": NAME,
            "index": index,
            "item_id": f"q{index}",
            "status": Status.PASSED,
            "input": {"id": f"q{index}"},
            "checks": (Check("Equals", "answer", Verdict.PASSED, 1.0, evaluator_class=NAME, line=7),),
            **members,
        }
    )


def full_result(index: int = 0) -> ItemResult:
    """A result in which every attribute says something."""
    call = ToolCall("refund", {"order": 7, "why": ["late", None]}, id="c1")
    done = ToolCall(
        "refund",
        {"order": 7},
        id="c1",
        result={"paid": 1.5},
        approval="approved",
        approval_reason="above 50",
        executed=True,
        duration=0.25,
        stubbed=True,
    )
    trajectory = Trajectory(
        [
            Message("user", "I want a refund 🍵"),
            Message("assistant", "Wait.", tool_calls=[call], usage=Usage(10, 4, 2, 1, 1), model="m-1", duration=0.5),
            Message("tool", tool_calls=[done]),
            Message("assistant", "", attachments=[{"type": "image", "name": "receipt.png"}]),
        ],
        Ending("max_turns", 2, "enough", reasons=[Remark(1, "asks")], notes=[Remark(2, "odd")]),
    )
    checks = (
        Check("Equals", "answer", Verdict.PASSED, 1.0, evaluator_class=NAME, line=31),
        Check("Judge", "tone", Verdict.FAILED, 0.25, "rude", {"reasoning": "…", "votes": [1, 2]}, NAME, 32, 3.0),
        Check("Contains", "Contains", Verdict.SKIPPED, None, "no text", {}, NAME, None, 0.0, vacuous=True),
    )
    return ItemResult(
        evaluator_class=NAME,
        index=index,
        item_id=f"é-{index}",
        status=Status.FAILED,
        input={"id": f"é-{index}", "input": "refund?", "_assertions": [{"type": "contains", "value": "7"}]},
        output=trajectory,
        execution_time=1.2345678901234567,
        checks=checks,
        error=None,
        traceback="",
        repeat=2,
        attempts=2,
        other_attempts=(Attempt(Status.ERROR, None, "TimeoutError: late", 0.125, {"partial": 1}),),
        tags=("smoke", "refund"),
        usage=Usage(100, 20, None, 7, 3, 5),
        cost=0.012345678901234567,
        known_usage=Usage(100, 20, 30, 7, 3, 5),
        known_cost=0.012345678901234567,
        trajectory=trajectory,
        run_time=1.1,
        tool_time=0.3,
        judge_usage=Usage(50, None, None, None, 1),
        judge_cost=0.001,
        known_judge_usage=Usage(50, None, None, None, 1),
        known_judge_cost=0.001,
        judge_time=0.2,
        simulator_usage=Usage(5, 6),
        simulator_cost=None,
        known_simulator_usage=Usage(5, 6),
        known_simulator_cost=0.002,
        simulator_time=0.05,
        steps=AgentSteps(0.25, 3, 1, 2, 0),
        metrics={"groundedness": 0.75, "hops é": 3.0},
    )
