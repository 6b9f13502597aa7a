"""Runs and their results: made, counted, listed, deleted; on every kind of database."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connections, transaction
from django.db.models import ProtectedError
from django.test.utils import CaptureQueriesContext

from neuron_evals.core.report.tally import Tally
from neuron_evals.core.results import ItemResult, Status
from neuron_evals.models import (
    EvalReview,
    EvalRun,
    EvalRunItem,
    EvalRunShard,
    EvalSuite,
    ItemStatus,
    RunStatus,
    counts,
    runs,
)
from neuron_evals.models.clock import database_now
from neuron_evals.models.counts import COUNTS
from neuron_evals.models.leases import LEASE, release
from neuron_evals.models.states import finish, request_cancel, sweep
from tests.models.rows import claimed, item, make_agent, make_run, make_suite, over, store


@pytest.fixture
def queries(using):
    return CaptureQueriesContext(connections[using])


def test_item_statuses__are_those_of_the_engine():
    assert ItemStatus.values == [str(status) for status in Status]


def test_enqueue__queued_with_one_shard_for_the_whole_dataset(using):
    run = make_run(using, source="evaluators.Support")
    run.refresh_from_db()
    assert (run.status, run.attempt, run.success_rate, run.total_count) == ("queued", 1, None, 0)
    assert list(run.shards.values_list("number", "start", "stop", "status")) == [(0, 0, None, "queued")]


def test_enqueue__shards_given__are_numbered(using):
    run = make_run(using, shards=[(0, 50), (50, 100), (100, None)])
    shards = run.shards.order_by("number").values_list("number", "start", "stop")
    assert list(shards) == [(0, 0, 50), (1, 50, 100), (2, 100, None)]


def test_enqueue__of_a_suite__keeps_the_hash_of_its_dataset(using):
    suite = make_suite(using)
    run = make_run(using, suite=suite)
    suite.dataset = [{"input": "other"}]
    suite.save()
    run.refresh_from_db()
    assert run.suite_hash
    assert run.suite_hash != suite.content_hash


def test_enqueue__source_too_long__is_cut_with_a_mark(using):
    run = make_run(using, source="x" * 5000)
    run.refresh_from_db()
    assert len(run.source) <= 300
    assert "[shortened: 5000 characters" in run.source


def test_enqueue__same_key_of_the_same_person__the_first_run(using):
    users = get_user_model().objects.using(using)
    ana, ben = users.create(username="ana"), users.create(username="ben")
    runs = EvalRun.objects.using(using)
    first, made = runs.enqueue(triggered_by=ana, idempotency_key="Night 🍣")
    assert made
    assert runs.enqueue(triggered_by=ana, idempotency_key="Night 🍣") == (first, False)
    others = [(ana, "Night 🍺"), (ana, "night 🍣"), (ben, "Night 🍣"), (None, "Night 🍣")]
    assert all(runs.enqueue(triggered_by=user, idempotency_key=key)[1] for user, key in others)
    assert runs.count() == 5
    assert EvalRunShard.objects.using(using).count() == 5


def test_enqueue__without_a_key__always_a_new_run(using):
    assert make_run(using) != make_run(using)


def test_stored_run__saved_with_its_state__refused(using):
    run = make_run(using)
    with pytest.raises(TypeError, match=r"name the columns in update_fields, without status, attempt"):
        run.save()
    run.status = "passed"
    with pytest.raises(TypeError, match="without status;"):
        run.save(update_fields=["status", "metadata"])
    run.metadata = {"seen": True}
    run.save(update_fields=["metadata"])
    run.refresh_from_db()
    assert (run.status, run.metadata) == ("queued", {"seen": True})


def test_items__same_item_and_repeat_twice__refused(using):
    run = make_run(using)
    store(run, item(run, 0), item(run, 0, repeat=1), item(run, 1))
    with pytest.raises(IntegrityError), transaction.atomic(using):
        store(run, item(run, 7, item_id="item-1"))
    assert run.items.count() == 3


def test_items__ids_that_differ_in_case_accents_or_length__are_different(using):
    run = make_run(using)
    ids = ["Case", "case", "é", "e", "a", "a ", "🍣", "🍺", "x" * 8000, "x" * 8001]
    store(run, *(item(run, index, item_id=item_id) for index, item_id in enumerate(ids)))
    assert list(run.items.in_dataset_order().values_list("item_id", flat=True)) == ids
    assert len(run.items.stored_keys()) == len(ids)


def test_store__many_and_large_rows__in_statements_of_bounded_size(using, queries):
    run = make_run(using)
    with queries:
        store(run, *(item(run, index) for index in range(1_001)))
    assert run.items.count() == 1_001
    sent = [query["sql"] for query in queries if "INSERT" in query["sql"]]
    vendor = connections[using].vendor
    assert len(sent) == 3 or vendor == "sqlite"  # SQLite takes fewer values in a statement
    with queries:
        store(run, *(item(run, 2_000 + index, output="y" * 200_000) for index in range(60)))
    sent = [query["sql"] for query in queries if "INSERT" in query["sql"]]
    assert len(sent) >= 3
    assert run.items.count() == 1_061


def test_store__sets_hashes_that_depend_on_what_they_are_of(using):
    run = make_run(using)
    store(run, item(run, 0, input={"a": 1, "b": 2}, output={"x": 1, "y": [2]}))
    store(run, item(run, 1, input={"b": 2, "a": 1}, output={"y": [2], "x": 1}))
    store(run, item(run, 2, input={"a": 1}, output={"x": 1, "y": [2]}))
    store(run, item(run, 3, input={"a": 1}, output=None))
    one, same, other_input, none = run.items.in_dataset_order()
    assert (one.output_hash, one.review_hash) == (same.output_hash, same.review_hash)
    assert one.output_hash == other_input.output_hash
    assert len({one.review_hash, other_input.review_hash, none.review_hash}) == 3
    assert len(none.output_hash) == 64


def test_output__none_and_false_values__come_back_as_they_are(using):
    run = make_run(using)
    values: list[Any] = [None, False, 0, "", [], {}, "null"]
    store(run, *(item(run, index, output=value) for index, value in enumerate(values)))
    assert [row.output for row in run.items.in_dataset_order()] == values
    run.items.filter(index=1).update(output=None)
    assert run.items.get(index=1).output is None


RESULTS = [
    ("a", 0, Status.PASSED, 1.0, False),
    ("a", 1, Status.FAILED, 0.25, False),
    ("b", 0, Status.PASSED, 0.5, True),
    ("b", 1, Status.PASSED, None, False),
    ("c", 0, Status.ERROR, None, False),
    ("c", 1, Status.SKIPPED, None, False),
    ("d", 0, Status.CANCELLED, None, False),
]


@pytest.mark.parametrize("repeated", [False, True])
def test_recount__equals_what_the_report_counts(using, repeated):
    chosen = [entry for entry in RESULTS if repeated or not entry[1]]
    run = make_run(using)
    tally = Tally()
    for number, (name, repeat, status, score, cached) in enumerate(chosen):
        index = ord(name) - ord("a")
        tally.add(ItemResult("E", index, name, status, {}, repeat=repeat, cached_run=cached))
        counted = {"assertions_passed": number, "assertions_failed": 1, "assertions_broken": 2}
        store(run, item(run, index, status, item_id=name, repeat=repeat, score=score, cached_run=cached, **counted))
    other = make_run(using)
    store(other, item(other, 0, "failed", score=0.0))

    assert run.recount() is True
    assert run.recount() is False
    stored = EvalRun.objects.using(using).get(pk=run.pk)
    assert {name: getattr(stored, name) for name in COUNTS} == {name: getattr(run, name) for name in COUNTS}
    assert stored.total_count == tally.statuses.total() == len(chosen)
    for status in Status:
        assert getattr(stored, f"{status}_count") == tally.statuses[status]
    assert stored.cached_count == tally.cached
    scores = [score for *_, score, _ in chosen if score is not None]
    assert stored.aggregate_score == pytest.approx(sum(scores) / len(scores))
    rate = sum([0.5, 1.0, 0.0]) / 3 if repeated else 2 / 3
    assert stored.success_rate == pytest.approx(rate)
    assert stored.assertions_passed == sum(range(len(chosen)))
    assert stored.total_assertions == stored.assertions_passed + 3 * len(chosen)


def test_recount__nothing_judged__rate_and_score_are_unknown(using):
    run = make_run(using)
    store(run, item(run, 0, "skipped"), item(run, 1, "cancelled"))
    run.recount()
    run.refresh_from_db()
    assert (run.total_count, run.success_rate, run.aggregate_score) == (2, None, None)


def test_recount__one_query_and_one_update(using, queries):
    run = make_run(using)
    store(run, *(item(run, index) for index in range(20)))
    with queries:
        run.recount()
    assert len(queries) == 2


def test_recount__run_ends_between_count_and_update__its_final_counts_stand(using, monkeypatch):
    run = make_run(using)
    lease = claimed(run)
    counted = counts.counted
    ended: list[int] = []

    def counted_then_ended(items):
        found = counted(items)
        if not ended:
            ended.append(run.pk)
            other = EvalRun.objects.using(using).get(pk=run.pk)
            store(other, item(other, 0), item(other, 1, "failed"))
            release(lease)
            assert finish(other, RunStatus.FAILED)
        return found

    monkeypatch.setattr(runs, "counted", counted_then_ended)
    looked = EvalRun.objects.using(using).get(pk=run.pk)

    assert looked.recount() is False
    for row in (looked, EvalRun.objects.using(using).get(pk=run.pk)):
        assert (row.status, row.total_count, row.passed_count, row.failed_count) == ("failed", 2, 1, 1)


def test_recount__run_that_moves_on_each_time__is_left_as_others_counted_it(using, monkeypatch):
    run = make_run(using)
    others = EvalRun.objects.using(using).filter(pk=run.pk)
    counted, tries = counts.counted, []

    def counted_then_moved(items):
        tries.append(items)
        others.update(attempt=len(tries) + 1, total_count=7)
        return counted(items)

    monkeypatch.setattr(runs, "counted", counted_then_moved)

    assert run.recount() is False
    assert (others.get().total_count, run.total_count) == (7, 7)
    assert len(tries) > 1


def test_with_counts__counts_stored_results_of_running_runs(using, queries):
    runs = [make_run(using, source=str(number)) for number in range(3)]
    store(runs[0], item(runs[0], 0), item(runs[0], 1, "failed"), item(runs[0], 2, "failed"))
    store(runs[1], item(runs[1], 0, "error"))
    with queries:
        found: list[Any] = list(EvalRun.objects.using(using).with_counts().order_by("pk"))
    assert len(queries) == 1
    assert [(run.stored_total, run.stored_passed, run.stored_failed, run.stored_error) for run in found] == [
        (3, 1, 2, 0),
        (1, 0, 0, 1),
        (0, 0, 0, 0),
    ]


def test_page_of_runs__one_query_without_datasets(using, queries):
    suite = make_suite(using, dataset=[{"input": "a long dataset"}])
    for _ in range(5):
        make_run(using, suite=suite, agent=suite.agent)
    with queries:
        page = EvalRun.objects.using(using).for_suite(suite).newest_first().with_names().without_large_columns()[:3]
        names = [(run.suite.name, run.agent.name, str(run)) for run in page]
    assert names[0] == ("Smoke tests", "Support", f"run {page[0].pk}")
    assert len(queries) == 1
    assert '"dataset"' not in queries[0]["sql"].replace("`", '"')
    assert [run.pk for run in page] == sorted((run.pk for run in page), reverse=True)


def test_page_of_items__one_query_without_large_columns(using, queries):
    run = make_run(using)
    store(run, *(item(run, index, output="x" * 1000) for index in range(10)))
    with queries:
        page = list(run.items.in_dataset_order().without_large_columns()[2:5])
        assert [row.index for row in page] == [2, 3, 4]
    assert len(queries) == 1
    assert not any(f'"{name}"' in queries[0]["sql"].replace("`", '"') for name in ("output", "trajectory", "checks"))


def test_verbs_of_items__by_status(using):
    run = make_run(using)
    store(run, item(run, 0), item(run, 1, "failed"), item(run, 2, "error"), item(run, 3, "skipped"))
    found = [
        list(rows.values_list("index", flat=True))
        for rows in (run.items.passed(), run.items.failed(), run.items.broken())
    ]
    assert found == [[0], [1], [2]]


def test_verbs_of_runs__by_status_and_batch(using):
    one, two = make_run(using, batch="b1"), make_run(using, batch="b2")
    runs = EvalRun.objects.using(using)
    runs.filter(pk=two.pk).update(status="error")
    assert list(runs.active()) == list(runs.in_batch("b1")) == [one]
    assert list(runs.finished()) == [two]


def test_deleting_a_run__deletes_its_items_shards_and_reviews(using):
    run, other = make_run(using), make_run(using)
    store(run, item(run, 0), item(run, 1))
    store(other, item(other, 0))
    for row in EvalRunItem.objects.using(using):
        EvalReview.objects.using(using).create(item=row, verdict="agree")
    child = make_run(using, parent=run)
    deleted = over(run).delete()
    assert deleted == (
        6,
        {
            f"neuron_evals.{name}": count
            for name, count in (("EvalReview", 2), ("EvalRunItem", 2), ("EvalRunShard", 1), ("EvalRun", 1))
        },
    )
    assert not run.pk
    assert list(EvalRunItem.objects.using(using).values_list("run", flat=True)) == [other.pk]
    assert EvalReview.objects.using(using).count() == 1
    assert EvalRunShard.objects.using(using).count() == 2
    child.refresh_from_db()
    assert child.parent is None


def test_deleting_a_baseline__refused_with_what_to_do(using):
    suite = make_suite(using)
    run = make_run(using, suite=suite)
    suite.baseline = over(run)
    suite.save()
    refusal = r"other rows need it: 1 of the kind suite\. Give the suite another baseline"
    with pytest.raises(ProtectedError, match=refusal):
        run.delete()
    with pytest.raises(ProtectedError, match=refusal):
        EvalRun.objects.using(using).all().delete()
    assert EvalRun.objects.using(using).count() == 1


@pytest.mark.parametrize("status", ["queued", "running"])
def test_deleting_a_run_that_is_not_over__refused_with_what_to_do__and_nothing_is_deleted(using, status):
    active, ended = make_run(using), over(make_run(using))
    if status == "running":
        claimed(active)
    store(active, item(active, 0))
    runs = EvalRun.objects.using(using)
    refusal = rf"because not over: run {active.pk} \({status}\)\. Cancel it first; .*eval_runs sweep"
    for delete in (active.delete, runs.all().delete, runs.with_names().without_large_columns().delete):
        with pytest.raises(ProtectedError, match=refusal) as caught:
            delete()
        assert caught.value.protected_objects == {active}
    assert set(runs.values_list("pk", flat=True)) == {active.pk, ended.pk}

    request_cancel(active)
    sweep(database_now(using) + 2 * LEASE, using)
    assert runs.all().delete()[1]["neuron_evals.EvalRun"] == 2
    assert not EvalRunItem.objects.using(using).exists()


def test_deleting_many_active_runs__names_some_and_counts_the_others(using):
    for _ in range(23):
        make_run(using)
    with pytest.raises(ProtectedError, match=r"run \d+ \(queued\) and 3 more\. Cancel"):
        EvalRun.objects.using(using).all().delete()


def test_deleting_a_run__number_of_queries(using, queries):
    run = over(make_run(using))
    with queries:
        EvalRun.objects.using(using).filter(pk=run.pk).delete()
    vendor_free = [query["sql"].split()[0] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert vendor_free.count("UPDATE") == 2  # the lock, and children that lose their parent


def test_deleting_a_suite_or_an_agent_with_runs__refused_with_what_to_do(using):
    suite = make_suite(using, judge=make_agent(using, "Judge", category="judge"))
    make_run(using, suite=suite)
    make_run(using, suite=suite)
    with pytest.raises(ProtectedError, match=r"2 of the kind run\. Deactivate it instead\."):
        suite.delete()
    with pytest.raises(ProtectedError, match="2 of the kind run"):
        EvalSuite.objects.using(using).all().delete()
    for agent in (suite.agent, suite.judge):
        with pytest.raises(ProtectedError, match="1 of the kind suite"):
            agent.delete()
    assert EvalSuite.objects.using(using).count() == 1


def test_deleting_an_agent_that_runs_name__refused_though_no_suite_names_it(using):
    agent = make_agent(using)
    make_run(using, agent=agent)
    with pytest.raises(ProtectedError, match="1 of the kind run"):
        agent.delete()


def test_deleting_a_suite_without_runs__deletes_it_and_keeps_its_agent(using):
    suite = make_suite(using)
    suite.delete()
    assert not EvalSuite.objects.using(using).exists()
    suite.agent.delete()


def test_deleting_a_person__keeps_what_the_person_did(using):
    ana = get_user_model().objects.using(using).create(username="ana")
    suite = make_suite(using, created_by=ana)
    run = make_run(using, triggered_by=ana)
    store(run, item(run, 0))
    review = EvalReview.objects.using(using).create(item=run.items.get(), reviewer=ana, verdict="should_fail")
    ana.delete()
    for row, column in ((suite, "created_by"), (run, "triggered_by"), (review, "reviewer")):
        row.refresh_from_db()
        assert getattr(row, column) is None


def test_reviews__the_newest_of_each_result_is_in_force(using):
    run = make_run(using)
    store(run, item(run, 0), item(run, 1), item(run, 2))
    first, second, _ = run.items.in_dataset_order()
    reviews = EvalReview.objects.using(using)
    for row, verdict in ((first, "agree"), (first, "should_pass"), (second, "should_fail"), (first, "should_fail")):
        reviews.create(item=row, verdict=verdict)
    found = reviews.in_force().order_by("item")
    assert [(review.item_id, review.verdict) for review in found] == [
        (first.pk, "should_fail"),
        (second.pk, "should_fail"),
    ]
    assert reviews.count() == 4
