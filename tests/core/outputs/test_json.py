from __future__ import annotations

import io
import json
import sys
from typing import Any, get_type_hints

import pytest

from neuron_evals.core.caches import CacheCounts
from neuron_evals.core.exceptions import ConfigurationError, NeuronEvalsError, OutputError
from neuron_evals.core.messages import Usage
from neuron_evals.core.outputs import JsonOutput
from neuron_evals.core.results import AgentSteps, Attempt, Status
from tests.core.outputs.factories import (
    EVALUATOR,
    HOSTILE,
    TALK,
    ClosedPipe,
    check,
    evaluator,
    item,
    report,
    report_of,
    run_without_reader,
)

SUMMARY = [
    "total",
    "passed",
    "failed",
    "errors",
    "skipped",
    "cancelled",
    "success_rate",
    "success_rate_interval",
    "aggregate_score",
    "scored",
    "average_execution_time",
    "execution_time_percentiles",
    "total_assertions",
    "assertions_passed",
    "assertions_failed",
    "assertions_broken",
    "assertions_skipped",
    "assertion_success_rate",
    "cached_runs",
    "retried_items",
    "item_retries",
    "left_out",
    "resumed",
    "cache",
    "vacuous_checks",
    "score_statistics",
    "metrics",
    "recorded_metrics",
    "pass_count",
    "fail_count",
    "pass_rate",
    "metrics_summary",
    "repeats",
    "usage",
    "time_split",
]
END = [
    "results",
    "started_at",
    "finished_at",
    "duration",
    "stopped",
    "interrupted",
    "suite_name",
    "selection",
    "absent_evaluators",
    "fake",
    "has_failures",
    "evaluators",
]
RESULT = [
    "evaluator_class",
    "index",
    "item_id",
    "repeat",
    "status",
    "passed",
    "score",
    "reason",
    "input",
    "output",
    "trajectory",
    "ending",
    "execution_time",
    "cached_run",
    "attempts",
    "other_attempts",
    "tags",
    "error",
    "traceback",
    "usage",
    "cost",
    "known_usage",
    "known_cost",
    "judge_usage",
    "judge_cost",
    "known_judge_usage",
    "known_judge_cost",
    "simulator_usage",
    "simulator_cost",
    "known_simulator_usage",
    "known_simulator_cost",
    "run_time",
    "tool_time",
    "judge_time",
    "simulator_time",
    "measurements",
    "recorded_metrics",
    "assertions_passed",
    "assertions_failed",
    "assertion_scores",
    "scores",
    "checks",
]


def strict(text):
    """Parse JSON and refuse what RFC 8259 does not have, and keys that come twice."""

    def refuse(constant):
        raise AssertionError(constant)

    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def written(report, **options):
    """Return what the driver writes to a stream, parsed."""
    stream = io.StringIO()
    JsonOutput(stream=stream, **options).output(report)
    text = stream.getvalue()
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    text.encode()
    return strict(text)


@pytest.fixture
def mixed():
    return report(
        evaluator(
            item(index=0, checks=(check(label="tone", context={"a": [1]}), check(vacuous=True)), tags=("smoke",)),
            item("failed", 1, checks=(check("failed", 0.5, message="Expected 9am"), check("skipped", label="tone"))),
            item("error", 2, checks=(check("error", weight=2.0),), cached_run=True),
            item("error", 3, checks=(), output=None, error="ValueError: x", traceback="Traceback"),
            namespace="support",
        ),
        evaluator(item("skipped", 0), item("cancelled", 1), name="shop.evals.Other"),
        evaluator(name="evals/broken.py", error="SyntaxError: x", started_at=None, finished_at=None, duration=0.0),
        stopped="fail-fast",
    )


def test_the_keys_come_in_their_order(mixed):
    data = written(mixed)
    assert list(data) == SUMMARY + END
    assert all(list(result) == RESULT for result in data["results"])
    first, _, broken = data["evaluators"]
    start = ["evaluator_class", "suite_name", "namespace", "fake", "started_at", "finished_at", "duration"]
    assert list(first) == [*start, *SUMMARY, "error", "traceback", "has_failures"]
    assert list(broken) == list(first)


