"""The examples of the Nous.Eval guide in their Python form."""

from __future__ import annotations

import itertools
import json
import threading
from dataclasses import dataclass
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    EvaluatorRunner,
    FakeProvider,
    JsonOutput,
    ToolCall,
    as_agent,
    assert_case,
    load_suite,
    parse_suite,
    render,
    run_case,
    run_suite,
)
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites import suite_evaluator


def calculate(amount: float, percent: float = 15) -> float:
    """Return a share of an amount."""
    return amount * percent / 100


def answering(*replies: Any, **options: Any) -> Agent:
    return Agent(FakeProvider(*replies), **options)


def test_quick_start():
    suite = parse_suite(
        {
            "name": "my_tests",
            "test_cases": [
                {
                    "id": "greeting",
                    "input": "Say hello",
                    "expected": {"contains": ["hello", "hi"]},
                    "eval_type": "contains",
                }
            ],
        }
    )
    report = run_suite(suite, agent=answering("Hello, hi!"))
    assert (report.total_count, report.success_rate) == (1, 1.0)
    assert "OK" in render(report)


@dataclass
class Person:
    name: str
    age: int


HAIKU = {
    "criteria": "Evaluate if this is a valid haiku:\n1. Has 3 lines\n2. Follows 5-7-5\n3. Relates to coding\n",
    "rubric": "5: valid haiku on topic, 3: right shape but off topic, 1: neither",
}


@pytest.mark.parametrize(
    ("eval_type", "expected", "config", "right", "wrong"),
    [
        ("exact_match", "4", {}, "4", "5"),
        ("fuzzy_match", "colour", {"threshold": 0.85}, "color", "hue"),
        ("contains", {"contains": ["apple", "banana"]}, {}, "Apple, banana, fig", "apple"),
        ("contains", {"regex": ["\\d{4}"]}, {}, "in 2026", "in 26"),
        ("contains", {"contains_any": ["hello", "hi"]}, {}, "HI", "bye"),
        ("contains", {"contains": ["MAX_RETRIES"]}, {"case_insensitive": False}, "MAX_RETRIES", "max_retries"),
    ],
)
def test_evaluators_of_texts(eval_type, expected, config, right, wrong):
    case = {"id": "one", "input": "q", "expected": expected, "eval_type": eval_type, "eval_config": config}
    assert run_case(case, agent=lambda text: right).passed
    assert not run_case(case, agent=lambda text: wrong).passed


def test_tool_usage():
    case = {
        "id": "tip_calculation",
        "input": "Calculate 15% tip on $50",
        "expected": {
            "tools_called": ["calculate"],
            "tools_not_called": ["search"],
            "min_tool_calls": 1,
            "max_tool_calls": 3,
            "output_contains": ["7.5"],
            "tool_args": {"calculate": {"amount": 50}},
        },
        "eval_type": "tool_usage",
        "agent_config": {"tools": [calculate]},
    }
    assert_case(case, agent=answering([ToolCall("calculate", {"amount": 50})], "$7.50"))
    assert run_case(case, agent=answering([ToolCall("calculate", {"amount": 40})], "$7.50")).score == 0.8
    assert run_case(case, agent=answering("$7.50")).score == pytest.approx(2 / 5)


def test_schema():
    case = {
        "id": "extract_person",
        "input": "Extract: John is 30 years old",
        "expected": {"schema": Person},
        "eval_type": "schema",
        "agent_config": {"output_type": Person},
    }
    assert_case(case, agent=answering({"name": "John", "age": 30}))
    assert not run_case(case, agent=lambda text: '{"name": "John", "age": "thirty"}').passed


@pytest.mark.parametrize(("grade", "passed"), [(5, True), (3, False), (1, False)])
def test_llm_judge(grade, passed):
    case = {
        "id": "haiku",
        "input": "Write a haiku about coding",
        "expected": HAIKU,
        "eval_type": "llm_judge",
        "eval_config": {"pass_threshold": 0.7},
    }
    judge = answering(f"SCORE: {grade}\nEXPLANATION: so it is")
    assert run_case(case, agent=lambda text: "Code flows", judge=judge).passed is passed


class SentimentEvaluator:
    """The evaluator of the guide."""

    def evaluate(self, actual, expected, config):
        sentiment = self._analyze(actual["output"])
        passed = sentiment == expected["sentiment"]
        return {
            "score": 1.0 if passed else 0.0,
            "passed": passed,
            "reason": None if passed else f"Expected {expected['sentiment']}, got {sentiment}",
            "details": {"detected_sentiment": sentiment},
        }

    def _analyze(self, text):
        return "positive" if "amazing" in text else "negative"


def test_custom_evaluator():
    case = {
        "id": "sentiment",
        "input": "Review: This product is amazing!",
        "expected": {"sentiment": "positive"},
        "eval_type": "custom",
        "eval_config": {"evaluator": SentimentEvaluator},
    }
    right = run_case(case, agent=lambda text: "An amazing product")
    assert (right.passed, right.score) == (True, 1.0)
    assert right.checks[0].context["detected_sentiment"] == "positive"
    wrong = run_case(case, agent=lambda text: "A bad product")
    assert (wrong.passed, wrong.score) == (False, 0.0)
    assert "Expected positive, got negative" in wrong.reason


