"""The cache in the database, on every kind of database."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections, transaction
from django.test.utils import CaptureQueriesContext

from neuron_evals import EvaluatorRunner, SuiteSpec
from neuron_evals.caches import DatabaseCache
from neuron_evals.connections import close_connections, own_async_connections
from neuron_evals.container import make_runner
from neuron_evals.core.caches import CachedRun, CacheError, CacheStats, RunOutputs
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.suites import AsyncSuiteEvaluator, SuiteEvaluator, parse_suite, suite_evaluator
from neuron_evals.models import CachedOutput
from tests.core.spenders import OF_THE_RUN, Talks
from tests.models.counting import CountingAgent

KEY, OTHER = "a" * 64, "b" * 64
TEXTS = ["{}", '{"a":"\u00e9\U0001f600\\u0000"}', " \r\n\t'\"\\%s{}", "x" * 300_000]


@pytest.fixture
def cache(committing):
    return DatabaseCache(committing)


@pytest.mark.parametrize("text", TEXTS, ids=["plain", "unicode", "quotes", "long"])
def test_text__comes_back_letter_by_letter_and_is_replaced_by_the_next(cache, text):
    assert cache.get(KEY) is None
    cache.keep(KEY, "before", evaluator="shop.Support", item_id="hours")
    cache.keep(KEY, text, evaluator="shop.Support", item_id="hours")
    assert cache.get(KEY) == text
    assert cache.has(KEY)
    assert not cache.has(OTHER)
    row = CachedOutput.objects.using(cache._using).get()
    assert (row.evaluator, row.item_id, row.size) == ("shop.Support", "hours", len(text.encode()))


def test_long_names__are_cut_to_their_columns(cache):
    cache.keep(KEY, "{}", evaluator="e" * 1_000, item_id="\ud800\x00" + "i" * 1_000)
    row = CachedOutput.objects.using(cache._using).get()
    assert row.evaluator == "e" * 300
    assert "\x00" not in row.item_id


def test_cached_run__keeps_what_agent_and_simulated_user_of_the_first_used(cache):
    runner = EvaluatorRunner(cache)
    [first], [again] = runner.run(Talks()).results, runner.run(Talks()).results
    assert again.cached_run
    assert (again.simulator_cost, again.simulator_time) == (12.0, first.simulator_time)
    for name in OF_THE_RUN:
        assert getattr(again, name) == getattr(first, name)


@pytest.mark.parametrize("key", ["", "A" * 64, "a" * 63, "a" * 65, "../" + "a" * 61])
def test_key_that_is_no_sha256__refused(cache, key):
    for call in (cache.get, lambda given: cache.set(given, "{}")):
        with pytest.raises(InvalidArgument, match="64 lower-case hex digits"):
            call(key)


def test_text_that_the_database_refuses__error_and_the_transaction_around_goes_on(cache):
    with transaction.atomic(cache._using):
        with pytest.raises(CacheError, match="the database cannot keep an output"):
            cache.set(KEY, "half \ud800")
        cache.set(OTHER, "{}")
    assert cache.get(OTHER) == "{}"
    assert cache.get(KEY) is None


def test_broken_entry__is_a_miss_and_repaired_by_the_next_run(cache):
    cache.set(KEY, "{broken")
    outputs = RunOutputs(cache)
    assert outputs.lookup(KEY) is None
    run = outputs.store(KEY, CachedRun("9 to 5", 0.5))
    assert RunOutputs(cache).lookup(KEY) == run
    assert outputs.counts.stored == 1


def test_threads_that_fill_one_entry_at_once__one_row_and_no_error(cache):
    start = threading.Barrier(8)

    def fill(number):
        try:
            start.wait(timeout=60)
            for _ in range(5):
                cache.set(KEY, f'"{number}"')
            return cache.get(KEY)
        finally:
            close_connections()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(fill, range(8)))
    assert all(text in {f'"{number}"' for number in range(8)} for text in found)
    assert CachedOutput.objects.using(cache._using).count() == 1


def test_event_loop__gets_and_keeps_without_touching_the_loops_connection(cache):
    async def there_and_back():
        async with own_async_connections():  # as around each item
            await cache.akeep(KEY, "{}", evaluator="", item_id="")
            return await cache.aget(KEY)

    assert asyncio.run(there_and_back()) == "{}"


def spec_of(*inputs: str) -> SuiteSpec:
    return parse_suite([{"input": text, "reference": "answer"} for text in inputs], name="hours")


@pytest.mark.parametrize("workers", ["inline", "threads", "async", "processes"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["plain", "async"])
def test_suite_run_twice__the_second_asks_nothing_whatever_the_workers(cache, tmp_path, workers, asynchronous):
    agent = CountingAgent(tmp_path / "calls", asynchronous=asynchronous)
    runner = make_runner().with_cache(cache)
    counts = []
    for _ in range(2):
        evaluator = suite_evaluator(spec_of("a", "b", "c"), agent)
        assert isinstance(evaluator, AsyncSuiteEvaluator) is asynchronous
        results = runner.run(
            evaluator, 1 if workers == "inline" else 3, workers=None if workers == "inline" else workers
        )
        assert [result.status.value for result in results.results] == ["passed"] * 3
        counts.append((results.cache.hits, results.cache.misses, results.cache.stored, dict(results.cache.not_stored)))
    assert counts == [(0, 3, 3, {}), (3, 0, 0, {})]
    assert agent.calls() == 3
    rows = CachedOutput.objects.using(cache._using)
    assert set(rows.values_list("evaluator", flat=True)) == {"suite hours"}
    assert all(rows.values_list("item_id", flat=True))


def test_agents_that_differ__have_keys_of_their_own(cache, tmp_path):
    for temperature in (0.0, 1.0, 0.0):
        agent = CountingAgent(tmp_path / "calls", temperature=temperature)
        EvaluatorRunner(cache=cache).run(SuiteEvaluator(spec_of("p"), agent))
    assert CountingAgent(tmp_path / "calls").calls() == 2
    assert CachedOutput.objects.using(cache._using).count() == 2


def test_stats_and_prune__by_age_and_by_size(cache):
    assert cache.stats() == CacheStats()
    rows = CachedOutput.objects.using(cache._using)
    now = datetime.now(UTC)
    for days, letter in enumerate("abcd"):
        cache.set(letter * 64, "x" * 100)
        rows.filter(key=letter * 64).update(created_at=now - timedelta(days=days))
    stats = cache.stats()
    assert (stats.entries, stats.size) == (4, 400)
    assert stats.newest - stats.oldest == timedelta(days=3)

    removed = cache.prune(before=now - timedelta(days=2, hours=12))
    assert (removed.entries, removed.size, removed.oldest) == (1, 100, stats.oldest)
    assert cache.prune(max_size=250).entries == 1
    assert set(rows.values_list("key", flat=True)) == {"a" * 64, "b" * 64}
    assert cache.prune(max_size=250) == CacheStats()
    assert cache.clear().entries == 2
    assert not rows.exists()


def test_number_of_queries__is_fixed(cache):
    connection = connections[cache._using]
    calls = [
        (lambda: cache.set(KEY, "{}"), ["INSERT"]),
        (lambda: cache.get(KEY), ["SELECT"]),
        (cache.stats, ["SELECT"]),
    ]
    for call, statements in calls:
        with CaptureQueriesContext(connection) as captured:
            call()
        words = [query["sql"].split()[0] for query in captured.captured_queries]
        assert [word for word in words if word in ("INSERT", "SELECT", "UPDATE", "DELETE")] == statements


def test_database_that_is_not_there__refused_with_those_that_are():
    with pytest.raises(InvalidArgument, match=r"DATABASES has no 'gone'; it has default"):
        DatabaseCache("gone")


def test_table_that_is_not_there__said_before_anything_runs(cache, monkeypatch):
    assert [field.cached_col for field in CachedOutput._meta.fields]  # as they would keep the name
    monkeypatch.setattr(CachedOutput._meta, "db_table", "not_migrated")
    [problem] = cache.problems()
    assert problem.startswith("the cache in the database cannot be used: ")
    assert problem.endswith("run `python manage.py migrate neuron_evals --database rows`")
    assert cache.get(KEY) is None
    with pytest.raises(CacheError):
        cache.set(KEY, "{}")
    for call in (cache.stats, cache.clear):
        with pytest.raises(CacheError, match="cannot be used"):
            call()
    monkeypatch.undo()
