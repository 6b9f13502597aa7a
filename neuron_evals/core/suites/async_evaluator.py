"""Suites whose agent is at home on an event loop, and the kind of evaluator that fits an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.suites.calls import Made
from neuron_evals.core.suites.evaluator import DEPS, SuiteEvaluator
from neuron_evals.core.suites.nous.custom import CustomCheck

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.core.suites.resources import Resources
    from neuron_evals.core.suites.spec import ItemSpec, SuiteSpec


class AsyncSuiteEvaluator(SuiteEvaluator):
    """A suite whose agent and judges are awaited, for agents that are at home on an event loop."""

    async def run(self, item: Any) -> Any:
        """Do what `SuiteEvaluator.run` does."""
        spec = self.spec.of(item)
        await self._amake(spec)
        return (await self._conversation(spec).arun()).final_answer()

    async def evaluate(self, output: Any, item: Any) -> Any:
        """Do what `SuiteEvaluator.evaluate` does."""
        del output
        spec = self.spec.of(item)
        if any(check.assertion.cls is CustomCheck for check in spec.checks):
            await self._amake(spec)
        recorder, record = self._recording(), self.record
        for label, assertion in self._checks(item):
            await recorder.acheck(assertion, record, label, None)

    async def _amake(self, item: ItemSpec) -> None:
        """Have what an item depends on made where nothing holds the loop."""
        own = item.overrides.get(DEPS)
        if isinstance(own, Made) and not self._made:
            self._made = (await own.amake(),)


def suite_evaluator(
    spec: SuiteSpec,
    agent: BaseAgent,
    resources: Resources | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> SuiteEvaluator:
    """Return the evaluator of a suite: one that awaits where the agent is at home on an event loop.

    Args:
        spec: As for `SuiteEvaluator`, and so are the others.
        agent: The agent under test.
        resources: What the assertions need.
        overrides: What the run changes of the agent.

    Raises:
        SuiteError: As for `SuiteEvaluator`.
        ConfigurationError: As for `SuiteEvaluator`.
    """
    kind = AsyncSuiteEvaluator if agent.asynchronous else SuiteEvaluator
    return kind(spec, agent, resources, overrides)
