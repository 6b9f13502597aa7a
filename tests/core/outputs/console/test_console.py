from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any, get_type_hints

import pytest

from neuron_evals.core.caches import CacheCounts
from neuron_evals.core.exceptions import ConfigurationError, OutputError
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.outputs import ConsoleOutput, render
from neuron_evals.core.results import Attempt, Status
from neuron_evals.core.trajectories import Ending, Trajectory
from tests.core.outputs.factories import (
    TALK,
    ClosedPipe,
    Terminal,
    check,
    evaluator,
    item,
    plan_of,
    report,
    report_of,
    run_without_reader,
)


def shown(report, verbosity=1, *, run=True, **options):
    """Return what the console shows of a run that ends in this report."""
    stream = io.StringIO()
    console = ConsoleOutput(stream, verbosity, **options)
    if run:
        console.start(plan_of(report))
        for result in report.results:
            console.finished(result)
            console.item(result)
    console.output(report)
    console.close()
    return stream.getvalue()


MIXED = report(
    evaluator(
        item(index=0),
        item(
            "failed",
            1,
            item_id="hours",
            checks=(
                check(score=1.0, label="tone"),
                check("failed", 0.25, message="Expected 9am\nin the answer", line=32),
                check(name="StringContainsAll", vacuous=True, line=40),
                check("skipped", name="ToolWasCalled", message="no tools here", line=41),
            ),
        ),
        item("error", 2, checks=(), output=None, error="ValueError: bad (evals/support.py:12)", traceback="Trace\n  x"),
        item("error", 3, checks=(check("error", label="judge", line=35),), cached_run=True, attempts=2, repeat=1),
        item("skipped", 4),
        item("cancelled", 5),
        namespace="shop",
    ),
    evaluator(item(evaluator_class="shop.Other"), name="shop.Other"),
    evaluator(name="evals/broken.py", error="SyntaxError: bad", started_at=None, finished_at=None, duration=0.0),
    stopped="fail-fast",
)