def test_passed_failed_errors_skipped_and_cancelled_are_counted_apart(mixed):
    data = written(mixed)
    counts = {key: data[key] for key in ("total", "passed", "failed", "errors", "skipped", "cancelled", "cached_runs")}
    assert counts == {
        "total": 6,
        "passed": 1,
        "failed": 1,
        "errors": 2,
        "skipped": 1,
        "cancelled": 1,
        "cached_runs": 1,
    }
    assert data["success_rate"] == 0.25
    assert data["success_rate_interval"] == pytest.approx([0.04559, 0.69936], abs=1e-5)
    assert (data["aggregate_score"], data["scored"]) == (0.75, 2)
    names = ("total_assertions", "assertions_passed", "assertions_failed", "assertions_broken", "assertions_skipped")
    assert [data[name] for name in names] == [6, 2, 1, 1, 2]
    assert data["assertion_success_rate"] == 0.5
    assert data["vacuous_checks"] == 1
    assert data["score_statistics"] == {
        "average_score": pytest.approx(2.5 / 3),
        "min_score": 0.5,
        "max_score": 1.0,
        "count": 3,
    }
    assert data["metrics"]["tone"] == {
        "average": 1.0,
        "min": 1.0,
        "max": 1.0,
        "deviation": 0.0,
        "count": 1,
        "total": 2,
        "passed": 1,
        "failed": 0,
        "errors": 0,
        "skipped": 1,
    }


def test_results_tell_every_check_with_its_message_also_when_it_passed(mixed):
    passed, failed, broken, raised, *_ = written(mixed)["results"]
    assert passed["checks"] == [
        {
            "name": "StringContains",
            "label": "tone",
            "verdict": "passed",
            "score": 1.0,
            "weight": 1.0,
            "message": "",
            "context": {"a": [1]},
            "line": 31,
            "vacuous": False,
        },
        {**passed["checks"][0], "label": "StringContains", "context": {}, "vacuous": True},
    ]
    assert passed["tags"] == ["smoke"]
    assert failed["scores"] == [
        {"label": "StringContains", "value": 0.5, "passed": False},
        {"label": "tone", "value": None, "passed": False},
    ]
    assert failed["assertion_scores"] == [0.5]
    assert (failed["assertions_passed"], failed["assertions_failed"]) == (0, 1)
    assert failed["reason"] == "StringContains: Expected 9am; tone: it skipped"
    assert (broken["status"], broken["passed"], broken["score"], broken["cached_run"]) == ("error", False, None, True)
    assert (broken["checks"][0]["verdict"], broken["checks"][0]["weight"]) == ("error", 2.0)
    assert (raised["error"], raised["traceback"], raised["output"]) == ("ValueError: x", "Traceback", None)


def test_evaluators_tell_their_own_figures_and_why_they_broke(mixed):
    first, other, broken = written(mixed)["evaluators"]
    assert (first["evaluator_class"], first["namespace"], first["total"]) == (EVALUATOR, "support", 4)
    assert (other["success_rate"], other["success_rate_interval"], other["has_failures"]) == (None, None, False)
    assert (broken["error"], broken["started_at"], broken["has_failures"]) == ("SyntaxError: x", None, True)


def test_times_are_utc_with_microseconds(mixed):
    data = written(mixed)
    assert data["started_at"] == "2026-03-01T12:00:00.250000+00:00"
    assert data["finished_at"] == "2026-03-01T12:00:02.250000+00:00"
    assert data["duration"] == 2.0
    assert (data["stopped"], data["interrupted"], data["has_failures"]) == ("fail-fast", False, True)


def test_what_is_unknown_is_null_and_not_zero():
    data = written(report())
    unknown = ("success_rate", "success_rate_interval", "aggregate_score", "average_execution_time")
    assert [data[name] for name in unknown] == [None] * 4
    assert data["execution_time_percentiles"] == {"p50": None, "p95": None, "p99": None}
    assert [data[name] for name in ("assertion_success_rate", "score_statistics", "metrics")] == [None] * 3
    assert (data["results"], data["evaluators"], data["total"]) == ([], [], 0)


def test_results_that_were_not_kept_are_null_and_not_an_empty_list():
    kept = evaluator(item())
    data = written(report(evaluator(tally=kept.tally)))
    assert (data["total"], data["results"]) == (1, None)


