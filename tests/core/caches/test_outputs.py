from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from neuron_evals.core.caches import (
    Cache,
    CacheCounts,
    CachedRun,
    CacheError,
    FileCache,
    MemoryCache,
    RunKeys,
    RunOutputs,
)
from neuron_evals.core.messages import Usage
from neuron_evals.core.results import AgentSteps
from tests.core.caches.behaviour import KEY, OTHER
from tests.core.samples import Echo

RUN = CachedRun(
    "9 to 5",
    1.5,
    Usage(input=10, output=3, cached_input=None, requests=2),
    0.02,
    ["hi", {"a": 1}],
    AgentSteps(0.25, 2, 0, 1, None),
    known_usage=Usage(input=10, output=3, cached_input=4, requests=2),
    known_cost=0.02,
    tool_time=0.25,
    simulator_usage=Usage(input=None, output=7),
    simulator_cost=None,
    known_simulator_usage=Usage(input=5, output=7),
    known_simulator_cost=0.001,
    simulator_time=0.5,
)


@pytest.fixture(params=["memory", "file"])
def cache(request, tmp_path):
    return MemoryCache() if request.param == "memory" else FileCache(tmp_path / "cache")


def entry(cache: Cache, key: str = KEY) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(cache.get(key) or "")
    return held


class Broken(Cache):
    """Raises what a cache may not."""

    def __init__(self, exc: Exception) -> None:
        self.exc = exc

    def get(self, key: str) -> str | None:
        raise self.exc

    def set(self, key: str, text: str) -> None:
        raise self.exc


class Order:
    """What cannot be written."""


def test_store_then_lookup__everything_of_the_first_run_with_its_types(cache):
    outputs = RunOutputs(cache)
    assert outputs.lookup(KEY) is None
    assert outputs.store(KEY, RUN) == RUN
    assert RunOutputs(cache).lookup(KEY) == RUN
    assert outputs.lookup(OTHER) is None
    assert outputs.counts == CacheCounts(hits=0, misses=2, stored=1)


@pytest.mark.parametrize("output", [None, False, 0, 0.0, "", b"", [], {}, (), set(), "null", "\x00\ud800"], ids=repr)
def test_empty_outputs__are_hits_of_the_same_type(cache, output):
    RunOutputs(cache).store(KEY, CachedRun(output, 0.0))
    run = RunOutputs(cache).lookup(KEY)
    assert (type(run.output), run.output) == (type(output), output)
    assert (run.execution_time, run.usage, run.cost, run.trajectory) == (0.0, None, None, None)


@pytest.mark.parametrize("output", [["a", {"b": (1, 2)}], {1: {2}, "x": Decimal("1.10")}], ids=repr)
def test_store__returns_a_copy_that_is_as_the_next_run_finds_it(cache, output):
    kept = RunOutputs(cache).store(KEY, CachedRun(output, 1.0))
    assert kept.output == output
    assert kept.output is not output
    assert repr(kept) == repr(RunOutputs(cache).lookup(KEY))


def test_lookup__gives_a_copy_of_its_own_each_time(cache):
    outputs = RunOutputs(cache)
    outputs.store(KEY, CachedRun(["a"], 1.0))
    outputs.lookup(KEY).output.append("changed")
    assert outputs.lookup(KEY).output == ["a"]


def test_entry__is_readable_json_without_code(cache):
    RunOutputs(cache).store(KEY, CachedRun({"text": "é", "pair": (1, 2)}, 1.5))
    assert entry(cache) == {
        "format": 1,
        "key": KEY,
        "output": {"text": "é", "pair": {"$tuple": [1, 2]}},
        "execution_time": 1.5,
        "usage": None,
        "cost": None,
        "trajectory": None,
        "steps": {
            "first_token": None,
            "iterations": None,
            "retries": None,
            "tool_calls": None,
            "tool_errors": None,
        },
        "known_usage": None,
        "known_cost": None,
        "tool_time": None,
        "simulator_usage": None,
        "simulator_cost": None,
        "known_simulator_usage": None,
        "known_simulator_cost": None,
        "simulator_time": None,
    }


DAMAGES = [
    "",
    "{",
    "null",
    "[]",
    '"text"',
    "{}",
    '{"output":"only"}',
    '{"$tuple":[1]}',
    "\x80\x04\x95pickled",
    "[" * 100_000,
    ("format", 2),
    ("format", 1.0),
    ("format", [1]),
    ("format", None),
    ("key", OTHER),
    ("output", {"$neuron_evals_unknown": 1}),
    ("output", {"$tuple": 1, "other": 2}),
    ("output", {"$date": "yesterday"}),
    ("execution_time", None),
    ("execution_time", "1.5"),
    ("execution_time", True),
    ("execution_time", -1),
    ("execution_time", {"$float": "nan"}),
    ("cost", "0.02"),
    ("cost", {"$float": "inf"}),
    ("usage", 7),
    ("usage", {"input": 1}),
    ("usage", {"input": "1", "output": None, "cached_input": None, "reasoning": None, "requests": 1}),
    ("usage", {"input": -1, "output": None, "cached_input": None, "reasoning": None, "requests": 1}),
    ("known_usage", {"input": 1}),
    ("known_cost", -0.1),
    ("tool_time", "0.1"),
    ("simulator_usage", 7),
    ("simulator_cost", "0.02"),
    ("known_simulator_usage", []),
    ("known_simulator_cost", True),
    ("simulator_time", -1),
    ("extra", 1),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: repr(damage)[:40])
