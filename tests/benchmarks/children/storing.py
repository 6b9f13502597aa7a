"""Figures of DatabaseOutput: storing.py (sqlite | postgresql | mariadb) (immediate | waiting) COUNT FOLDER.

`immediate`: seconds that COUNT items take which return at once, stored; seconds of bulk_create of the same rows in
batches of 500; and of the rows, a page of 50. `waiting`: seconds of COUNT items of 50 ms, 50 in flight, not stored and
stored, and the longest time from the end of an item until its row is in the table.
"""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
from django.conf import settings  # noqa: TID251  (a process of its own, configured here)

from tests.servers import database

VENDOR, KIND, COUNT, FOLDER = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": str(FOLDER / "runs.sqlite3"),
    "TEST": {"NAME": str(FOLDER / "test.sqlite3")},
    "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 60, "init_command": "PRAGMA journal_mode=WAL"},
}
settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "neuron_evals"],
    DATABASES={"default": SQLITE if VENDOR == "sqlite" else database(VENDOR, "neuron_evals_benchmark")},
    USE_TZ=True,
)
django.setup()

from django.db import connection  # noqa: E402  (needs the settings)
from django.test.utils import CaptureQueriesContext  # noqa: E402

from neuron_evals import BaseEvaluator, EvaluatorRunner, StringContains  # noqa: E402
from neuron_evals.core.outputs import OutputDriver, OutputPipeline  # noqa: E402
from neuron_evals.models import EvalRun, EvalRunItem  # noqa: E402
from neuron_evals.outputs import DatabaseOutput  # noqa: E402
from neuron_evals.outputs.rows import row_of  # noqa: E402

if TYPE_CHECKING:
    from neuron_evals.core.results import ItemResult

ANSWER = "You can return it within 30 days, unused and in its box. " * 8
CONCURRENCY = {"immediate": 1, "waiting": 50}[KIND]


class Answers(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return [{"id": f"item {number}", "input": f"question {number}"} for number in range(COUNT)]

    def run(self, item: Mapping[str, Any]) -> str:
        if KIND == "waiting":
            time.sleep(0.05)
        return f"{item['input']}: {ANSWER}"

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        del item
        self.check(StringContains("30 days"), output, label="days")
        self.check(StringContains("box"), output)


class Kept(OutputDriver):
    """Keeps results, and when each ended."""

    def __init__(self) -> None:
        self.results: list[ItemResult] = []
        self.ended: list[float] = []

    def finished(self, result: ItemResult) -> None:
        self.ended.append(time.perf_counter())
        self.results.append(result)


class Watch:
    """Notes in a thread how many rows there are."""

    def __init__(self, run: EvalRun) -> None:
        self.counts: list[tuple[float, int]] = []
        self._run = run
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        while not self._end.wait(0.02):
            self.note()
        connection.close()

    def note(self) -> None:
        self.counts.append((time.perf_counter(), EvalRunItem.objects.filter(run__gt=self._run.pk).count()))

    def longest(self, ended: list[float]) -> float:
        self._end.set()
        self._thread.join()
        self.note()
        waits, number = [], 0
        for moment, count in self.counts:
            waits += [moment - end for end in ended[number:count]]
            number = max(number, count)
        if number != COUNT:
            sys.exit(f"{number} of {COUNT} rows were seen")
        return max(waits)


def seconds_of(*drivers: OutputDriver) -> float:
    pipeline = OutputPipeline(drivers)
    started = time.perf_counter()
    run = EvaluatorRunner().prepare_run([Answers()], CONCURRENCY)
    report = run.execute(pipeline, keep_results=False)
    pipeline.close()
    seconds = time.perf_counter() - started
    if report.passed_count != COUNT or pipeline.errors:
        sys.exit(f"{report.passed_count} of {COUNT} items passed; {pipeline.errors}")
    return seconds


def in_batches(results: list[ItemResult]) -> float:
    """Return the seconds of bulk_create with a transaction for each 500 rows."""
    run, _ = EvalRun.objects.enqueue(source="bulk")
    rows = [row_of(run.pk, result) for result in results]
    without_what_is_kept()
    started = time.perf_counter()
    for at in range(0, len(rows), 500):
        EvalRunItem.objects.bulk_create(rows[at : at + 500])
    return time.perf_counter() - started


def without_what_is_kept() -> None:
    """Let the search for garbage pass over what is in memory: how much that is depends on what was measured before."""
    gc.collect()
    gc.freeze()


def page(run: EvalRun) -> dict[str, float]:
    middle = COUNT // 2
    started = time.perf_counter()
    with CaptureQueriesContext(connection) as queries:
        rows = list(run.items.in_dataset_order().without_large_columns()[middle : middle + 50])
        described = [(row.index, row.item_id, row.status, row.score) for row in rows]
    if len(described) != 50:
        sys.exit(f"a page has {len(described)} rows")
    return {"page": time.perf_counter() - started, "queries": len(queries)}


def immediate() -> dict[str, float]:
    driver = DatabaseOutput()
    without_what_is_kept()
    stored = seconds_of(driver)
    kept = Kept()
    plain = seconds_of(kept)
    return {"plain": plain, "stored": stored, "bulk": in_batches(kept.results), **page(driver.runs[0])}


def waiting() -> dict[str, float]:
    plain = seconds_of()
    kept = Kept()
    watch = Watch(EvalRun.objects.enqueue(source="before")[0])
    stored = seconds_of(kept, DatabaseOutput())
    return {"plain": plain, "stored": stored, "delay": watch.longest(kept.ended)}


def main() -> None:
    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        print(json.dumps({"immediate": immediate, "waiting": waiting}[KIND]()))
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


main()
