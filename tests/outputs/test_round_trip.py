"""What is stored of a result, and what comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.test import override_settings

from neuron_evals import Message, ToolCall, Trajectory
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.outputs.render import render
from neuron_evals.core.report import EvaluationReport, EvaluationResults
from neuron_evals.core.results import Attempt, Check, Status, Verdict
from neuron_evals.outputs import report_of, stored_keys, stored_results
from neuron_evals.outputs.storing import Store
from tests.models.rows import make_run
from tests.outputs.running import NAME, full_result, leased, result

SMALL = {"LIMITS": {"STORED_BYTES": 2_000}}
WHEN = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def run(using):
    return make_run(using, source=NAME)


def kept(run, *results):
    """Store results, and return what comes back."""
    Store(leased(run)).store(results)
    return list(stored_results(run))


def document(results):
    report = EvaluationReport([EvaluationResults(NAME, results)], started_at=WHEN, finished_at=WHEN)
    return json.loads(render(report, "json"))


def test_full_result__comes_back_equal(run):
    given = full_result()
    [back] = kept(run, given)
    assert back == given
    assert back.trajectory.ending == given.trajectory.ending


def test_results__report_of_the_database_says_the_same_as_the_first(run):
    given = [full_result(0), result(1, output={"a": [1, 2.5, None, True]}), result(2, status=Status.CANCELLED)]
    assert document(kept(run, *given)) == document(given)


def test_columns__are_what_lists_and_filters_need(run):
    given = full_result()
    kept(run, given)
    row = run.items.get()
    assert (row.status, row.score, row.repeat, row.attempts, row.cost) == ("failed", given.score, 2, 2, given.cost)
    assert (row.assertions_passed, row.assertions_failed, row.assertions_broken, row.assertions_skipped) == (1, 1, 0, 1)
    assert row.output == clean_json(given.output)
    assert row.output_text == "Wait."
    assert row.usage["agent"] == {
        "input": 100,
        "output": 20,
        "reasoning": 7,
        "requests": 3,
        "cache_write": 5,
        "time": 1.1,
        "known": {
            "input": 100,
            "output": 20,
            "cached_input": 30,
            "reasoning": 7,
            "requests": 3,
            "cache_write": 5,
            "cost": 0.012345678901234567,
        },
        "steps": {"first_token": 0.25, "iterations": 3, "retries": 1, "tool_calls": 2, "tool_errors": 0},
    }
    assert row.usage["judges"] == {"input": 50, "requests": 1, "cost": 0.001, "time": 0.2}
    assert row.usage["simulators"] == {
        "input": 5,
        "output": 6,
        "requests": 1,
        "time": 0.05,
        "known": {"input": 5, "output": 6, "requests": 1, "cost": 0.002},
    }
    assert row.tags == ["smoke", "refund"]


def test_nothing_known__stays_unknown(run):
    given = result(execution_time=0.0)
    [back] = kept(run, given)
    assert back == given
    assert (run.items.get().usage, run.items.get().details) == ({}, {})


@pytest.mark.parametrize(
    ("output", "text"),
    [(None, ""), ("text", "text"), ({"b": 1, "a": "é"}, '{"a":"é","b":1}'), (Trajectory(), "")],
)
def test_output_text__is_the_text_view(run, output, text):
    kept(run, result(output=output))
    assert run.items.get().output_text == text


def test_empty_conversation__is_not_the_same_as_none(run):
    back = kept(run, result(0, trajectory=Trajectory()), result(1))
    assert [one.trajectory for one in back] == [Trajectory(), None]


def test_error_with_traceback_and_tries__comes_back(run):
    tries = (Attempt(Status.ERROR, None, "boom", 0.5), Attempt(Status.ERROR, None, "boom", 0.25))
    given = result(
        status=Status.ERROR, error="E: x", traceback="Traceback…\n", checks=(), attempts=3, other_attempts=tries
    )
    assert kept(run, given) == [given]


def test_error_of_9000_characters__is_stored_whole(run):
    given = result(status=Status.ERROR, error="x" * 9_000)
    assert kept(run, given)[0].error == given.error


@override_settings(NEURON_EVALS=SMALL)
def test_too_large_values__are_cut_with_a_mark_and_still_read(run):
    messages = [Message("assistant", "w" * 500, tool_calls=[ToolCall("t", {"a": "v" * 500})]) for _ in range(40)]
    checks = tuple(Check("Equals", f"c{n}", Verdict.FAILED, 0.0, "m" * 200, {}, NAME, n) for n in range(100))
    given = result(
        status=Status.FAILED, output="o" * 90_000, trajectory=Trajectory(messages), checks=checks, traceback="t" * 9_000
    )
    [back] = kept(run, given)
    row = run.items.get()
    assert "[shortened: 90000 characters" in row.output_text
    assert "[shortened: 90000 characters" in back.output
    assert "[cut: " in row.trajectory[-1]
    assert back.trajectory.messages()[-1] == Message("system", row.trajectory[-1])
    assert row.assertions_failed == 100
    assert 0 < len(back.checks) < 100
    assert {check.verdict for check in back.checks} == {Verdict.FAILED}
    assert "shortened" in back.traceback


def test_row_that_others_wrote__is_read_as_far_as_it_goes(run):
    kept(run, full_result())
    broken = {"checks": ["x", {"verdict": "?"}], "trajectory": [1, {"role": "user"}], "usage": [], "tags": None}
    run.items.update(**broken, details={"ending": {"reason": "?"}, "other_attempts": "?"})
    [back] = stored_results(run)
    assert [check.verdict for check in back.checks] == [Verdict.ERROR]
    assert back.trajectory.messages() == [Message("system", "[cut]")] * 2
    assert (back.usage, back.tags, back.trajectory.ending) == (None, (), None)


def test_pages__every_row_once_in_dataset_order(run, monkeypatch):
    monkeypatch.setattr("neuron_evals.outputs.reports._PAGE", 3)
    given = [result(index, repeat=repeat) for index in (0, 2, 3, 9) for repeat in range(4)]
    back = kept(run, *reversed(given))
    assert [(one.index, one.repeat) for one in back] == [(one.index, one.repeat) for one in given]


def test_figures_without_results__are_those_of_the_results(run):
    kept(run, *(replace(full_result(index), repeat=repeat) for index in range(3) for repeat in range(2)), result(7))
    whole, figures = report_of(run), report_of(run, keep_results=False)
    assert len(whole.results) == 7
    assert figures.results == ()
    sides = ("agent_spending", "judge_spending", "simulator_spending")
    for name in ("score_statistics", *sides, "time_split", "flaky_items"):
        assert getattr(figures, name) == getattr(whole, name)
    assert figures.agent_spending.cost.total is None  # other tries are not counted in it


def test_stored_keys__leave_out_what_was_cancelled(run):
    kept(run, result(0), result(1, status=Status.CANCELLED), result(2, repeat=1, status=Status.ERROR))
    keys = {(row.item_key, row.repeat) for row in run.items.exclude(status="cancelled")}
    assert stored_keys(run) == keys
    assert len(keys) == 2


def test_run_with_canned_replies__its_report_says_so(run):
    assert report_of(run).fake is False
    run.fake = True
    assert report_of(run).fake is True