def test_a_whole_report_reads_from_what_broke_to_the_figures():
    assert (
        shown(MIXED, run=False)
        == """
There was 1 evaluator error:

1) evals/broken.py
   Error: SyntaxError: bad

There was 1 failure and 2 errors:

1) FAILED SupportEvaluator #1 hours
   failed SupportEvaluator:32 -> StringContains: Expected 9am
       in the answer
   skipped SupportEvaluator:41 -> ToolWasCalled: no tools here
   Assertions: 2 passed, 1 failed, 1 skipped
   Execution time: 0.25 s

2) ERROR SupportEvaluator #2 item-2
   Error: ValueError: bad (evals/support.py:12)
   Execution time: 0.25 s

3) ERROR SupportEvaluator #3 item-3 (repeat 2, 2 attempts, cached run)
   error SupportEvaluator:35 -> StringContains (judge): it error
   Assertions: 0 passed, 0 failed, 1 error
   Execution time: 0.25 s

Assertion failures by place:
--------------------------------------------------
SupportEvaluator:32 - 1 failure in StringContains
SupportEvaluator:35 - 1 error in StringContains

Skipped: 1 item to which no check applied
Cancelled: 1 item; the run stopped before they ended
Stopped early: fail-fast
Started: 2026-03-01T12:00:00.250000+00:00
Finished: 2026-03-01T12:00:02.250000+00:00
Duration: 2 s by the wall clock
Item times: average 0.25 s, p50 0.25 s, p95 0.25 s, p99 0.25 s

FAILURES!
Items: 7, Passed: 2, Failed: 1, Errors: 2, Skipped: 1, Cancelled: 1
Success rate: 40% (95% interval 7.4% to 84.7%, 5 items, 5 executions)
Repeats: 5 items in 5 executions, pass@2 n/a, pass^2 n/a (over 0 of 5 items)
Assertions: 8, Passed: 4, Failed: 1, Errors: 1, Skipped: 2, Success rate: 66.7%
Tried again: 1 of 7 items, once
Cached runs: 1 of 7 (assertions evaluated again)
Aggregate score: 0.917 over 3 of 7 items
Scores:
  StringContains: average 0.75 (n=3 of 4, 1 skipped), min 0.25, max 1
  tone: average 1 (n=1 of 1), min 1, max 1
  StringContainsAll: average 1 (n=1 of 1), min 1, max 1
  ToolWasCalled: average n/a (n=0 of 1, 1 skipped), min n/a, max n/a
  judge: average n/a (n=0 of 1, 1 error), min n/a, max n/a
Evaluator errors: 1 of 3 evaluators
Warning: 1 vacuous check (every output passes, or none can): SupportEvaluator:40 StringContainsAll

By evaluator:
  SupportEvaluator [shop]
    Duration: 1.5 s
    Items: 6, Passed: 1, Failed: 1, Errors: 2, Skipped: 1, Cancelled: 1
    Success rate: 25% (95% interval 2.1% to 83.7%, 4 items, 4 executions)
    Repeats: 4 items in 4 executions, pass@2 n/a, pass^2 n/a (over 0 of 4 items)
    Assertions: 7, Passed: 3, Failed: 1, Errors: 1, Skipped: 2, Success rate: 60%
    Tried again: 1 of 6 items, once
    Cached runs: 1 of 6 (assertions evaluated again)
    Aggregate score: 0.875 over 2 of 6 items
    Scores:
      StringContains: average 0.625 (n=2 of 3, 1 skipped), min 0.25, max 1
      tone: average 1 (n=1 of 1), min 1, max 1
      StringContainsAll: average 1 (n=1 of 1), min 1, max 1
      ToolWasCalled: average n/a (n=0 of 1, 1 skipped), min n/a, max n/a
      judge: average n/a (n=0 of 1, 1 error), min n/a, max n/a
  Other
    Duration: 1.5 s
    Items: 1, Passed: 1, Failed: 0, Errors: 0, Skipped: 0, Cancelled: 0
    Success rate: 100% (95% interval 20.7% to 100%, n=1)
    Assertions: 1, Passed: 1, Failed: 0, Errors: 0, Skipped: 0, Success rate: 100%
    Aggregate score: 1 over 1 of 1 item
    Scores:
      StringContains: average 1 (n=1 of 1), min 1, max 1
  evals/broken.py
    Evaluator error: SyntaxError: bad
    Items: 0, Passed: 0, Failed: 0, Errors: 0, Skipped: 0, Cancelled: 0
    Success rate: n/a (no item counted)
    Assertions: 0, Passed: 0, Failed: 0, Errors: 0, Skipped: 0, Success rate: n/a
"""
    )


def test_a_run_says_first_what_will_run_and_then_reports_as_a_report_alone_does():
    stream = io.StringIO()
    console = ConsoleOutput(stream)
    console.start(plan_of(MIXED, concurrency=4, workers="threads"))
    assert stream.getvalue() == "Evaluating 7 items of 2 evaluators, 4 at a time (threads)\n\n"
    assert shown(MIXED).endswith(shown(MIXED, run=False))


def test_verbosity_2_shows_every_item_with_its_checks_and_details_of_failures():
    text = shown(MIXED, 2)
    items = text[text.index("PASSED") : text.index("SupportEvaluator: 6 items")]
    assert (
        items
        == """PASSED SupportEvaluator #0 item-0: score 1, 0.25 s
   passed SupportEvaluator:31 -> StringContains
FAILED SupportEvaluator #1 hours: score 0.75, 0.25 s
   passed SupportEvaluator:31 -> StringContains (tone)
   failed SupportEvaluator:32 -> StringContains: Expected 9am
       in the answer
   passed SupportEvaluator:40 -> StringContainsAll [vacuous]
   skipped SupportEvaluator:41 -> ToolWasCalled: no tools here
ERROR SupportEvaluator #2 item-2: score n/a, 0.25 s
   Error: ValueError: bad (evals/support.py:12)
ERROR SupportEvaluator #3 item-3 (repeat 2, 2 attempts, cached run): score n/a, 0.25 s
   error SupportEvaluator:35 -> StringContains (judge): it error
SKIPPED SupportEvaluator #4 item-4: score n/a, 0.25 s
   skipped SupportEvaluator:31 -> StringContains: it skipped
CANCELLED SupportEvaluator #5 item-5: score n/a, 0.25 s
"""
    )
    assert '   Input: {\n         "input": "question 1"\n       }\n   Output: "answer 1"\n' in text
    assert "   Output: null\n   Traceback: Trace\n         x\n" in text


