"""Suites as users write them, stored and run by the command `eval`, on each kind of database."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import override_settings

from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite
from neuron_evals.models.datasets import DatasetItemError
from tests.core.suites.actors import ACCEPTED, REFUSED, judge_was_asked_as_it_should, statuses_of, suite_of, titles
from tests.runs.acting import SETTINGS, Cast

BYTE_ORDER_MARK = "\ufeff"
GOOD = [{"input": "What are your support hours?", "reference": "9"}]


@pytest.fixture
def rows(committing):
    """The database, to which the command is routed."""
    with override_settings(NEURON_EVALS=SETTINGS, DATABASE_ROUTERS=["tests.runs.routing.ToRows"]):
        yield committing


def evaluate(*args: str) -> SimpleNamespace:
    """Run the command; give what it said and its exit status."""
    out, err = io.StringIO(), io.StringIO()
    status, refusal = 0, ""
    try:
        call_command("eval", *args, stdout=out, stderr=err)
    except CommandError as exc:
        status, refusal = exc.returncode, str(exc)
    except SystemExit as exc:
        status = int(exc.code or 0)
    return SimpleNamespace(status=status, out=out.getvalue(), err=err.getvalue(), refusal=refusal)


def suite_row(case: dict[str, Any]) -> EvalSuite:
    Cast.enter(case)
    agent = AgentDefinition.objects.create(name="Tested", code="tested")
    judge = AgentDefinition.objects.create(name="Judge", code="judge") if "judge" in case else None
    return EvalSuite(name="Case", slug="case", agent=agent, judge=judge)


def typed(case: dict[str, Any]) -> Any:
    """Return what a form makes of a dataset: the value of its JSON, or the text that is none."""
    try:
        return json.loads(case["text"]) if "text" in case else suite_of(case)
    except ValueError:
        return case["text"]


def place_of(error: ValidationError) -> tuple[int | None, str]:
    """Return where a problem is: item and field."""
    return error.problem[:2] if isinstance(error, DatasetItemError) else (None, "dataset")


@pytest.mark.parametrize("case", ACCEPTED, ids=titles(ACCEPTED))
def test_accepted__is_saved_run_and_stored_as_it_should(case, rows):
    suite = suite_row(case)
    suite.dataset = json.loads(case["text"].lstrip(BYTE_ORDER_MARK)) if "text" in case else suite_of(case)
    suite.full_clean()
    suite.save()
    fake = case.get("fake", False)

    done = evaluate("case", "--output", "json", *(["--fake"] if fake else []))

    statuses = statuses_of(case)
    assert done.status == (0 if set(statuses) == {"passed"} else 1), done.err
    run = EvalRun.objects.get()
    items = list(run.items.in_dataset_order())
    assert [item.status for item in items] == statuses
    counts = (run.passed_count, run.failed_count, run.error_count)
    assert counts == tuple(statuses.count(status) for status in ("passed", "failed", "error"))
    assert run.status == ("passed" if done.status == 0 else "failed")
    assert run.success_rate == pytest.approx(case["success_rate"], abs=5e-5)
    assert run.recount() is False
    report = json.loads(done.out)
    assert run.fake is report["fake"] is fake
    _stored_as_it_should(case, items)
    if Cast.provider is not None:
        judge_was_asked_as_it_should(case, Cast.provider)


def _stored_as_it_should(case, items):
    verdicts = [[check["verdict"] for check in item.checks] for item in items]
    if "scores" in case:
        scores = [[check["score"] for check in item.checks] for item in items]
        assert scores == [pytest.approx(each) if None not in each else each for each in case["scores"]]
    if "failed_checks" in case:
        assert [each.count("failed") for each in verdicts] == case["failed_checks"]
    if case.get("reasoning_kept"):
        assert [check["context"]["reasoning"] for item in items for check in item.checks] == ["because"]


@pytest.mark.parametrize("case", REFUSED, ids=titles(REFUSED))
def test_refused__is_not_saved_and_what_was_stored_stays(case, rows):
    suite = suite_row(case)
    suite.dataset = GOOD
    suite.save()
    suite.dataset = typed(case)

    with pytest.raises(ValidationError) as refused:
        suite.full_clean()

    assert set(refused.value.error_dict) == {"dataset"}
    found = [place_of(error) for error in refused.value.error_dict["dataset"]]
    for index, field in case["problems"]:
        # An item of a dataset is a more exact place than the dataset.
        assert index is None or any(index == where and path.startswith(field) for where, path in found), found
    assert EvalSuite.objects.get().dataset == GOOD


@pytest.mark.parametrize("case", REFUSED, ids=titles(REFUSED))
def test_refused__stored_by_code__is_refused_before_a_run_is_made(case, rows):
    suite = suite_row(case)
    suite.dataset = suite_of(case)
    suite.save()

    done = evaluate("case")

    assert done.status == 2, done.out
    for index, _ in case["problems"]:
        where = "dataset" if index is None or "text" in case else f"item {index}"
        assert where in done.refusal
    assert not EvalRun.objects.exists()
    assert next(Cast.agent.calls) == 0
    assert Cast.provider is None or Cast.provider.call_count == 0


@pytest.mark.parametrize("case", REFUSED, ids=titles(REFUSED))
def test_refused__as_a_file__is_refused_before_anything_is_called(case, tmp_path):
    Cast.enter(case)
    text = case["text"] if "text" in case else json.dumps(suite_of(case))
    (tmp_path / "case.json").write_text(text, encoding="utf-8")
    judge = ["--judge", "judge"] if "judge" in case else []

    with override_settings(NEURON_EVALS=SETTINGS):
        done = evaluate("--file", str(tmp_path / "case.json"), "--agent", "tested", *judge)

    assert done.status == 2, done.out
    for index, _ in case["problems"]:
        assert ("case.json" if index is None else f"item {index}") in done.refusal
    assert next(Cast.agent.calls) == 0
    assert Cast.provider is None or Cast.provider.call_count == 0


@pytest.mark.parametrize("case", ACCEPTED, ids=titles(ACCEPTED))
def test_accepted__as_a_file__ends_as_it_does_when_stored(case, tmp_path):
    Cast.enter(case)
    text = case["text"] if "text" in case else json.dumps(suite_of(case))
    (tmp_path / "case.json").write_text(text, encoding="utf-8")
    judge = ["--judge", "judge"] if "judge" in case else []
    tested = ["--fake"] if case.get("fake") else ["--agent", "tested"]

    with override_settings(NEURON_EVALS=SETTINGS):
        done = evaluate("--file", str(tmp_path / "case.json"), *tested, *judge, "--output", "json")

    statuses = statuses_of(case)
    assert done.status == (0 if set(statuses) == {"passed"} else 1), done.refusal + done.err
    report = json.loads(done.out)
    assert [item["status"] for item in report["results"]] == statuses
    assert report["fake"] is case.get("fake", False)
