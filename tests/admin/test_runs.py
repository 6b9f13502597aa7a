"""Runs and results in the admin: what is shown of them, cancelling, deleting."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.db import connection
from django.urls import reverse
from django.utils.html import strip_tags

from neuron_evals.admin.runs import EvalRunAdmin
from neuron_evals.models import EvalReview, EvalRun, EvalRunItem, RunStatus
from neuron_evals.models.leases import release
from neuron_evals.models.shards import ShardStatus
from neuron_evals.models.states import finish, request_cancel, resume
from tests.admin.pages import hostile_columns
from tests.models.rows import claimed, item, make_agent, make_run, make_suite, store

pytestmark = pytest.mark.django_db


def _page(row, page: str = "change") -> str:
    return reverse(f"admin:neuron_evals_{row._meta.model_name}_{page}", args=[row.pk])


def _list(model, query: str = "") -> str:
    return reverse(f"admin:neuron_evals_{model._meta.model_name}_changelist") + query


def _text(response) -> str:
    """What a page says, without its tags."""
    assert response.status_code == 200
    return " ".join(strip_tags(response.content.decode().replace("<", " <")).split())


def _finished(*results, status: RunStatus = RunStatus.FAILED, **columns) -> EvalRun:
    run = make_run("default", source="Smoke tests", planned_count=len(results), **columns)
    lease = claimed(run)
    for index, columns_of_item in enumerate(results):
        store(run, item(run, index, **columns_of_item))
    release(lease, ShardStatus.FINISHED)
    assert finish(run, status)
    return run


def _told(response) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_page_of_a_run__shows_counts_rate_and_what_is_unknown(root):
    run = _finished({"score": 1}, {"status": "failed", "score": 0.5}, {"status": "error"}, fake=True)
    text = _text(root.get(_page(run)))
    assert "3 of 3: 1 passed, 1 failed, 1 error, 0 skipped, 0 cancelled" in text
    assert "Success rate: 33.3%" in text
    assert "Aggregate score: 0.75" in text
    assert "Times, tokens, cost: unknown" in text
    assert "fake: canned replies stood in for the agent" in text


def test_run_without_anything_judged__has_an_unknown_rate(root):
    run = _finished({"status": "skipped"})
    assert "Success rate: unknown" in _text(root.get(_page(run)))
    assert "unknown" in _text(root.get(_list(EvalRun)))


def test_figures_of_a_run__show_null_as_unknown_and_nearly_all_not_as_all(root):
    run = make_run("default", metrics={"latency": {"p50": 0.5, "p95": None}, "cost": None})
    EvalRun.objects.update(success_rate=0.99999)
    text = _text(root.get(_page(run)))
    for shown in ("latency.p50 0.5", "latency.p95 unknown", "cost unknown"):
        assert shown in text
    assert "Success rate: 99.999%" in text


def test_list_of_runs__is_filtered_by_suite_and_status(root):
    agent = make_agent("default")
    suites = [make_suite("default", name=name, agent=agent) for name in ("one", "two")]
    for suite in suites:
        make_run("default", suite=suite, source=f"of {suite.name}")
    text = _text(root.get(_list(EvalRun, f"?suite={suites[0].pk}")))
    assert "of one" in text
    assert "of two" not in text
    assert "0 runs" in _text(root.get(_list(EvalRun, "?suite=x")))
    assert "0 runs" in _text(root.get(_list(EvalRun, "?status__exact=passed")))


def test_queued_run__is_cancelled_at_once_and_that_is_logged(signed_in):
    client = signed_in("view_evalrun", "cancel_evalrun")
    run = make_run("default")
    assert "Cancel" in _text(client.get(_page(run)))
    response = client.post(_page(run, "cancel"))
    assert (response.url, _told(response)) == (_page(run), [f"Run {run.pk} is cancelled."])
    assert EvalRun.objects.get().status == "cancelled"
    assert LogEntry.objects.get().get_change_message() == "Cancelled."
    assert "/cancel/" not in client.get(_page(run)).content.decode()


def test_running_run__is_asked_to_stop(root):
    run = make_run("default")
    claimed(run)
    (told,) = _told(root.post(_page(run, "cancel")))
    assert told == f"Run {run.pk} stops as soon as its executor sees it."
    assert "is being cancelled" in _text(root.get(_page(run)))


def test_run_that_is_over__is_not_cancelled(root):
    run = _finished({}, status=RunStatus.PASSED)
    assert _told(root.post(_page(run, "cancel"))) == [f"Run {run.pk} is over already."]
    assert (EvalRun.objects.get().status, LogEntry.objects.count()) == ("passed", 0)


def test_action__cancels_the_selected_runs(root):
    runs = [make_run("default") for _ in range(3)]
    form = {"action": "cancel_selected", "_selected_action": [runs[0].pk, runs[1].pk]}
    root.post(_list(EvalRun), form)
    assert [run.status for run in EvalRun.objects.order_by("pk")] == ["cancelled", "cancelled", "queued"]


def test_action_to_cancel__is_not_offered_to_who_may_not(signed_in):
    client = signed_in("view_evalrun", "delete_evalrun")
    run = make_run("default")
    client.post(_list(EvalRun), {"action": "cancel_selected", "_selected_action": [run.pk]})
    assert EvalRun.objects.get().status == "queued"


def test_run__is_deleted_with_its_results_and_the_page_counts_them(signed_in):
    client = signed_in("view_evalrun", "delete_evalrun")
    run = _finished({}, {})
    EvalReview.objects.create(item=run.items.get(index=0), verdict="agree")
    response = client.get(_page(run, "delete"))
    assert dict(response.context["model_count"]) == {"runs": 1, "run items": 2, "reviews": 1}
    client.post(_page(run, "delete"), {"post": "yes"})
    assert (EvalRun.objects.count(), EvalRunItem.objects.count()) == (0, 0)


def test_run_that_is_a_baseline__is_not_deleted(root):
    run = _finished({})
    make_suite("default", baseline=run)
    assert root.get(_page(run, "delete")).context["protected"] == ["1 suites"]
    form = {"action": "delete_selected", "_selected_action": [run.pk], "post": "yes"}
    assert root.post(_list(EvalRun), form).status_code == 200
    assert EvalRun.objects.count() == 1


def test_run_that_is_not_over__is_not_deleted_and_the_page_says_what_to_do(root):
    run = make_run("default")
    said = f"run {run.pk} (Queued): cancel it first, and delete it when it is over"
    assert root.get(_page(run, "delete")).context["protected"] == [said]
    assert said in root.post(_page(run, "delete"), {"post": "yes"}).content.decode()
    form = {"action": "delete_selected", "_selected_action": [run.pk], "post": "yes"}
    assert said in root.post(_list(EvalRun), form).content.decode()
    assert EvalRun.objects.get() == run

    root.post(reverse("admin:neuron_evals_evalrun_cancel", args=[run.pk]))
    root.post(_page(run, "delete"), {"post": "yes"})
    assert not EvalRun.objects.exists()


@pytest.mark.parametrize("way", ["page", "action"])
def test_run_that_is_resumed_while_it_is_being_deleted__stays_and_a_message_says_why(way, root, monkeypatch):
    run = make_run("default")
    request_cancel(run)
    looked = EvalRunAdmin.get_deleted_objects

    def looked_and_then_resumed(*args):
        found = looked(*args)
        resume(run)
        return found

    monkeypatch.setattr(EvalRunAdmin, "get_deleted_objects", looked_and_then_resumed)
    if way == "page":
        response = root.post(_page(run, "delete"), {"post": "yes"}, follow=True)
    else:
        form = {"action": "delete_selected", "_selected_action": [run.pk], "post": "yes"}
        response = root.post(_list(EvalRun), form, follow=True)

    assert response.status_code == 200
    (said,) = [str(message) for message in response.context["messages"]]
    assert said.startswith(f"Not deleted, because not over: run {run.pk} (queued). Cancel it first;")
    assert EvalRun.objects.get() == run
    assert not LogEntry.objects.exists()


def test_page_of_a_result__shows_all_that_is_known(root):
    columns = {
        **hostile_columns("9am", {"input": "When?"}),
        "usage": {"agent": {"input": 12, "requests": 1}, "judges": {"cost": 0.25}},
        "metrics": {"groundedness": 0.75},
        "execution_time": 1.5,
        "cached_run": True,
        "attempts": 2,
        "repeat": 1,
        "status": "error",
    }
    run = _finished(columns, fake=True, status=RunStatus.ERROR)
    text = _text(root.get(_page(run.items.get())))
    for shown in (
        "{ &quot;input&quot;: &quot;When?&quot; }",
        "User: 9am",
        "Tool call: 9am(",
        "Score: unknown",
        "because 9am",
        "vacuous: every output meets it",
        "weight 2",
        "line 7",
        "Time: 1.5 s",
        "Cost: unknown",
        "agent.input 12 agent.output unknown",
        "judges.cost 0.25",
        "groundedness 0.75",
        "fake: canned replies stood in for the agent, from the cache, 2 attempts, repeat 2",
    ):
        assert shown in text, shown


def test_result_without_checks_or_conversation__says_so(root):
    run = _finished({"status": "error"})
    text = _text(root.get(_page(run.items.get())))
    assert "Checks: no check" in text
    assert "Transcript: -" in text
    assert "Time: unknown" in text


def test_result_of_which_parts_were_cut__is_shown_with_the_marks(root):
    columns = {
        "checks": [{"verdict": "passed", "name": "x"}, "[cut: 5 more values]"],
        "trajectory": [{"role": "user", "content": "hi"}, "[cut: 9 more values]"],
        "usage": {"agent": "[cut]"},
        "details": {"ending": "[cut]", "other_attempts": "[cut]"},
    }
    run = _finished(columns)
    text = _text(root.get(_page(run.items.get())))
    assert "[cut: 5 more values]" in text
    assert "User: hi" in text


def test_list_of_results__is_that_of_one_run_in_dataset_order(root):
    run, other = _finished({}, {"status": "failed"}, {}), _finished({})
    response = root.get(_list(EvalRunItem, f"?run={run.pk}"))
    assert [row.index for row in response.context["cl"].result_list] == [0, 1, 2]
    assert f"run {run.pk}" in _text(response)
    failed = root.get(_list(EvalRunItem, f"?run={run.pk}&status__exact=failed"))
    assert [row.index for row in failed.context["cl"].result_list] == [1]
    assert _list(EvalRunItem, f"?run={other.pk}") in root.get(_page(other)).content.decode()
    for nonsense in ("x", "99999999999999999999", "٣", "-1", ""):
        assert root.get(_list(EvalRunItem, f"?run={nonsense}")).context["cl"].result_count == 0


def test_list_of_results__with_an_old_score_that_json_has_not__shows_it_as_unknown(root):
    run = _finished({"score": 0.5})
    if connection.vendor == "mysql":
        return  # cannot hold one
    infinity = "9e999" if connection.vendor == "sqlite" else "'Infinity'"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE neuron_evals_evalrunitem SET score = {infinity}")  # noqa: S608  (constants)
    for page in (_list(EvalRunItem, f"?run={run.pk}"), _page(run.items.get())):
        assert "inf" not in _text(root.get(page)).lower().split()
    [row] = root.get(_list(EvalRunItem, f"?run={run.pk}")).context["cl"].result_list
    assert row.score is None