def test_verbosity_0_shows_the_closing_figures_only():
    text = shown(MIXED, 0)
    assert text.startswith("FAILURES!\nItems: 7,")
    assert text.endswith("SupportEvaluator:40 StringContainsAll\n")
    assert "evaluator error:" not in text


def test_usage_and_cost_are_shown_when_they_are_known():
    result = item(usage=Usage(12, 3, 4), cost=0.00012, judge_usage=Usage(5), judge_cost=0.01, judge_time=0.125)
    assert (
        "item-0: score 1, 0.25 s, tokens input 12 output 3 cached input 4, cost 0.00012, judges 0.125 s, "
        "judge tokens input 5, judge cost 0.01\n" in shown(report_of(result), 2)
    )


def test_usage_and_cost_known_in_part_are_shown_as_at_least_that():
    result = item(
        usage=Usage(None, 3, requests=2),
        known_usage=Usage(7, 3, requests=2),
        known_cost=0.1,
        judge_usage=Usage(requests=2),
        known_judge_usage=Usage(5, requests=2),
        known_judge_cost=0.01,
        judge_time=0.125,
    )
    assert (
        "tokens input at least 7 output 3, cost at least 0.1, judges 0.125 s, "
        "judge tokens input at least 5, judge cost at least 0.01\n" in shown(report_of(result), 2)
    )


def test_tools_that_were_called_are_shown_with_every_item():
    stubbed = ToolCall("pay", {}, stubbed=True)
    proposed = Message("assistant", tool_calls=(ToolCall("refund", {"order": 7}), ToolCall("x\x1b[2J", {}), stubbed))
    result = item(trajectory=Trajectory.from_messages([proposed]))
    text = shown(report_of(result), 2)
    assert '   called refund({"order":7})\n   called "x\\u001b[2J"({})\n   called a stub of pay({})\n' in text
    assert "called" not in shown(report_of(result))


def test_sums_of_tokens_cost_and_times__say_what_is_unknown_and_cached():
    text = shown(
        report_of(
            item(usage=Usage(12, 3, requests=2), cost=0.1, run_time=2.0, tool_time=0.5),
            item(index=1, usage=Usage(8, 2), run_time=1.0, judge_usage=Usage(5), judge_cost=0.03, judge_time=0.25),
            item(index=2, cached_run=True, usage=Usage(1000, 1000), cost=9.0, run_time=60.0),
        )
    )
    assert (
        "Tokens of agent: input 20, output 5, requests 3\n"
        "Cost of agent: at least 0.1 (known for 1 of 2 items)\n"
        "1 cached run cost the agent nothing and is in neither sum\n"
        "Tokens of judges: input 5, output n/a, requests 1\n"
        "Cost of judges: 0.03\n" in text
    )
    assert "Time of all items: agent 2.5 s, tools 0.5 s, judges 0.25 s\n" in text


def test_everything_cached__cost_nothing():
    text = shown(report_of(item(cached_run=True, usage=Usage(1000, 1000), cost=9.0)))
    assert "Tokens of agent: input 0, output 0, requests 0\nCost of agent: 0\n" in text


def test_agent_without_a_model__no_word_of_tokens_and_cost():
    text = shown(report_of(item(), item(index=1)))
    assert "Tokens" not in text
    assert "Cost" not in text


