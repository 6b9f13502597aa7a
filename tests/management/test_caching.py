"""`--cache` and `--fresh` as a user sees them: which items ask the agent again, and what the reports say of it."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command

from neuron_evals.core.caches import MemoryCache
from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.management.commands.evaluations import Command
from tests.management.projects import write

COUNTING = """
from pathlib import Path

from neuron_evals import BaseEvaluator, StringContains

class Counting(BaseEvaluator):
    def get_dataset(self):
        return [{"id": name, "input": name} for name in ("a", "b", "c")]

    def run(self, item):
        with Path("calls").open("a") as calls:
            calls.write(item["id"])
        if item["id"] == "c":
            raise RuntimeError("provider down")
        return f"answer {item['input']}"

    def evaluate(self, output, item):
        self.check(StringContains("answer"), output)
"""


@pytest.fixture
def counted(folder):
    """A project whose agent writes down for which items it was called; the third item breaks."""
    write(folder, "support.py", COUNTING)

    def calls():
        file = folder / "calls"
        told = sorted(file.read_text()) if file.exists() else []
        file.unlink(missing_ok=True)
        return told

    return calls


def report(process):
    return json.loads(process.stdout)


def test_without_an_option__nothing_is_stored_and_no_folder_made(evaluations, folder, counted):
    process = evaluations("--output", "json")

    assert report(process)["cache"] is None
    assert not (folder / ".neuron").exists()


@pytest.mark.parametrize(
    "workers", [(), ("--workers", "threads"), ("--workers", "async"), ("--workers", "processes")], ids=str
)
def test_cache__second_process_asks_only_for_what_broke_whatever_the_workers(evaluations, folder, counted, workers):
    first = report(evaluations("--cache", "--output", "json", "--concurrency", "1"))
    assert counted() == ["a", "b", "c"]
    second = report(evaluations("--cache", "--output", "json", "--concurrency", "2", *workers))
    assert counted() == ["c"]

    assert first["cache"] == {"hits": 0, "misses": 3, "stored": 2, "not_stored": {}}
    assert second["cache"] == {"hits": 2, "misses": 1, "stored": 0, "not_stored": {}}
    assert second["evaluators"][0]["cache"] == second["cache"]
    assert [result["cached_run"] for result in second["results"]] == [True, True, False]
    assert [result["output"] for result in second["results"]] == ["answer a", "answer b", None]
    assert len(list((folder / ".neuron" / "cache" / "evaluation").iterdir())) == 2


def test_fresh__everything_runs_and_replaces_what_was_stored(evaluations, counted):
    evaluations("--cache")
    counted()
    fresh = report(evaluations("--fresh", "--output", "json"))

    assert counted() == ["a", "b", "c"]
    assert fresh["cache"] == {"hits": 0, "misses": 0, "stored": 2, "not_stored": {}}
    assert fresh["cached_runs"] == 0


def test_changed_assertion__cached_outputs_are_judged_anew(evaluations, folder, counted):
    evaluations("--cache")
    counted()
    write(folder, "support.py", COUNTING.replace('StringContains("answer")', 'StringContains("answer a")'))
    process = evaluations("--cache", "--output", "json")

    assert counted() == ["c"]
    assert [result["status"] for result in report(process)["results"]] == ["passed", "failed", "error"]


def test_changed_run__asked_again(evaluations, folder, counted):
    evaluations("--cache")
    counted()
    write(folder, "support.py", COUNTING.replace("answer {", "new answer {"))
    evaluations("--cache")

    assert counted() == ["a", "b", "c"]


def test_repeats__each_from_the_cache_under_its_number(evaluations, folder, counted):
    source = COUNTING.replace('("a", "b", "c")', '("a",)').replace("answer {", "answer {__import__('os').urandom(8)}{")
    write(folder, "support.py", source)
    first = report(evaluations("--cache", "--repeat", "5", "--output", "json"))
    assert counted() == ["a"] * 5
    second = report(evaluations("--cache", "--repeat", "5", "--output", "json"))
    assert counted() == []

    outputs = [result["output"] for result in first["results"]]
    assert len(set(outputs)) == 5
    assert [result["output"] for result in second["results"]] == outputs
    assert second["cache"]["hits"] == 5


def test_console__says_how_many_came_from_the_cache(evaluations, counted):
    first = evaluations("--cache").stdout
    second = evaluations("--cache").stdout

    assert "\nCached runs: 0 of 3\n" in first
    assert "\nCached runs: 2 of 3 (assertions evaluated again)\n" in second


def test_output_that_cannot_be_stored__said_in_both_reports(evaluations, folder, counted):
    write(
        folder, "support.py", COUNTING.replace('return f"answer', 'return object() if item["id"] == "a" else f"answer')
    )
    process = evaluations("--cache", "--output", "json=r.json", "--output", "console")
    data = json.loads((folder / "r.json").read_text())

    assert sum(data["cache"]["not_stored"].values()) == 1
    [reason] = data["cache"]["not_stored"]
    assert "builtins.object" in reason
    assert f"\nWarning: 1 output could not be cached: {reason} (1)\n" in process.stdout


def test_cache_and_fresh_together__refused(evaluations, folder, counted):
    process = evaluations("--cache", "--fresh")

    assert process.returncode == 2
    assert process.stderr.endswith("evaluations: argument --fresh: not allowed with argument --cache\n")
    assert process.stderr.count("\n") == 1
    assert counted() == []


@pytest.mark.parametrize("option", ["--cache", "--fresh"])
def test_folder_that_cannot_be_written_to__status_2_and_nothing_runs(evaluations, folder, counted, option):
    (folder / "file").touch()
    setting = {"CACHE": {"OPTIONS": {"path": "file/cache"}}}
    process = evaluations(option, settings=setting)

    assert process.returncode == 2
    assert "the cache folder" in process.stderr
    assert process.stderr.count("\n") == 1
    assert counted() == []
    assert evaluations(settings=setting).returncode == 1


def test_problems_of_outputs_and_cache__told_at_once(evaluations, folder, counted):
    (folder / "file").touch()
    process = evaluations(
        "--cache", "--output", "json=missing/r.json", settings={"CACHE": {"OPTIONS": {"path": "file/cache"}}}
    )

    assert process.returncode == 2
    assert "missing" in process.stderr
    assert "the cache folder" in process.stderr


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"BACKEND": "redis"}, 'there is no cache "redis"'),
        ({"BACKEND": "tests.testapp.caches.Silent"}, r"tests.testapp.caches.Silent: OSError: no\nconnection"),
    ],
)
def test_setting_that_names_no_working_cache__status_2(evaluations, counted, setting, said):
    process = evaluations("--cache", settings={"CACHE": setting})

    assert process.returncode == 2
    assert said in process.stderr
    assert "Traceback" not in process.stderr
    assert counted() == []


def test_own_command_with_a_cache_of_its_own__is_kept_without_an_option(folder, counted, monkeypatch):
    monkeypatch.chdir(folder)
    cache = MemoryCache()

    class OwnCommand(Command):
        def runner(self):
            return EvaluatorRunner(cache=cache)

    for _ in range(2):
        with pytest.raises(SystemExit):
            call_command(OwnCommand(), str(folder / "evaluators"), verbosity=0)
    assert counted() == ["a", "b", "c", "c"]
