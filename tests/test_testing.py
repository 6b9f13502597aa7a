"""`EvaluationTestCase`, in Django's own runner and its transactions."""

from __future__ import annotations

import unittest
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import TransactionTestCase

from neuron_evals import Agent, BaseEvaluator, FakeProvider, StringContains, ToolCall
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.testing import EvaluationAssertions, EvaluationTestCase

CASE: dict[str, Any] = {"input": "Which group?", "expected": "staff", "eval_type": "contains", "timeout": 60_000}


def groups() -> str:
    """Return the names of the groups."""
    return ", ".join(Group.objects.order_by("name").values_list("name", flat=True)) or "none"


def agent() -> Agent:
    """Return an agent whose tool asks the database."""
    return Agent(FakeProvider([ToolCall("groups")], "See the tool."), tools=[groups])


class GroupsEvaluator(BaseEvaluator):
    """Makes a group, and looks for it."""

    def set_up(self) -> None:
        Group.objects.create(name="made in set_up")

    def get_dataset(self) -> Any:
        return [{"input": "staff"}, {"input": "made in set_up"}]

    def run(self, item: Any) -> Any:
        return groups()

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(StringContains(item["input"]), output)


class InTransaction(EvaluationTestCase):
    """Rows that a test made in its transaction are there for what it evaluates."""

    @classmethod
    def setUpTestData(cls) -> None:
        Group.objects.create(name="staff")

    def test_case_with_a_time_limit(self) -> None:
        result = self.assertCasePasses(CASE, agent=lambda text: groups())
        assert result.output == "staff"

    def test_tool_of_an_agent(self) -> None:
        result = self.assertCasePasses({"input": "q", "tool": "groups"}, agent=agent())
        assert result.trajectory.last_tool_call("groups").result == "staff"

    def test_case_that_fails(self) -> None:
        with self.assertRaisesMessage(AssertionError, 'does not contain "staff"'):
            self.assertCasePasses(CASE, agent=lambda text: "nobody")

    def test_evaluator(self) -> None:
        report = self.assertEvaluatorPasses(GroupsEvaluator)
        assert report.passed_count == 2

    def test_evaluator_that_fails(self) -> None:
        Group.objects.filter(name="staff").delete()
        with self.assertRaisesMessage(AssertionError, "1 of 2 items failed"):
            self.assertEvaluatorPasses(GroupsEvaluator())
        self.assertEvaluatorPasses(GroupsEvaluatorElsewhere(), min_success_rate=0.5)

    def test_suite(self) -> None:
        self.assertSuitePasses([CASE], agent=lambda text: groups())
        with self.assertRaisesMessage(AssertionError, "1 of 1 items failed"):
            self.assertSuitePasses([CASE], agent=lambda text: "nobody")

    def test_stored_suite(self) -> None:
        stored = AgentDefinition.objects.create(name="A", slug="a", provider="nowhere", model="m")
        items = [{"input": "q", "reference": "staff"}, {"input": "q", "reference": "nobody"}]
        suite = EvalSuite.objects.create(name="S", slug="s", agent=stored, dataset=items, min_success_rate=0.5)
        self.assertSuitePasses(suite, agent=lambda text: groups())
        with self.assertRaisesMessage(AssertionError, "success rate 0.5000 is below 1.0"):
            self.assertSuitePasses(suite, agent=lambda text: groups(), min_success_rate=1.0)
        with pytest.raises(ConfigurationError):
            self.assertSuitePasses(suite)


class GroupsEvaluatorElsewhere(GroupsEvaluator):
    """Makes another group."""

    def set_up(self) -> None:
        Group.objects.create(name="elsewhere")

    def get_dataset(self) -> Any:
        return [{"input": "staff"}, {"input": "elsewhere"}]


class AwaitedEvaluator(GroupsEvaluator):
    """Makes its queries on connections of its own."""

    def get_dataset(self) -> Any:
        return [{"input": "made in set_up"}]

    async def run(self, item: Any) -> Any:
        return (await Group.objects.aget()).name


class OwnClass(EvaluationAssertions, TransactionTestCase):
    """The assertions in another class of Django's."""

    def test_evaluator(self) -> None:
        Group.objects.create(name="staff")
        self.assertEvaluatorPasses(GroupsEvaluator)

    def test_evaluator_that_is_awaited(self) -> None:
        self.assertEvaluatorPasses(AwaitedEvaluator)


def test_test_case__in_a_plain_runner__fails_as_tests_do(db):
    class Failing(EvaluationTestCase):
        def test_it(self) -> None:
            self.assertCasePasses(CASE, agent=lambda text: "nobody")

    outcome = unittest.TestResult()
    Failing("test_it").run(outcome)
    ((_, message),) = outcome.failures
    assert (outcome.errors, 'does not contain "staff"' in message) == ([], True)