def test_the_broken_evaluator_s_traceback_is_a_detail():
    broken = report(evaluator(name="a.Broken", error="ValueError: x", traceback="Trace\n  line"))
    assert "Trace" not in shown(broken)
    assert "1) Broken\n   Error: ValueError: x\n   Traceback: Trace\n         line\n" in shown(broken, 2)


@pytest.mark.parametrize(
    ("results", "fields", "word"),
    [
        ([item()], {}, "OK"),
        ([item(), item("failed", 1)], {}, "FAILURES!"),
        ([item(), item("error", 1)], {}, "FAILURES!"),
        ([], {}, "NOTHING WAS JUDGED"),
        ([item("skipped")], {}, "NOTHING WAS JUDGED"),
        ([item(), item("cancelled", 1)], {"stopped": "interrupted", "interrupted": True}, "INTERRUPTED"),
        ([item("failed")], {"stopped": "interrupted", "interrupted": True}, "INTERRUPTED"),
        ([item(), item("cancelled", 1)], {"stopped": "budget spent"}, "STOPPED EARLY"),
    ],
)
def test_the_result_is_one_word_and_never_ok_for_what_was_not_judged(results, fields, word):
    assert f"\n{word}\nItems: " in shown(report_of(*results, **fields))


@pytest.mark.parametrize(
    ("failed", "errors", "heading"),
    [
        (1, 0, "There was 1 failure:"),
        (2, 0, "There were 2 failures:"),
        (0, 1, "There was 1 error:"),
        (0, 2, "There were 2 errors:"),
        (1, 2, "There was 1 failure and 2 errors:"),
        (2, 1, "There were 2 failures and 1 error:"),
    ],
)
def test_one_is_singular_in_headings(failed, errors, heading):
    results = [item("failed", n) for n in range(failed)] + [item("error", failed + n) for n in range(errors)]
    assert f"\n{heading}\n\n1) " in shown(report_of(*results))


@pytest.mark.parametrize("run", [False, True])
def test_a_long_list_of_failures_is_cut_and_says_where_the_rest_is(run):
    failures = report_of(*(item("failed", n) for n in range(60)))
    text = shown(failures, run=run)
    assert "\n50) FAILED" in text
    assert "\n51) FAILED" not in text
    assert "\n... and 10 more; -v 2 shows all of them, and so does --output json=PATH\n" in text
    assert "SupportEvaluator:31 - 60 failures in StringContains\n" in text
    assert "\n60) FAILED" in shown(failures, 2, run=run)
    assert "more;" not in shown(failures, 2, run=run)


def test_failures_are_told_also_when_the_report_kept_no_results():
    results = [item(), item("failed", 1, item_id="hours")]
    stream = io.StringIO()
    console = ConsoleOutput(stream)
    kept = report_of(*results)
    console.start(plan_of(kept))
    for result in results:
        console.item(result)
    console.output(report(evaluator(tally=kept.tally)))
    assert "\n1) FAILED SupportEvaluator #1 hours\n" in stream.getvalue()


def test_evaluators_that_share_a_short_name_are_told_apart():
    one, two = "a.Support", "b.Support"
    results = [
        evaluator(item("failed", evaluator_class=name, checks=(check("failed", evaluator_class=name),)), name=name)
        for name in (one, two)
    ]
    text = shown(report(*results))
    assert "1) FAILED a.Support #0" in text
    assert "   failed b.Support:31 -> StringContains" in text
    assert "\n  b.Support\n" in text


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        ([1.0, "error"], "quality: average 1 (n=1 of 2, 1 error), min 1, max 1"),
        ([1.0, "error", "error", "error"], "quality: average 1 (n=1 of 4, 3 errors), min 1, max 1"),
        ([0.5, 0.5, 0.5, 0.5], "quality: average 0.5 (n=4 of 4), min 0.5, max 0.5"),
        ([0.8, None, 0.6], "quality: average 0.7 (n=2 of 3, 1 without score), min 0.6, max 0.8"),
        ([1.0, None], "quality: average 1 (n=1 of 2, 1 without score), min 1, max 1"),
        (["skipped", 0.0], "quality: average 0 (n=1 of 2, 1 skipped), min 0, max 0"),
        (["error"], "quality: average n/a (n=0 of 1, 1 error), min n/a, max n/a"),
    ],
)
def test_an_average_says_over_how_many_it_is(checks, line):
    results = [
        item(
            "error" if given == "error" else "passed",
            index,
            checks=(check(given, label="quality") if isinstance(given, str) else check(score=given, label="quality"),),
        )
        for index, given in enumerate(checks)
    ]
    text = shown(report_of(*results))
    assert f"\n  {line}\n" in text
    assert "nan" not in text.lower()