CI = """
name: smoke
test_cases:
  - {id: a, input: a, expected: a}
  - {id: b, input: b, expected: b}
  - {id: c, input: c, expected: c}
  - {id: d, input: d, expected: never}
"""


def test_recipe_for_ci__reads_the_pass_rate_at_the_top(tmp_path):
    file, results = tmp_path / "smoke.yaml", tmp_path / "eval-results.json"
    file.write_text(CI, encoding="utf-8")
    JsonOutput(results).output(run_suite(load_suite(file), agent=lambda text: text))

    found = json.loads(results.read_text(encoding="utf-8"))
    assert found["pass_rate"] == 0.75
    assert found["pass_rate"] < 0.9, "the job of the guide fails below 0.9"
    assert (found["total"], found["pass_count"], found["fail_count"]) == (4, 3, 1)


def test_recipe_for_ci__nothing_judged_is_no_rate_that_could_pass(tmp_path):
    results = tmp_path / "eval-results.json"
    JsonOutput(results).output(run_suite(parse_suite(CASES), agent=lambda text: text, tags=["none"]))
    assert json.loads(results.read_text(encoding="utf-8"))["pass_rate"] is None


CASES: dict[str, Any] = {
    "name": "flaky",
    "test_cases": [
        {"id": "greeting", "input": "Say hello", "expected": {"contains_any": ["hello"]}, "tags": ["basic"]}
    ],
}

MANY = [{**CASES["test_cases"][0], "id": str(number)} for number in range(5)]


def test_programmatic__options_of_a_run():
    provider = FakeProvider("hello")
    options: dict[str, Any] = {
        "model": "different-model",
        "concurrency": 4,
        "timeout": 60,
        "tags": ["basic"],
        "retries": 2,
    }
    report = run_suite(parse_suite(CASES), agent=Agent(provider, model="own"), **options)
    assert (report.passed_count, provider.requests[0].model) == (1, "different-model")


def test_troubleshooting_timeouts__more_time_and_shorter_answers():
    case = {**CASES["test_cases"][0], "timeout": 60_000, "agent_config": {"instructions": "Answer in one word."}}
    provider = FakeProvider("hello")
    assert_case(case, agent=Agent(provider))
    assert provider.requests[0].instructions == "Answer in one word."


def test_troubleshooting_flaky_cases__temperature_fuzzy_match_and_tries():
    case = {
        **CASES["test_cases"][0],
        "expected": "hello",
        "eval_type": "fuzzy_match",
        "agent_config": {"model_settings": {"temperature": 0.1}},
    }
    provider = FakeProvider("goodbye", "hello")
    report = run_suite(parse_suite({"retry_failed": 2, "test_cases": [case]}), agent=Agent(provider))
    assert [request.settings.temperature for request in provider.requests] == [0.1, 0.1]
    (result,) = report.results
    assert (result.passed, result.attempts) == (False, 2)
    assert "passed on attempt 2" in render(report, "detailed")


def test_troubleshooting_memory__less_at_once():
    threads: set[int] = set()

    def agent(text: str) -> str:
        threads.add(threading.get_ident())
        return "hello"

    assert run_suite(parse_suite({"parallelism": 1, "test_cases": MANY}), agent=agent).passed_count == len(MANY)
    assert len(threads) == 1


def test_troubleshooting_memory__results_in_batches_as_they_come():
    suite = parse_suite({"test_cases": MANY})
    results = EvaluatorRunner().stream(suite_evaluator(suite, as_agent(lambda text: "hello")))
    batches = []
    while batch := list(itertools.islice(results, 2)):
        batches.append([result.item_id for result in batch])
    assert batches == [["0", "1"], ["2", "3"], ["4"]]


def test_debug_mode__is_the_detailed_report():
    """Each case, the tools that were called, tokens and times."""
    case = {"id": "tip", "input": "Calculate 15% tip on $50", "expected": "7.5"}
    agent = answering([ToolCall("calculate", {"amount": 50})], "7.5", tools=[calculate])
    text = render(run_suite(parse_suite({"test_cases": [case]}), agent=agent), "detailed")
    for part in ("PASSED", "tip: score 1", 'called calculate({"amount":50})', "1 tool call", "Latency (p50/p95/p99): "):
        assert part in text


def test_in_a_test__greeting():
    case = {"id": "greeting", "input": "Hello!", "expected": {"contains": ["hello", "hi"]}, "eval_type": "contains"}
    result = run_case(case, agent=answering("Hello, or hi there"))
    assert result.passed, f"Expected test to pass: {result.reason}"
    assert result.score is not None
    assert result.score >= 0.8


def test_in_a_test__calculator():
    case = {
        "id": "calculator",
        "input": "What is 15% of 200?",
        "expected": {"tools_called": ["calculate"]},
        "eval_type": "tool_usage",
        "agent_config": {"tools": [calculate]},
    }
    assert run_case(case, agent=answering([ToolCall("calculate", {"amount": 200})], "30")).passed


def test_model_that_nobody_knows__is_told_before_the_first_call():
    with pytest.raises(ConfigurationError, match="names no model"):
        run_suite(parse_suite({**CASES, "default_model": "lmstudio:qwen3"}))
