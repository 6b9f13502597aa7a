from __future__ import annotations

import asyncio
import contextvars
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

from neuron_evals import Agent, FakeProvider, Message, PriceTable, Usage
from neuron_evals.core.checking import Assertion
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.execution import Surroundings, Task
from neuron_evals.core.execution import execute as execute_task
from neuron_evals.core.results import AssertionResult, Status, Verdict
from tests.core.samples import Echo, Says


def execute(task, before=None, after=None):
    return execute_task(task, Surroundings(before, after)).result


def task_of(evaluator, item=None):
    return Task(evaluator, 0, "a", item if item is not None else {"input": "good"}, ("smoke",))


def run_with(method, item=None):
    """Execute an `Echo` whose `run` or `evaluate` is another function."""
    evaluator = type("Changed", (Echo,), {method.__name__: method})()
    return execute(task_of(evaluator, item))


def test_execute__passing_item__everything_about_it_is_in_the_result():
    result = execute(task_of(Echo()))

    assert (result.status, result.item_id, result.index) == (Status.PASSED, "a", 0)
    assert (result.output, result.score, result.error) == ("good", 1.0, None)
    assert result.evaluator_class == "tests.core.samples.Echo"
    assert result.tags == ("smoke",)
    assert result.execution_time > 0


def test_execute__failing_check__failed_with_the_line_of_the_call():
    result = execute(task_of(Echo(), {"input": "bad"}))

    assert result.status is Status.FAILED
    assert result.checks[0].line == Echo.evaluate.__code__.co_firstlineno + 1
    assert result.checks[0].full_description == f"Echo:{result.checks[0].line} -> Says: good is not in it"


def test_execute__run_raises__error_and_no_check():
    def run(self, item):
        raise RuntimeError("provider down")

    result = run_with(run)

    assert (result.status, result.output, result.checks) == (Status.ERROR, None, ())
    line = run.__code__.co_firstlineno + 1
    assert result.error == f"RuntimeError: provider down (tests/core/test_execution.py:{line})"
    assert "provider down" in result.traceback


def test_execute__evaluate_raises__output_and_checks_so_far_are_kept():
    def evaluate(self, output, item):
        self.check(Says("good"), output)
        raise KeyError("expected")

    result = run_with(evaluate)

    assert result.status is Status.ERROR
    assert result.output == "good"
    assert [check.verdict for check in result.checks] == [Verdict.PASSED]
    assert result.score is None


def test_execute__broken_check__item_is_an_error_and_later_checks_ran():
    def evaluate(self, output, item):
        self.check(Says("good"), 7, label="type")
        self.check(Says("bad"), output)

    result = run_with(evaluate)

    assert result.status is Status.ERROR
    assert result.error == "broken checks: type"
    assert [check.verdict for check in result.checks] == [Verdict.ERROR, Verdict.FAILED]


def test_execute__no_check__error_and_never_a_pass():
    def evaluate(self, output, item):
        return output == item["input"]

    result = run_with(evaluate)

    assert result.status is Status.ERROR
    assert "no check was made" in result.error


def test_execute__all_checks_skipped__skipped():
    @dataclass(frozen=True)
    class NeverApplies(Assertion):
        def evaluate(self, actual):
            return AssertionResult.skip("there was no tool call")

    def evaluate(self, output, item):
        self.check(NeverApplies(), output)

    result = run_with(evaluate)

    assert (result.status, result.score) == (Status.SKIPPED, None)
    assert result.reason == "NeverApplies: there was no tool call"


def test_execute__skipped_beside_passed__passed_and_left_out_of_the_score():
    @dataclass(frozen=True)
    class NeverApplies(Assertion):
        @property
        def weight(self):
            return 3.0

        def evaluate(self, actual):
            return AssertionResult.skip("no")

    def evaluate(self, output, item):
        self.check(NeverApplies(), output)
        self.check(Says("good"), output)

    result = run_with(evaluate)

    assert (result.status, result.score) == (Status.PASSED, 1.0)