def test_damaged_or_foreign_entry__is_a_miss_and_repaired_by_the_next_write(cache, damage):
    outputs = RunOutputs(cache)
    outputs.store(KEY, RUN)
    cache.set(KEY, damage if isinstance(damage, str) else json.dumps(entry(cache) | {damage[0]: damage[1]}))
    assert outputs.lookup(KEY) is None
    outputs.store(KEY, RUN)
    assert outputs.lookup(KEY) == RUN
    assert (outputs.counts.hits, outputs.counts.misses) == (1, 1)


def test_every_beginning_of_an_entry__is_a_miss(cache):
    """A disk that was full, a copy that was cut."""
    outputs = RunOutputs(cache)
    outputs.store(KEY, CachedRun("1", 1.0))
    whole = cache.get(KEY)
    for length in range(len(whole)):
        cache.set(KEY, whole[:length])
        assert outputs.lookup(KEY) is None, whole[:length]


def test_refresh__looks_nothing_up_and_stores(cache):
    RunOutputs(cache).store(KEY, RUN)
    fresh = RunOutputs(cache, refresh=True)
    assert fresh.lookup(KEY) is None
    fresh.store(KEY, CachedRun("new", 0.5))
    assert RunOutputs(cache).lookup(KEY).output == "new"
    assert fresh.counts == CacheCounts(stored=1)


def test_output_that_cannot_be_written__nothing_stored_counted_with_type_and_place(cache):
    outputs = RunOutputs(cache)
    for number in range(3):
        assert outputs.store(KEY, CachedRun({"order": Order(), "n": number}, 1.0)) is None
    assert outputs.store(KEY, CachedRun("fine", 1.0, trajectory=[Order()])) is None
    assert cache.get(KEY) is None
    name = f"{__name__}.Order"
    assert outputs.counts.not_stored == {
        f"an object of type {name} at ['order']": 3,
        f"trajectory: an object of type {name} at [0]": 1,
    }
    assert outputs.counts.complaint == (
        f"4 outputs could not be cached: an object of type {name} at ['order'] (3); "
        f"trajectory: an object of type {name} at [0] (1)"
    )


def test_cost_of_another_type__not_stored_and_named():
    outputs = RunOutputs(MemoryCache())
    assert outputs.store(KEY, CachedRun("a", 1.0, cost=Order())) is None  # type: ignore[arg-type]  # the mistake under test
    assert outputs.counts.not_stored == {f"cannot be stored exactly: an object of type {__name__}.Order at ['cost']": 1}


def test_output_that_cannot_be_written_any_more__leaves_the_entry_that_was_there(cache):
    outputs = RunOutputs(cache)
    outputs.store(KEY, RUN)
    outputs.store(KEY, CachedRun(Order(), 1.0))
    assert outputs.lookup(KEY) == RUN


@pytest.mark.parametrize("run", [CachedRun("a", -1.0), CachedRun("a", float("nan")), CachedRun("a", 1.0, cost=-0.1)])
def test_time_or_cost_that_is_none__is_not_stored(cache, run):
    outputs = RunOutputs(cache)
    assert outputs.store(KEY, run) is None
    assert outputs.counts.not_stored == {"what was written cannot be read back": 1}


@pytest.mark.parametrize(
    ("exc", "reason"),
    [
        (
            CacheError('cannot write to "/cache": No space left on device'),
            'cannot write to "/cache": No space left on device',
        ),
        (RuntimeError("connection\n  lost"), "RuntimeError: connection lost"),
    ],
)
def test_cache_that_breaks__the_run_goes_on_with_the_copy_and_it_is_counted(exc, reason):
    outputs = RunOutputs(Broken(exc))
    assert outputs.lookup(KEY) is None
    assert outputs.store(KEY, RUN) == RUN
    assert outputs.counts == CacheCounts(misses=1, not_stored={reason: 1})
    assert outputs.counts.complaint == f"1 output could not be cached: {reason} (1)"


def test_folder_that_cannot_be_written_to__is_told(tmp_path):
    (tmp_path / "file").touch()
    outputs = RunOutputs(FileCache(tmp_path / "file"))
    assert outputs.store(KEY, RUN) == RUN
    assert outputs.counts.complaint.endswith(f'cannot write to "{tmp_path / "file"}": File exists (1)')


def test_item_without_a_key__is_none_and_counted():
    outputs = RunOutputs(MemoryCache())
    keys = RunKeys(Echo())
    assert outputs.key(keys, {"input": "hours?"}) == keys.of({"input": "hours?"})
    assert outputs.key(keys, {"order": Order()}) is None
    (reason,) = outputs.counts.not_stored
    assert reason == f"the item cannot be stored exactly: an object of type {__name__}.Order at ['order']"