@pytest.mark.parametrize(
    "output", [0, False, "", [], {}, None, "null", "[]", "0", {"a": [1, {"b": None}]}, -0.5, "é🚀"]
)
def test_an_output_stays_the_value_it_is(output):
    given = written(report_of(item(output=output)))["results"][0]["output"]
    assert given == output
    assert type(given) is type(output)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), None),
        ({"a": float("inf"), "b": [float("-inf"), 1.0]}, {"a": None, "b": [None, 1.0]}),
        ((1, 2), [1, 2]),
        (object(), "[builtins.object]"),
        ({1: "x"}, {"1": "x"}),
    ],
)
def test_what_json_does_not_have_is_told_in_what_it_has(value, told):
    result = written(report_of(item(output=value, input={"input": value})))["results"][0]
    assert result["output"] == told
    assert result["input"] == {"input": told}


@pytest.mark.parametrize("scores", [(0.8, None, 0.6), (None, 0.8, 0.6)])
def test_a_score_nobody_gave_is_null_and_counts_nowhere(scores):
    data = written(report_of(*(item(index=n, checks=(check(score=score),)) for n, score in enumerate(scores))))
    assert data["metrics"]["StringContains"]["average"] == pytest.approx(0.7)
    assert (data["metrics"]["StringContains"]["count"], data["metrics"]["StringContains"]["total"]) == (2, 3)
    assert (data["aggregate_score"], data["scored"]) == (pytest.approx(0.7), 2)
    assert sorted(result["score"] is None for result in data["results"]) == [False, False, True]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_data_in_every_field(text):
    hostile = check("failed", name=text, label=text, message=text, context={text: text})
    results = evaluator(item("failed", item_id=text, output=text, error=text, tags=(text,), checks=(hostile,)))
    data = written(report(results, evaluator(name=text, error=text, namespace=text), stopped=text))
    shown = data["results"][0]["output"]
    assert shown == data["stopped"] == data["results"][0]["checks"][0]["label"] == data["evaluators"][1]["error"]
    if not any(char == "\x00" or "\ud800" <= char <= "\udfff" for char in text):
        assert shown == text


@pytest.mark.parametrize("indent", [0, 1, 4, None])
def test_the_layout_changes_nothing(mixed, indent):
    assert written(mixed, indent=indent) == written(mixed)


def test_the_default_layout_is_two_spaces_a_level(mixed):
    stream = io.StringIO()
    JsonOutput(stream=stream).output(mixed)
    assert stream.getvalue() == json.dumps(strict(stream.getvalue()), indent=2, ensure_ascii=False) + "\n"


def test_a_file_gets_the_whole_report_and_is_not_asked_for_again(tmp_path, mixed):
    path = tmp_path / "results.json"
    path.write_text("old")
    driver = JsonOutput(path)
    assert driver.problems() == []
    assert path.read_text() == "old"
    driver.output(mixed)
    assert strict(path.read_text(encoding="utf-8")) == written(mixed)


@pytest.mark.parametrize("broken", [object(), float("nan"), float("inf")])
def test_a_report_that_cannot_be_written_leaves_the_old_file(tmp_path, broken):
    path = tmp_path / "good.json"
    path.write_text('{"good": true}')
    with pytest.raises(NeuronEvalsError, match="cannot be written as JSON"):
        JsonOutput(path).output(report_of(item(), item(index=1), duration=broken))
    assert strict(path.read_text()) == {"good": True}
    assert list(tmp_path.iterdir()) == [path]