@pytest.mark.parametrize("error", [SystemExit(0), SystemExit("bye"), GeneratorExit(), asyncio.CancelledError()])
def test_execute__base_exception_in_run__error_of_the_item(error):
    """`sys.exit(0)` in an agent must not end the command with success."""

    def run(self, item):
        raise error

    result = run_with(run)

    assert result.status is Status.ERROR
    assert result.error.startswith(type(error).__name__)


def test_execute__keyboard_interrupt__goes_through():
    def run(self, item):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_with(run)


def test_execute__error_whose_text_breaks__still_a_result():
    class HostileError(Exception):
        def __str__(self):
            raise ValueError("no text")

    def run(self, item):
        raise HostileError

    assert "HostileError" in run_with(run).error


def test_execute__error_from_another_error__traceback_shows_both_with_short_paths():
    def run(self, item):
        try:
            item["key"]
        except KeyError as exc:
            raise RuntimeError("no such order") from exc

    traceback = run_with(run).traceback

    assert "KeyError: 'key'" in traceback
    assert "RuntimeError: no such order" in traceback
    assert '"tests/core/test_execution.py"' in traceback
    assert "core/execution/" not in traceback


@pytest.mark.parametrize("output", [0, False, "", [], {}, None, 0.0, b""], ids=repr)
def test_execute__empty_outputs__evaluate_gets_the_value_itself(output):
    seen = []

    def run(self, item):
        return output

    def evaluate(self, output, item):
        seen.append(output)
        self.check(Says(""), "")

    changed = type("Changed", (Echo,), {"run": run, "evaluate": evaluate})()
    result = execute(task_of(changed))

    assert result.output is output
    assert seen[0] is output


def test_execute__run_changes_item__evaluate_and_report_see_the_original():
    item = {"input": "good", "nested": {"list": [1, {"deep": 2}]}}

    def run(self, item):
        item["nested"]["list"][1]["deep"] = "changed"
        item.pop("input")
        return "good"

    def evaluate(self, output, item):
        self.check(Says("good"), item["input"])
        assert item["nested"]["list"] == [1, {"deep": 2}]

    changed = type("Changed", (Echo,), {"run": run, "evaluate": evaluate})()
    result = execute(task_of(changed, item))

    assert result.status is Status.PASSED, result.explain()
    assert result.input == {"input": "good", "nested": {"list": [1, {"deep": 2}]}}


def test_execute__item_rebinds_an_attribute__the_evaluator_is_as_before():
    class Counting(Echo):
        calls = 0

        def run(self, item):
            self.calls += 1
            self.items = "mine"
            return f"good {self.calls}"

    evaluator = Counting()
    outputs = [execute(task_of(evaluator)).output for _ in range(2)]

    assert outputs == ["good 1", "good 1"]
    assert evaluator.items == ()


def test_execute__context_variable_set_by_an_item__gone_after_it():
    variable = contextvars.ContextVar("variable", default="clean")

    def run(self, item):
        before = variable.get()
        variable.set("dirty")
        return f"good {before}"

    assert [run_with(run).output for _ in range(2)] == ["good clean", "good clean"]


def test_execute__frozen_dataclass_without_super_init__works():
    @dataclass(frozen=True)
    class Frozen(Echo):
        items: list[Any] = field(default_factory=list)

    assert execute(task_of(Frozen())).passed


class Awaiting(Echo):
    async def run(self, item):
        await asyncio.sleep(0)
        return item["input"]

    async def evaluate(self, output, item):
        await self.acheck(Says("good"), output)
        self.check(Says("good"), output)


def test_execute__async_evaluator__awaited_with_the_line_of_the_call():
    result = execute(task_of(Awaiting()))

    assert result.status is Status.PASSED
    first = Awaiting.evaluate.__code__.co_firstlineno
    assert [check.line for check in result.checks] == [first + 1, first + 2]


def test_execute__async_evaluator_under_a_running_loop__awaited():
    async def main():
        return execute(task_of(Awaiting()))

    assert asyncio.run(main()).passed