def test_refuse__reasons_become_one_short_line():
    outputs = RunOutputs(MemoryCache())
    outputs.refuse("a\nb\x1c\u2028 c" + "x" * 10_000 + "\x00")
    (reason,) = outputs.counts.not_stored
    assert reason.startswith("a b c")
    assert len(reason) <= 300


def test_many_different_reasons__are_counted_and_not_all_kept():
    outputs = RunOutputs(MemoryCache())
    for number in range(1000):
        outputs.refuse(f"at [{number}]")
    counts = outputs.counts
    assert sum(counts.not_stored.values()) == 1000
    assert len(counts.not_stored) == 101
    assert (
        counts.complaint
        == "1000 outputs could not be cached: at [0] (1); at [10] (1); at [11] (1); other reasons (997)"
    )


def test_complaint__nothing_when_all_could_be_cached():
    assert CacheCounts(hits=1, misses=2, stored=3).complaint == ""


def test_complaint__the_most_frequent_reasons_first():
    counts = CacheCounts(not_stored={"b": 2, "a": 2, "c": 9, "d": 1, "e": 1})
    assert counts.complaint == "15 outputs could not be cached: c (9); a (2); b (2); other reasons (2)"


def test_add__counts_of_another_process():
    outputs = RunOutputs(MemoryCache())
    outputs.refuse("same")
    outputs.add(CacheCounts(1, 2, 3, {"same": 4, "other": 5}))
    outputs.add(CacheCounts(hits=1))
    assert outputs.counts == CacheCounts(2, 2, 3, {"same": 5, "other": 5})


def test_threads__no_count_is_lost():
    outputs = RunOutputs(MemoryCache())

    def work() -> None:
        for number in range(200):
            key = f"{number:064x}"
            outputs.lookup(key)
            outputs.store(key, RUN)
            outputs.refuse("why")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = outputs.counts
    assert (counts.hits + counts.misses, counts.stored, counts.not_stored) == (1600, 1600, {"why": 1600})


def run_all(cache: Cache, evaluator: Echo, items: list[dict[str, Any]], repeats: int = 1) -> list[Any]:
    """Give the output of each repeat of each item as execution does; of one that raises, the error."""
    outputs, keys = RunOutputs(cache), RunKeys(evaluator)
    given = []
    for item, repeat in ((item, repeat) for item in items for repeat in range(repeats)):
        key = outputs.key(keys, item, repeat)
        found = outputs.lookup(key) if key else None
        if found is None:
            try:
                fresh = CachedRun(evaluator.run(item), 1.0)
            except RuntimeError as exc:
                given.append(exc)
                continue
            found = (outputs.store(key, fresh) if key else None) or fresh
        given.append(found.output)
    return given


class Numbered(Echo):
    """Answers each call with another number; raises when told so."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Any] = []

    def run(self, item: Any) -> Any:
        self.calls.append(item)
        if item.get("down") and len(self.calls) == 1:
            raise RuntimeError("rate limit")
        return f"call {len(self.calls)}"


def test_repeats__each_stored_under_its_number_and_found_again(cache):
    first, second = Numbered(), Numbered()
    outputs = run_all(cache, first, [{"input": "a"}], repeats=5)
    assert len(set(outputs)) == len(first.calls) == 5
    assert run_all(cache, second, [{"input": "a"}], repeats=5) == outputs
    assert second.calls == []


def test_error__is_never_stored(cache):
    first, second = Numbered(), Numbered()
    (error,) = run_all(cache, first, [{"down": True}])
    assert isinstance(error, RuntimeError)
    second.calls.append("one before")
    assert run_all(cache, second, [{"down": True}]) == ["call 2"]
    assert run_all(cache, Numbered(), [{"down": True}]) == ["call 2"]


def test_order_of_keys_in_an_item__one_entry_and_one_call(cache):
    evaluator = Numbered()
    items = [{"a": 1, "b": {"x": 1, "y": [{"p": 1, "q": 2}]}}, {"b": {"y": [{"q": 2, "p": 1}], "x": 1}, "a": 1}]
    assert run_all(cache, evaluator, items) == ["call 1", "call 1"]
    assert len(evaluator.calls) == 1


def test_item_that_cannot_be_written__runs_every_time(cache):
    evaluator = Numbered()
    item = {"order": Order()}
    assert run_all(cache, evaluator, [item, item]) == ["call 1", "call 2"]


SCRIPT = """
import sys
from neuron_evals.core.caches import FileCache
from tests.core.caches.test_outputs import Numbered, run_all
evaluator = Numbered()
run_all(FileCache(sys.argv[1]), evaluator, [{"input": "same text"}, {"input": {"b": {"x", "y"}, "a": 1.0}}])
print(len(evaluator.calls))
"""


def test_new_process__finds_what_the_first_stored(tmp_path):
    def calls(seed: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)],
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    assert [calls("1"), calls("2")] == ["2", "0"]