def test_a_relative_path_is_the_one_of_the_moment_it_was_given(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    driver = JsonOutput("results.json")
    monkeypatch.chdir(tmp_path / "elsewhere")
    driver.output(report_of(item()))
    assert (tmp_path / "results.json").is_file()


def test_without_a_path_it_writes_to_standard_output(capsys):
    driver = JsonOutput()
    assert driver.problems() == []
    assert driver.destination is sys.stdout
    driver.output(report_of(item()))
    assert strict(capsys.readouterr().out)["total"] == 1


def test_a_missing_standard_output_is_a_problem(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert JsonOutput().problems() == ["there is no standard output; give a path"]
    assert JsonOutput().destination is None


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_a_stream_of_any_encoding_gets_json_that_is_utf8(encoding):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    JsonOutput(stream=stream).output(report_of(item(output="café … 🚀")))
    assert strict(raw.getvalue().decode("utf-8"))["results"][0]["output"] == "café … 🚀"


def test_a_closed_pipe_is_an_output_error():
    with pytest.raises(OutputError, match="closed the pipe"):
        JsonOutput(stream=ClosedPipe()).output(report_of(item()))


def test_a_reader_that_goes_away_leaves_no_traceback_behind():
    program = (
        "from tests.core.outputs.factories import item, report_of\n"
        "from neuron_evals.core.outputs import JsonOutput, OutputPipeline\n"
        "pipeline = OutputPipeline([JsonOutput()])\n"
        "pipeline.output(report_of(*(item(index=n) for n in range(2000))))\n"
        "raise SystemExit(str(pipeline.errors[0]))\n"
    )
    ended = run_without_reader(program)
    assert ended.stderr == "JsonOutput: the reader closed the pipe before everything was written\n"
    assert ended.returncode == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "a", "stream": io.StringIO()}, "a path or a stream, not both"),
        ({"indent": -1}, "indent is a number of spaces from 0, or None, got -1"),
        ({"indent": True}, "got True"),
        ({"indent": "2"}, "got '2'"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, message):
    with pytest.raises(ConfigurationError, match=message):
        JsonOutput(**options)


def test_the_constructor_can_be_read_from_its_annotations():
    assert set(get_type_hints(JsonOutput.__init__)) == {"path", "stream", "indent", "return"}


def test_repeats_tell_how_steady_the_items_are():
    repeats = report_of(
        item(index=0, repeat=0), item("failed", 0, repeat=1), item(index=0, repeat=2), item(index=1, repeat=0)
    )
    data = written(repeats)
    assert data["repeats"] == {
        "most": 3,
        "pass_at": {"1": pytest.approx(5 / 6), "2": 1.0, "3": 1.0},
        "pass_hat": {"1": pytest.approx(5 / 6), "2": pytest.approx(1 / 3), "3": 0.0},
        "items": {"1": 2, "2": 1, "3": 1},
        "flaky": [{"evaluator_class": EVALUATOR, "item_id": "item-0", "passed": 2, "judged": 3}],
    }
    assert data["success_rate"] == pytest.approx(5 / 6)
    assert [result["repeat"] for result in data["results"]] == [0, 1, 2, 0]
    assert written(report_of(item()))["repeats"] is None


def test_the_cache_is_told_by_evaluator_and_in_total():
    counts = CacheCounts(2, 1, 0, {"OSError: disk full": 1})
    data = written(report(evaluator(cache=counts), evaluator(name="shop.B", cache=counts), evaluator(name="shop.C")))
    told = {"hits": 2, "misses": 1, "stored": 0, "not_stored": {"OSError: disk full": 1}}
    assert [each["cache"] for each in data["evaluators"]] == [told, told, None]
    assert data["cache"] == {"hits": 4, "misses": 2, "stored": 0, "not_stored": {"OSError: disk full": 2}}
    assert written(report_of(item()))["cache"] is None


def test_attempts_that_do_not_count_are_told():
    other = (Attempt(Status.PASSED, 1.0, None, 0.5, "9 to 5"),)
    [result] = written(report_of(item("failed", attempts=2, other_attempts=other)))["results"]
    assert (result["status"], result["attempts"]) == ("failed", 2)
    assert result["other_attempts"] == [
        {"status": "passed", "score": 1.0, "error": None, "execution_time": 0.5, "output": "9 to 5"}
    ]