def test_execute__async_run_raises_under_a_running_loop__error_of_the_item():
    class Broken(Awaiting):
        async def run(self, item):
            raise RuntimeError("down")

    async def main():
        return execute(task_of(Broken()))

    assert asyncio.run(main()).error.startswith("RuntimeError: down")


def test_acheck__assertion_that_can_be_awaited__is_awaited():
    @dataclass(frozen=True)
    class Slow(Assertion):
        def evaluate(self, actual):
            raise AssertionError("the awaited twin is to be used")

        async def aevaluate(self, actual):
            await asyncio.sleep(0)
            return AssertionResult.ok(0.5)

    class Judged(Awaiting):
        async def evaluate(self, output, item):
            await self.acheck(Slow(), output)

    assert execute(task_of(Judged())).score == 0.5


def test_acheck__assertion_breaks__recorded_and_the_next_runs():
    class Judged(Awaiting):
        async def evaluate(self, output, item):
            await self.acheck(Says("good"), None)
            await self.acheck(Says, output)  # type: ignore[arg-type]  # the mistake under test
            await self.acheck(Says("good"), output)

    assert [check.verdict for check in execute(task_of(Judged())).checks] == ["error", "error", "passed"]


def test_execute__coroutine_nobody_awaited__error_and_no_warning():
    async def answer():
        return "good"

    def run(self, item):
        return answer()

    assert "declare it as `async def run`" in run_with(run).error


def test_check__outside_a_run__says_how_to_run():
    with pytest.raises(EvaluationError, match=r"EvaluatorRunner\(\).run"):
        Echo().evaluate("good", {})


def test_execute__hooks__around_the_item():
    calls = []

    class Noted(Echo):
        def run(self, item):
            calls.append("run")
            return "good"

    result = execute(task_of(Noted()), lambda: calls.append("before"), lambda: calls.append("after"))

    assert result.passed
    assert calls == ["before", "run", "after"]


def test_execute__before_breaks__item_and_after_do_not_run():
    def broken():
        raise ConnectionError("no database")

    calls = []
    result = execute(task_of(Echo()), broken, lambda: calls.append("after"))

    assert result.error.startswith("ConnectionError: no database")
    assert (result.output, calls) == (None, [])


def test_execute__after_breaks__error_although_checks_passed_and_they_are_kept():
    def broken():
        sys.exit(3)

    result = execute(task_of(Echo()), None, broken)

    assert result.status is Status.ERROR
    assert result.error.startswith("SystemExit: 3")
    assert len(result.checks) == 1


def test_execute__item_and_after_break__the_first_error_is_told():
    def run(self, item):
        raise RuntimeError("first")

    evaluator = type("Changed", (Echo,), {"run": run})()

    def broken():
        raise RuntimeError("second")

    assert execute(task_of(evaluator), None, broken).error.startswith("RuntimeError: first")


def test_base_evaluator__methods_missing__cannot_be_built():
    class Half(BaseEvaluator):
        def run(self, item):
            return item

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]  # the mistake under test


@pytest.mark.parametrize("prices", [None, PriceTable().with_overrides({"fake": {"input": 1, "output": 1}})])
def test_run_that_breaks_after_model_calls__tells_what_they_used(prices):
    agent = Agent(FakeProvider(Message("assistant", "Hello!", usage=Usage(10, 2))), model="fake", prices=prices)

    def run(self, item):
        agent.chat("Hello?")
        msg = "broken"
        raise ValueError(msg)

    result = run_with(run)

    assert (result.status, result.output, result.run_time) == (Status.ERROR, None, None)
    assert (result.usage.input, result.usage.output) == (10, 2)
    assert result.cost == (None if prices is None else pytest.approx(12e-6))


def test_run_that_breaks_before_any_model_call__usage_unknown():
    def run(self, item):
        msg = "broken"
        raise ValueError(msg)

    assert (run_with(run).usage, run_with(run).cost) == (None, None)