def test_an_error_makes_the_rate_and_the_word_unclean():
    text = shown(report_of(item(), item("error", 1)))
    assert "Success rate: 50% (" in text
    assert "FAILURES!" in text


@pytest.mark.parametrize(
    ("results", "line"),
    [
        ([item("failed")], "Success rate: 0% (95% interval 0% to 79.3%, n=1)"),
        ([item("skipped")], "Success rate: n/a (no item counted)"),
        ([item("failed", 9999), *(item(index=n) for n in range(9999))], "Success rate: 99.99% ("),
    ],
)
def test_nothing_passed_nothing_known_and_almost_all_are_different(results, line):
    assert f"\n{line}" in shown(report_of(*results))


def test_vacuous_checks_are_counted_and_their_places_named_once():
    checks = tuple(check(name="StringContainsAll", vacuous=True, line=line) for line in (7, 7, 9))
    text = shown(report_of(item(checks=checks)))
    assert (
        "Warning: 3 vacuous checks (every output passes, or none can): "
        "SupportEvaluator:7 StringContainsAll, SupportEvaluator:9 StringContainsAll\n"
    ) in text


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("", '""'),
        (0, "0"),
        (False, "false"),
        (None, "null"),
        ([], "[]"),
        ({}, "{}"),
        (float("nan"), "null"),
        ("two\nlines", '"two\n       lines"'),
        (object(), '"[builtins.object]"'),
    ],
)
def test_outputs_that_are_empty_are_told_apart(output, told):
    assert f"\n   Output: {told}\n" in shown(report_of(item("failed", output=output)), 2)


def test_a_long_output_is_shortened_on_the_screen_and_kept_in_the_result():
    output = "👩\u200d🚀" * 3000
    result = item("failed", output=output)
    text = shown(report_of(result), 2)
    (line,) = [line for line in text.splitlines() if line.startswith("   Output: ")]
    assert line.endswith("👩\u200d🚀… (9002 characters)")
    assert len(line) <= len("   Output: ") + 4000
    assert result.output is output


@pytest.mark.parametrize("color", [True, None])
def test_colours_are_shown_when_asked_for_or_on_a_terminal(monkeypatch, color):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = io.StringIO() if color else Terminal()
    ConsoleOutput(stream, color=color).output(report_of(item("failed")))
    assert "\x1b[1;31mFAILURES!\x1b[0m\n" in stream.getvalue()


@pytest.mark.parametrize("color", [False, None])
def test_colours_are_not_shown_elsewhere(monkeypatch, color):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in shown(report_of(item("failed")), color=color)


