"""Rows for tests."""

from __future__ import annotations

from typing import Any

from neuron_evals.core.datasets.identity import item_key
from neuron_evals.models import (
    AgentDefinition,
    EvalRun,
    EvalRunItem,
    EvalRunShard,
    EvalSuite,
    RunStatus,
    ShardStatus,
)
from neuron_evals.models.leases import Lease, claim
from neuron_evals.models.states import finish, request_cancel

CODE = {"AGENTS": {"support": "shop.agents.SupportAgent"}}


def make_agent(using: str, name: str = "Support", **columns: Any) -> AgentDefinition:
    return AgentDefinition.objects.using(using).create(name=name, **{"code": "support", **columns})


def make_suite(using: str, name: str = "Smoke tests", **columns: Any) -> EvalSuite:
    if "agent" not in columns:
        columns["agent"] = make_agent(using)
    return EvalSuite.objects.using(using).create(name=name, **{"dataset": [{"input": "hours?"}], **columns})


def make_run(using: str, **columns: Any) -> EvalRun:
    run, made = EvalRun.objects.using(using).enqueue(**columns)
    assert made
    return run


def claimed(run: EvalRun, executor: str = "host:1") -> Lease:
    lease = claim(run, executor)
    assert lease is not None
    return lease


def over(run: EvalRun) -> EvalRun:
    """The run as one that is over."""
    assert request_cancel(run)
    if not run.is_over:
        EvalRunShard.objects.using(run.database).filter(run=run).update(status=ShardStatus.CANCELLED, token="")
        assert finish(run, RunStatus.CANCELLED)
    return run


def item(run: EvalRun, index: int = 0, status: str = "passed", **columns: Any) -> EvalRunItem:
    item_id = columns.pop("item_id", f"item-{index}")
    return EvalRunItem(run=run, index=index, item_id=item_id, item_key=item_key(item_id), status=status, **columns)


def store(run: EvalRun, *items: EvalRunItem) -> None:
    EvalRunItem.objects.using(run.database).store(items)
