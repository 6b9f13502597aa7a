"""`assert_case`, `assert_suite` and `assert_evaluator` in a test of any framework."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from neuron_evals import (
    Agent,
    BaseEvaluator,
    ConfigurationError,
    DatasetError,
    EvaluatorRunner,
    FakeProvider,
    Limits,
    Selection,
    StringContains,
    SuiteError,
    ToolCall,
    assert_case,
    assert_evaluator,
    assert_suite,
)

if TYPE_CHECKING:
    from pathlib import Path

CASE: dict[str, Any] = {"input": "When are you open?", "expected": "9"}


def test_case_that_passes__its_result_is_returned():
    assert assert_case(CASE, agent=lambda text: "9 to 5").output == "9 to 5"


def test_case_that_fails__the_message_has_checks_and_answer():
    with pytest.raises(AssertionError) as failed:
        assert_case(CASE, agent=lambda text: "Never")
    message = str(failed.value)
    assert 'does not contain "9"' in message
    assert "output: 'Never'" in message


def test_case_that_breaks__fails_with_what_broke():
    def broken(text: str) -> str:
        raise RuntimeError("provider down")

    with pytest.raises(AssertionError, match="provider down"):
        assert_case(CASE, agent=broken)


def test_case_with_a_judge__whose_verdict_counts():
    case = {**CASE, "eval_type": "llm_judge", "expected": "Is it polite?"}
    assert assert_case(case, agent=lambda text: "Hello", judge=Agent(FakeProvider("SCORE: 5"))).score == 1.0
    with pytest.raises(AssertionError, match="rude"):
        assert_case(case, agent=lambda text: "Hm", judge=Agent(FakeProvider("SCORE: 1\nEXPLANATION: rude")))


def test_case_that_means_nothing__is_a_mistake_and_no_failure():
    with pytest.raises(SuiteError):
        assert_case({**CASE, "eval_type": "contians"}, agent=lambda text: pytest.fail("called"))


def test_case_with_a_time_limit__runs_in_the_thread_of_the_test_unless_a_runner_is_given():
    threads: list[threading.Thread] = []

    def noting(text: str) -> str:
        threads.append(threading.current_thread())
        return "9"

    assert_case({**CASE, "eval_type": "contains", "timeout": 60_000}, agent=noting)
    assert_case({**CASE, "eval_type": "contains", "timeout": 60_000}, agent=noting, runner=EvaluatorRunner())
    assert [thread is threading.current_thread() for thread in threads] == [True, False]


def test_output_that_drives_terminals__cannot_do_so_from_a_message():
    with pytest.raises(AssertionError) as failed:
        assert_case(CASE, agent=lambda text: "\x1b[31m\u202ered")
    assert str(failed.value).replace("\n", "").isprintable()


# The test-framework examples of Nous.Eval's guide, with an agent of ours in the place of a model.


def test_example__agent_handles_basic_greeting():
    case = {"id": "greeting", "input": "Hello!", "expected": {"contains": ["hello", "hi"]}, "eval_type": "contains"}
    result = assert_case(case, agent=Agent(FakeProvider("Hello! I say hi.")))
    assert result.score == 1.0
    with pytest.raises(AssertionError):
        assert_case(case, agent=Agent(FakeProvider("Go away.")))


def test_example__agent_uses_calculator_tool():
    def calculator(expression: str) -> str:
        """Calculate."""
        return "30"

    case = {
        "id": "calculator",
        "input": "What is 15% of 200?",
        "expected": {"tools_called": ["calculator"]},
        "eval_type": "tool_usage",
        "agent_config": {"tools": [calculator]},
    }
    assert_case(case, agent=Agent(FakeProvider([ToolCall("calculator", {"expression": "0.15 * 200"})], "It is 30.")))
    with pytest.raises(AssertionError, match="calculator"):
        assert_case(case, agent=Agent(FakeProvider("It is 30.")))


SUITE: dict[str, Any] = {"name": "hours", "items": [{"input": "9", "reference": "9"}, {"input": "8", "reference": "9"}]}


def echo(text: str) -> str:
    return text


def test_suite_with_a_wrong_answer__fails_with_the_item_unless_less_is_enough(tmp_path: Path):
    with pytest.raises(AssertionError) as failed:
        assert_suite(SUITE, agent=echo)
    assert str(failed.value).startswith("1 of 2 items failed\nsuite hours #1 (")
    assert assert_suite(SUITE, agent=echo, min_success_rate=0.5).passed_count == 1
    file = tmp_path / "hours.yaml"
    file.write_text("items: [{input: 9 to 5, reference: '9'}]\n")
    assert assert_suite(file, agent=echo).passed_count == 1


def test_suite_that_says_what_is_enough__passes_with_that_unless_the_test_says_otherwise(tmp_path: Path):
    file = tmp_path / "half.json"
    half = {"min_success_rate": 0.5, "items": [{"input": "a", "reference": "a"}, {"input": "a", "reference": "b"}]}
    file.write_text(json.dumps(half))
    for suite in (half, file):
        assert assert_suite(suite, agent=echo).passed_count == 1
        with pytest.raises(AssertionError):
            assert_suite(suite, agent=echo, min_success_rate=0.6)


def test_suite_of_which_nothing_is_judged__does_not_pass():
    with pytest.raises(AssertionError, match="nothing was judged"):
        assert_suite(SUITE, agent=echo, tags=["none"])


def test_suite_of_many_wrong_answers__shows_some():
    items = [{"id": str(number), "input": "8", "reference": "9"} for number in range(30)]
    with pytest.raises(AssertionError, match="and 10 more items that did not pass") as failed:
        assert_suite(items, agent=echo)
    assert str(failed.value).count("output:") == 20


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_rate_out_of_range__refused_before_the_agent_is_called(rate):
    with pytest.raises(ConfigurationError):
        assert_suite(SUITE, agent=lambda text: pytest.fail("called"), min_success_rate=rate)


class Hours(BaseEvaluator):
    def get_dataset(self) -> Any:
        return [{"id": "right", "input": "9"}, {"id": "wrong", "input": "8"}]

    def run(self, item: Any) -> Any:
        return item["input"]

    def evaluate(self, output: Any, item: Any) -> None:
        self.check(StringContains("9"), output)


def test_evaluator_with_a_wrong_answer__fails_with_the_item_unless_it_is_left_out():
    with pytest.raises(AssertionError, match=r'#1 \(wrong\): failed\n.*"8" does not contain "9"'):
        assert_evaluator(Hours())
    report = assert_evaluator(Hours(), selection=Selection(text="right"), limits=Limits(repeats=3))
    assert report.passed_count == 3


def test_evaluator_that_breaks__fails_whatever_rate_is_enough():
    class Broken(Hours):
        def run(self, item: Any) -> Any:
            raise RuntimeError("boom")

    with pytest.raises(AssertionError, match="2 of 2 items broke"):
        assert_evaluator(Broken(), min_success_rate=0.0)


def test_evaluator_without_items__is_a_mistake_and_no_failure():
    class Empty(Hours):
        def get_dataset(self) -> Any:
            return []

    with pytest.raises(DatasetError, match="empty"):
        assert_evaluator(Empty())