def test_tokens_cost_and_times__of_agent_and_judges_apart_with_what_is_unknown():
    data = written(
        report_of(
            item(usage=Usage(12, 3, 4), cost=0.1, run_time=2.0, tool_time=0.5),
            item(index=1, usage=Usage(8, None), cost=0.2, run_time=1.0),
            item(index=2, judge_usage=Usage(5, 1), judge_cost=0.01, judge_time=0.25),
        )
    )
    agent, judges = data["usage"]["agent"], data["usage"]["judges"]
    assert agent == {
        "items": 3,
        "input": {"total": None, "known": 20, "known_items": 2},
        "output": {"total": None, "known": 3, "known_items": 1},
        "cached_input": {"total": None, "known": 4, "known_items": 1},
        "reasoning": {"total": None, "known": None, "known_items": 0},
        "requests": {"total": None, "known": 2, "known_items": 2},
        "cost": {"total": None, "known": 0.3, "known_items": 2},
    }
    assert (judges["items"], judges["input"]["total"], judges["cost"]["total"]) == (1, 5, 0.01)
    assert data["time_split"] == {"agent": 2.5, "tools": 0.5, "judges": 0.25, "simulators": None}
    assert data["results"][2]["judge_usage"]["input"] == 5
    assert (data["results"][0]["run_time"], data["results"][0]["tool_time"]) == (2.0, 0.5)


def test_nothing_known_of_tokens_and_cost__null_and_not_0():
    data = written(report_of(item(), item(index=1)))
    assert data["usage"] == {"agent": None, "judges": None, "simulators": None}
    assert data["time_split"] == {"agent": None, "tools": None, "judges": None, "simulators": None}


def test_conversation_beside_the_output__told_with_its_end():
    beside, itself, none = written(
        report_of(
            item("error", trajectory=TALK), item(index=1, output=TALK, trajectory=TALK), item(index=2, output="9am")
        )
    )["results"]
    assert [message["content"] for message in beside["trajectory"]["messages"]] == ["Refund A1", "Which order?"]
    assert beside["trajectory"]["ending"] == beside["ending"] == itself["ending"] == itself["output"]["ending"]
    assert (beside["ending"]["reason"], beside["ending"]["simulator_fault"]) == ("error", True)
    assert (itself["trajectory"], none["trajectory"], none["ending"]) == (None, None, None)


def test_simulated_users__apart_from_agent_and_judges():
    used: dict[str, Any] = {"simulator_usage": Usage(7, 2), "simulator_cost": 0.02, "simulator_time": 0.5}
    data = written(report_of(item(usage=Usage(1, 1), run_time=2.0, **used), item(index=1, usage=Usage(1, 1))))
    simulators = data["usage"]["simulators"]
    assert (simulators["items"], simulators["input"]["total"], simulators["cost"]["total"]) == (1, 7, 0.02)
    assert data["usage"]["agent"]["input"]["total"] == 2
    assert (data["time_split"]["agent"], data["time_split"]["simulators"]) == (1.5, 0.5)
    told = {key: value for key, value in data["results"][0].items() if key.startswith("simulator")}
    assert (told["simulator_usage"]["output"], told["simulator_cost"], told["simulator_time"]) == (2, 0.02, 0.5)


def test_metrics__under_the_names_of_nous():
    steps = AgentSteps(first_token=0.25, iterations=2, retries=0, tool_calls=1, tool_errors=0)
    used: dict[str, Any] = {"usage": Usage(500, 800, 100, requests=2), "run_time": 1.5, "steps": steps}
    data = written(report_of(item(cost=0.002, **used), item("failed", 1, known_cost=0.001, **used)))

    assert (data["total"], data["pass_count"], data["fail_count"], data["pass_rate"]) == (2, 1, 1, 0.5)
    summary = data["metrics_summary"]
    assert [summary["latency"][name] for name in ("p50", "p95", "p99", "count")] == [1.5, 1.5, 1.5, 2]
    assert summary["latency"]["first_token"]["p50"] == 0.25
    assert summary["tokens"] == {"input": 1000, "output": 1600, "total": 2600, "cached": 200}
    assert summary["cost"] == {"total": None, "known": 0.003}
    assert [summary[name] for name in ("tool_calls", "tool_errors", "iterations", "requests", "retries")] == [
        2,
        0,
        4,
        4,
        0,
    ]
    assert data["evaluators"][0]["metrics_summary"] == summary
    assert [result["measurements"]["cost"] for result in data["results"]] == [
        {"total": 0.002, "known": 0.002},
        {"total": None, "known": 0.001},
    ]
    assert data["results"][0]["measurements"]["latency"] == {"total": 1.5, "first_token": 0.25}
