"""The agent and the judge of the case that is being tested, by names that settings have."""

from __future__ import annotations

from typing import Any, ClassVar

from neuron_evals import BaseAgent, as_agent
from tests.core.suites.actors import agent_of, judge_of

SETTINGS: dict[str, Any] = {"AGENTS": {"tested": "tests.runs.acting.tested", "judge": "tests.runs.acting.judge"}}


class Cast:
    """Who takes part in the case that is being tested."""

    agent: ClassVar[Any] = None
    judge: ClassVar[Any] = None
    provider: ClassVar[Any] = None

    @classmethod
    def enter(cls, case: dict[str, Any]) -> None:
        """Take the roles of a case."""
        cls.agent = None if case.get("fake") else agent_of(case)
        cls.judge, cls.provider = judge_of(case)


def tested() -> BaseAgent:
    return as_agent(Cast.agent)


def judge() -> BaseAgent:
    return as_agent(Cast.judge)
