"""An agent that notes what it was asked, and suites for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar

from neuron_evals.core.agents import AgentReply, BaseAgent
from neuron_evals.core.messages import Message
from neuron_evals.models import AgentDefinition, EvalRun, EvalRunShard, EvalSuite
from neuron_evals.models.clock import database_now

SETTINGS: dict[str, Any] = {
    "AGENTS": {"noting": "tests.runs.samples.Agent", "other": "tests.testapp.agents.echo"},
    "LAUNCHER": "inline",
}


class Agent(BaseAgent):
    """Says what it is told, notes it, and does what a test wants done first."""

    asked: ClassVar[list[str]] = []
    before: Callable[[str], object] | None = None
    _lock = threading.Lock()

    name = "noting"

    def __init__(self) -> None:
        self._history: tuple[Message, ...] = ()

    @classmethod
    def forget(cls) -> None:
        cls.asked = []
        cls.before = None

    def chat(self, message: str | Message) -> AgentReply:
        text = message if isinstance(message, str) else str(message.content)
        with self._lock:
            self.asked.append(text)
        if Agent.before is not None:
            Agent.before(text)
        said = Message("assistant", text)
        self._history = (*self._history, Message("user", text), said)
        return AgentReply(text, said)

    @property
    def history(self) -> tuple[Message, ...]:
        return self._history

    def fresh(self, **overrides: Any) -> Agent:
        self.refuse_unsupported(overrides)
        return type(self)()

    @property
    def fingerprint(self) -> str:
        return "noting-1"


def items(count: int, wrong: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """Items that pass, but for those at some positions."""
    return [
        {"id": f"item-{index}", "input": f"say {index}", "reference": "never" if index in wrong else str(index)}
        for index in range(count)
    ]


def make_suite(using: str, dataset: Any = None, **columns: Any) -> EvalSuite:
    if "agent" not in columns:
        columns["agent"] = AgentDefinition.objects.using(using).create(name="Noting", code="noting")
    dataset = items(3) if dataset is None else dataset
    return EvalSuite.objects.using(using).create(name="Smoke tests", dataset=dataset, **columns)


def again(run: EvalRun) -> EvalRun:
    return EvalRun.objects.using(run.database).get(pk=run.pk)


def statuses(run: EvalRun) -> list[tuple[str, str]]:
    rows = run.items.using(run.database).in_dataset_order().values_list("item_id", "status")
    return list(rows)


def leases_expire(run: EvalRun) -> None:
    """As if so much time had passed that nobody has a lease any more."""
    past = database_now(run.database) - timedelta(seconds=1)
    EvalRunShard.objects.using(run.database).filter(run=run.pk).exclude(lease_expires_at=None).update(
        lease_expires_at=past
    )
