"""What the reference system of Nous suites gets wrong, and what becomes of it here.

Faults that a test elsewhere shows to be none here are in `SHOWN_ELSEWHERE`; the others have their test below.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    FakeProvider,
    Status,
    SuiteError,
    ToolCall,
    parse_suite,
    record_metric,
    render,
    run_case,
    run_suite,
)
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.report import EvaluationReport

TESTS = Path(__file__).parents[2]
CASE: dict[str, Any] = {"id": "greeting", "input": "Say hello", "expected": "hello"}

SHOWN_ELSEWHERE = {
    "fuzzy similarity is no Jaro-Winkler": "core/assertions/test_nous_cases.py::test_case",
    "the default of a case's timeout shadows run and suite": (
        "core/suites/test_nous_running.py::test_timeout__likewise_and_30_seconds_where_nobody_says_it"
    ),
    "model and instructions of a run and a case": (
        "core/suites/test_nous_running.py"
        "::test_model__run_before_case_before_suite_before_settings_before_the_agents_own"
    ),
    "model settings of a run replace those of a case as a whole": (
        "core/suites/test_nous_running.py::test_model_settings__likewise_and_one_by_one"
    ),
    "iterations are always 1, tool errors never counted": (
        "core/test_measured_runs.py::test_agent__its_steps_are_counted"
    ),
    "time to the first token and retries are never filled": (
        "core/test_measured_runs.py::test_streamed_and_repeated_model_calls__first_token_and_retries"
    ),
    "percentiles are rounded": "core/report/test_metrics_summary.py::test_latency__interpolated_and_never_rounded",
    "a missing latency is 0": "core/report/test_metrics_summary.py::test_latency__is_of_run_alone_and_of_no_cached_run",
    "an unknown price is free": "core/providers/test_prices.py::test_cost__unknown_and_not_zero",
    "a list of messages as input never works": (
        "core/suites/test_nous.py::test_input_as_messages__the_last_is_said_after_the_others"
    ),
    "unknown keys, empty expectations, eval_types of other kinds": (
        "core/suites/test_nous.py::test_case_with_a_mistake__refused"
    ),
    "ids that come twice": "core/suites/test_nous.py::test_cases_with_one_id__refused",
    "the first mistake hides the others": (
        "core/suites/test_nous.py::test_mistakes__are_all_told_at_once_in_the_order_of_the_cases"
    ),
    "options that nothing reads (strict_order, allow_extra_fields)": (
        "core/suites/test_nous_documented.py::test_test_that_an_option_names__is_there"
    ),
    "numbers beside the scale, negative grades, denominators": (
        "core/judges/test_replies.py::test_reply_without_exactly_one_grade__unusable_and_says_why"
    ),
    "a judge that is down is a bad grade": (
        "core/suites/test_nous_cases.py::test_broken_judge__is_an_error_and_no_bad_grade"
    ),
    "the judge is not shown the question": (
        "core/suites/test_nous_running.py::test_judge__is_shown_question_criteria_rubric_and_answer"
    ),
    "a setup that breaks is passed over": (
        "core/suites/test_nous_running.py::test_setup_that_breaks__no_case_runs_and_nothing_is_torn_down"
    ),
    "what setup returns does not reach the cases": (
        "core/suites/test_nous_running.py::test_setup__its_value_reaches_the_cases_and_teardown"
    ),
    "an evaluator that raises ends the run": (
        "core/suites/test_nous_running.py::test_custom_that_raises__is_an_error_of_that_case_alone"
    ),
    "what an evaluator returns is not looked at": (
        "core/suites/test_nous_running.py::test_custom_that_returns_no_result__is_an_error"
    ),
    "wrong answers are never tried again, and tries not recorded": (
        "core/suites/test_nous_running.py::test_retry_failed__tries_a_wrong_answer_again_and_counts_the_first"
    ),
    "evaluators, classes and tools cannot be named in a file": (
        "core/suites/test_nous.py::test_dotted_paths__are_resolved_where_they_may_be"
    ),
    "a schema of a plain class checks nothing": "core/suites/test_nous_running.py::test_schema__says_what_is_wrong",
    "a bad file among others": "core/suites/test_files.py::test_directory__one_bad_file_is_enough_and_all_are_told",
    "the pass rate has no interval": "core/test_statistics.py::test_wilson_interval__published_examples",
    "details do not tell why a case broke": "core/outputs/test_render.py::test_every_form_has_the_cause_of_an_error",
    "names are not escaped in Markdown": "core/outputs/test_markdown.py::test_no_text_is_read_as_markup",
    "the 99th percentile is missing in Markdown": (
        "core/outputs/test_render.py::test_markdown_shows_what_was_measured_and_tokens_once"
    ),
    "an answer can speak to the judge from where it is pasted": (
        "core/asking/test_fencing.py::test_any_text__cannot_close_its_fence"
    ),
    "what judges cost is not counted": (
        "core/test_graded_runs.py"
        "::test_judge_with_a_price_and_classifier_without_one__total_unknown_and_the_known_part_shown_everywhere"
    ),
    "a teardown that breaks is passed over": (
        "core/suites/test_nous_running.py::test_teardown_that_breaks__is_told_and_no_case_is_lost"
    ),
    "a suite that is refused is dropped, and the command succeeds": (
        "management/test_eval.py::test_suite_files__all_problems_of_all_with_file_and_line"
    ),
    "a filter that leaves nothing is a success of the command": (
        "management/test_eval.py::test_tags_of_the_command__choose_cases_of_a_file"
    ),
    "options of the command that are not there are passed over": (
        "management/test_eval.py::test_option_that_is_not_there__ends_with_2_and_is_not_passed_over"
    ),
    "the recipe for CI reads a key that is not there": (
        "management/test_eval.py::test_recipe_of_the_guide_for_ci__reads_the_pass_rate_of_all_suites_at_the_top"
    ),
}


@pytest.mark.parametrize(("fault", "where"), SHOWN_ELSEWHERE.items())
def test_fault_that_is_shown_elsewhere__has_its_test(fault, where):
    file, _, name = where.partition("::")
    assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8"), fault


def ran(*cases: dict[str, Any], agent: Any = lambda text: "hello", **options: Any) -> EvaluationReport:
    return run_suite(parse_suite({"name": "basic", "test_cases": list(cases)}), agent=agent, **options)


@pytest.mark.parametrize("text", ["a", "42", "300", "paris"])
def test_fuzzy_match__a_text_is_most_like_itself(text):
    case = {**CASE, "eval_type": "fuzzy_match", "expected": text}
    assert run_case(case, agent=lambda said: text).score == 1.0


def test_fuzzy_match__the_same_both_ways_and_never_below_0():
    scores = [
        run_case({**CASE, "eval_type": "fuzzy_match", "expected": one}, agent=lambda said, other=other: other).score
        for one, other in (("color", "colour"), ("colour", "color"), ("a", "b"), ("abc", "xyz"))
    ]
    assert scores == [pytest.approx(0.966667, abs=1e-6)] * 2 + [0.0, 0.0]


@pytest.mark.parametrize(
    ("grade", "score", "passed"), [(1, 0.0, False), (2, 0.25, False), (3, 0.5, False), (4, 0.75, True), (5, 1.0, True)]
)
def test_judge__the_worst_grade_does_not_pass(grade, score, passed):
    case = {**CASE, "eval_type": "llm_judge", "expected": "Is it polite?"}
    result = run_case(case, agent=lambda text: "Hi", judge=Agent(FakeProvider(f"SCORE: {grade}\nEXPLANATION: so")))
    assert (result.score, result.passed) == (score, passed)


def test_tags__are_kept_whatever_words_they_are():
    report = ran({**CASE, "tags": ["größe-7", "never heard of"]}, {**CASE, "id": "b"}, tags=["never heard of"])
    assert [(result.item_id, result.tags) for result in report.results] == [("greeting", ("größe-7", "never heard of"))]


def test_tags_that_leave_nothing__no_rate_of_0_and_no_success():
    report = ran(CASE, tags=["slow"])
    assert (report.total_count, report.success_rate) == (0, None)
    assert "NOTHING WAS JUDGED" in render(report)


def test_tags_as_one_text__are_one_tag_and_no_crash():
    report = ran({**CASE, "tags": "basic"}, {**CASE, "id": "b", "tags": ["b", "a"]}, tags=["basic"])
    assert [result.tags for result in report.results] == [("basic",)]


@pytest.mark.parametrize(("expected", "said"), [(False, "false"), (0, "0"), (True, "true"), (4.5, "4.5")])
def test_expected_false_and_0__are_values_and_not_left_out(expected, said):
    case = {**CASE, "eval_type": "exact_match", "expected": expected}
    assert run_case(case, agent=lambda text: said).passed
    assert not run_case(case, agent=lambda text: "").passed


def test_details_that_are_no_json__do_not_break_the_report():
    class Detailed:
        def evaluate(self, actual, expected, config):
            return {"score": 0.0, "passed": False, "details": {"pair": (1, {2}), "at": object(), "much": float("inf")}}

    report = ran({**CASE, "eval_type": "custom", "eval_config": {"evaluator": Detailed}})
    (check,) = json.loads(render(report, "json"))["results"][0]["checks"]
    assert check["context"]["pair"][0] == 1
    assert "NaN" not in render(report, "json")


def test_pattern_that_does_not_compile__is_a_mistake_and_no_miss():
    with pytest.raises(SuiteError, match="does not compile"):
        parse_suite({"test_cases": [{**CASE, "expected": {"regex": ["["]}}]})


@dataclass
class Person:
    name: str
    age: int


def test_json_report__takes_argument_mismatches_and_schemas():
    provider = FakeProvider([ToolCall("calculate", {"amount": 40})], "7.5", {"name": "John", "age": 30})
    mismatch = {**CASE, "eval_type": "tool_usage", "expected": {"tool_args": {"calculate": {"amount": 50}}}}
    schema = {**CASE, "id": "person", "eval_type": "schema", "expected": {"schema": Person}}

    def calculate(amount: float) -> float:
        """Return the tip."""
        return amount

    report = ran(mismatch, schema, agent=Agent(provider, tools=[calculate]))
    found = json.loads(render(report, "json"))
    assert [result["status"] for result in found["results"]] == ["failed", "passed"]
    assert "50" in found["results"][0]["reason"]


def test_summary__agrees_with_the_suite_about_what_passed():
    """A case that is half met fails, and is counted as failed everywhere."""
    report = ran({**CASE, "expected": ["hello", "welcome"]}, {**CASE, "id": "b"})
    assert [result.score for result in report.results] == [0.5, 1.0]
    found = json.loads(render(report, "json"))
    assert (found["pass_count"], found["fail_count"], found["pass_rate"], report.success_rate) == (1, 1, 0.5, 0.5)


def test_error__is_neither_a_failure_nor_a_score_of_0():
    def agent(text: str) -> str:
        if text == "break":
            raise ConnectionError("down")
        return "hello"

    report = ran(CASE, {**CASE, "id": "b", "input": "break"}, {**CASE, "id": "c", "expected": "bye"}, agent=agent)
    assert (report.passed_count, report.failed_count, report.error_count) == (1, 1, 1)
    assert (report.aggregate_score, report.scored_count) == (0.5, 2)
    assert report.results[1].score is None
    found = json.loads(render(report, "json"))
    assert (found["total"], found["pass_count"], found["fail_count"], found["errors"]) == (3, 1, 1, 1)


def test_case_that_takes_too_long__keeps_its_id():
    cases = [{**CASE, "id": name, "input": name, "timeout": timeout} for name, timeout in (("a", 60_000), ("b", 50))]
    released = Event()

    def agent(text: str) -> str:
        if text == "b":
            released.wait(60)
        return "hello"

    try:
        report = ran(*cases, agent=agent, concurrency=2)
    finally:
        released.set()
    assert [(result.item_id, result.status) for result in report.results] == [
        ("a", Status.PASSED),
        ("b", Status.ERROR),
    ]
    assert "0.05 s" in report.results[1].reason


def test_figure_of_ones_own__is_stored_and_summed():
    def agent(text: str) -> str:
        record_metric("documents", 42)
        return "hello"

    report = ran(CASE, agent=agent)
    assert report.results[0].metrics == {"documents": 42.0}
    assert json.loads(render(report, "json"))["recorded_metrics"]["documents"]["mean"] == 42.0


def test_names_of_the_guide__are_there():
    result = run_case({**CASE, "expected": "bye"}, agent=lambda text: "hello")
    assert "bye" in result.reason
    found = json.loads(render(ran(CASE), "json"))
    assert {"total", "pass_count", "fail_count", "pass_rate", "aggregate_score", "metrics_summary"} <= found.keys()
    assert {"p50", "p95", "p99", "first_token", "total"} <= found["metrics_summary"]["latency"].keys()
    assert {"input", "output", "total"} <= found["metrics_summary"]["tokens"].keys()
    assert "total" in found["metrics_summary"]["cost"]
    assert {"tool_calls", "iterations"} <= found["metrics_summary"].keys()


def test_suites_of_one_name__are_both_in_the_report():
    one, other = ran(CASE), ran({**CASE, "expected": "bye"})
    assert one.started_at <= other.started_at
    both = EvaluationReport(
        [*one.evaluators, *other.evaluators], started_at=one.started_at, finished_at=other.finished_at
    )
    assert [each["pass_rate"] for each in json.loads(render(both, "json"))["evaluators"]] == [1.0, 0.0]


@pytest.mark.parametrize("form", ["markdown", "detailed", "console"])
def test_name_that_is_markup__stays_text(form):
    report = ran({**CASE, "id": "a|b<script>", "expected": "bye"})
    text = render(report, form)
    assert "a|b<script>" in text
    if form == "markdown":
        assert "`a|b<script>`" in text


def test_no_model__is_known_before_anything_runs():
    with pytest.raises(ConfigurationError, match="agent"):
        run_suite(parse_suite({"test_cases": [CASE]}))