def test_colours_can_be_forced_where_no_terminal_is(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31mFAILURES!" in shown(report_of(item("failed")))


def test_standard_output_is_the_one_of_the_moment(capsys):
    console = ConsoleOutput()
    assert console.problems() == []
    console.output(report_of(item()))
    assert "\nOK\n" in capsys.readouterr().out


def test_a_missing_standard_output_is_a_problem(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert ConsoleOutput().problems() == ["there is no standard output; give another stream"]


@pytest.mark.parametrize("verbosity", [-1, 4, "1", None])
def test_a_verbosity_that_means_nothing_is_refused(verbosity):
    with pytest.raises(ConfigurationError, match="verbosity is 0, 1, 2 or 3"):
        ConsoleOutput(verbosity=verbosity)


def test_the_driver_can_be_used_for_one_run_after_another():
    stream = io.StringIO()
    console = ConsoleOutput(stream)
    for status in ("failed", "passed"):
        stream.truncate(0)
        stream.seek(0)
        report = report_of(item(status))
        console.start(plan_of(report))
        console.item(report.results[0])
        console.output(report)
        console.close()
    assert "1) FAILED" not in stream.getvalue()
    assert "1 failure" not in stream.getvalue()
    assert "\nOK\n" in stream.getvalue()


def test_a_closed_pipe_is_an_output_error():
    with pytest.raises(OutputError, match="closed the pipe"):
        ConsoleOutput(ClosedPipe()).output(report_of(item()))


def test_a_reader_that_goes_away_leaves_no_traceback_behind():
    program = (
        "from tests.core.outputs.factories import item, report_of\n"
        "from neuron_evals.core.outputs import ConsoleOutput, OutputPipeline\n"
        "pipeline = OutputPipeline([ConsoleOutput()])\n"
        "pipeline.output(report_of(item('failed')))\n"
        "raise SystemExit(str(pipeline.errors[0]))\n"
    )
    ended = run_without_reader(program)
    assert ended.stderr == "ConsoleOutput: the reader closed the pipe before everything was written\n"
    assert ended.returncode == 1


def test_importing_the_drivers_and_writing_plain_text_loads_neither_rich_nor_regex():
    program = (
        "import sys\n"
        "from tests.core.outputs.factories import item, report_of\n"
        "from neuron_evals.core.outputs import ConsoleOutput\n"
        "ConsoleOutput(color=False).output(report_of(item('failed')))\n"
        "raise SystemExit(str({'rich', 'regex', 'numpy', 'django'} & set(sys.modules)))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert ended.stderr == "set()\n"


def test_the_constructor_can_be_read_from_its_annotations():
    assert set(get_type_hints(ConsoleOutput.__init__)) == {"stream", "verbosity", "color", "return"}


def test_repeats_say_how_steady_the_items_are():
    results = [item("passed" if n % 3 else "failed", n // 3, repeat=n % 3) for n in range(6)]
    text = shown(report_of(*results, item(index=2, repeat=0)))
    assert "\nSuccess rate: 77.8% (95% interval " in text
    assert ", 3 items, 7 executions)\n" in text
    assert "\nRepeats: 3 items in 7 executions, pass@3 1, pass^3 0 (over 2 of 3 items)\n" in text
    assert "\nFlaky: 2 items: item-0 (2 of 3), item-1 (2 of 3)\n" in text
    assert "Repeats:" not in shown(report_of(item()))


def test_a_long_list_of_flaky_items_is_cut_and_says_how_many_are_left():
    results = [item("passed" if repeat else "failed", n, repeat=repeat) for n in range(23) for repeat in range(2)]
    text = shown(report_of(*results))
    assert "Flaky: 23 items: item-0 (1 of 2), " in text
    assert "item-19 (1 of 2) and 3 more\n" in text


def test_an_item_whose_id_is_hostile_cannot_break_the_line_of_flaky_items():
    results = [item(status, 0, repeat=n, item_id="a\x1b[2J\nOK") for n, status in enumerate(("passed", "failed"))]
    [line] = [line for line in shown(report_of(*results)).splitlines() if line.startswith("Flaky")]
    assert line == r"Flaky: 1 item: a\x1b[2J\nOK (1 of 2)"


def test_a_wrong_answer_that_was_right_later_says_on_which_attempt():
    other = (Attempt(Status.FAILED), Attempt(Status.PASSED))
    text = shown(report_of(item("failed", attempts=3, other_attempts=other)))
    assert "1) FAILED SupportEvaluator #0 item-0 (3 attempts, passed on attempt 3)\n" in text
    assert "Success rate: 0%" in text


def test_a_cache_says_how_often_it_helped_and_what_it_could_not_keep():
    counts = CacheCounts(hits=1, misses=1, stored=0, not_stored={"an object of type \x1b[2Jshop.Order": 1})
    text = shown(report(evaluator(item(cached_run=True), item(index=1), cache=counts)))
    assert "\nCached runs: 1 of 2 (assertions evaluated again)\n" in text
    warning = r"Warning: 1 output could not be cached: an object of type \x1b[2Jshop.Order (1)"
    assert f"\n{warning}\n" in text
    assert "\nCached runs: 0 of 1\n" in shown(report(evaluator(item(), cache=CacheCounts(misses=1, stored=1))))
    assert "ached" not in shown(report_of(item()))


ENDED = "   conversation ended: error after 1 turn (the simulated user broke): SimulatorError: no reply\n"


def test_conversation_that_broke__its_end_is_shown_and_with_details_what_was_said():
    broken = report_of(item("error", error="SimulatorError: no reply", trajectory=TALK))
    assert ENDED + "   simulated user, turn 1: it spoke twice\n" in shown(broken)
    assert "Which order?" not in shown(broken)
    assert "   Conversation: User: Refund A1\n" in shown(broken, 2)
    assert "Assistant: Which order?\n" in shown(broken, 2)


def test_conversation_that_passed__its_end_is_shown_with_every_item():
    passed = report_of(item(trajectory=Trajectory([], Ending("max_turns", 3))))
    assert "   conversation ended: max_turns after 3 turns\n" in shown(passed, 2)
    assert "conversation ended" not in shown(passed)


def test_conversation_as_output__shown_once_as_text():
    text = shown(report_of(item("failed", output=TALK, trajectory=TALK)), 2)
    assert "   Output: " not in text
    assert text.count("Refund A1") == 1


def test_messages_that_were_read__have_no_end():
    assert "conversation ended" not in shown(report_of(item("failed", trajectory=Trajectory(TALK.messages()))), 2)


def test_simulated_users__told_apart():
    used: dict[str, Any] = {"simulator_usage": Usage(7, 2), "simulator_cost": 0.02, "simulator_time": 0.5}
    text = shown(report_of(item(usage=Usage(12, 3), cost=0.1, run_time=2.0, **used)), 2)
    assert "simulated user 0.5 s, simulator tokens input 7 output 2, simulator cost 0.02\n" in text
    assert "Tokens of simulated users: input 7, output 2, requests 1\nCost of simulated users: 0.02\n" in text
    assert "Tokens of agent: input 12, output 3, requests 1\nCost of agent: 0.1\n" in text
    assert "Time of all items: agent 1.5 s, tools n/a, judges n/a, simulated users 0.5 s\n" in text


def test_simulated_user_of_a_cached_run__told_and_in_no_sum():
    used: dict[str, Any] = {"simulator_usage": Usage(7, 2), "simulator_cost": 0.02, "simulator_time": 0.5}
    text = shown(report_of(item(run_time=2.0, **used), item(index=1, run_time=2.0, cached_run=True, **used)), 2)
    assert text.count("simulated user 0.5 s, simulator tokens input 7 output 2, simulator cost 0.02\n") == 2
    assert (
        "Cost of simulated users: 0.02\n1 cached run cost the simulated users nothing and is in neither sum\n" in text
    )


def test_many_checks_of_one_item__the_first_are_shown_and_the_rest_is_counted():
    wrong = item("failed", checks=tuple(check("failed", 0.0, message=f"wrong {n}") for n in range(500)))
    text = shown(report_of(wrong))
    assert text.count("failed SupportEvaluator:31") == 20
    assert "\n   ... and 480 more checks did not pass; -v 2 shows all of them" in text
    assert shown(report_of(wrong), verbosity=2).count(": wrong 499") >= 1
    assert json.loads(render(report_of(wrong), "json"))["results"][0]["assertions_failed"] == 500
