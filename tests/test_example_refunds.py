"""The refund conversations of the example: the same verdicts however they are run, and rows change by approval only."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.example import copied, load_rows, manage, without_times

if TYPE_CHECKING:
    from pathlib import Path

KEPT = '''
from __future__ import annotations

import os
from pathlib import Path

from evaluators.refund_conversations import RefundConversationEvaluator


def note_process():
    with Path("processes.txt").open("a") as file:
        file.write(f"{os.getpid()} {os.getppid()}\\n")


class KeptEvaluator(RefundConversationEvaluator):
    """Undoes nothing: what is refunded stays refunded."""

    tags = ("kept",)

    def run(self, item):
        note_process()
        return self.conversation(item).run()


class KeptAsyncEvaluator(RefundConversationEvaluator):
    tags = ("kept-async",)

    async def run(self, item):
        note_process()
        return await self.conversation(item).arun()
'''
KINDS = {
    "inline": ("--tag", "kept"),
    "threads": ("--tag", "kept", "--concurrency", "4", "--workers", "threads"),
    "processes": ("--tag", "kept", "--concurrency", "4", "--workers", "processes"),
    "async-inline": ("--tag", "kept-async"),
    "async": ("--tag", "kept-async", "--concurrency", "4"),
}
REFUNDS_BEFORE = {1009: ["32.00"], 1022: ["84.00"]}
APPROVED = {1002: ["48.00"], 1011: ["14.00"], 1021: ["48.00"]}
REJECTED = {1003, 1007, 1012, 1015}
SAME = ("index", "item_id", "status", "score", "reason", "output", "ending", "error", "checks")


@dataclass(frozen=True)
class Held:
    """One run of the conversations.

    Attributes:
        status: Exit status of the command.
        report: The JSON report.
        refunds: The amounts refunded by order, after the run.
        other_rows: All other rows of the shop, after the run.
        processes: For each item that ran, the id of its process and of that one's parent.
    """

    status: int
    report: dict[str, Any]
    refunds: dict[int, list[str]]
    other_rows: dict[str, list[Any]]
    processes: list[tuple[str, ...]]

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """What the run found of each item, conversation and messages included."""
        return [{key: without_times(result[key]) for key in SAME} for result in self.report["results"]]


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    example = copied(tmp_path_factory.mktemp("clone"))
    (example / "evaluators" / "kept.py").write_text(KEPT, encoding="utf-8")
    load_rows(example)
    return example


@pytest.fixture
def example(clone, tmp_path) -> Path:
    return fresh(clone, tmp_path)


@pytest.fixture(scope="module")
def plain(clone, tmp_path_factory) -> Held:
    """The example's own evaluator, one item after the other."""
    return hold(fresh(clone, tmp_path_factory.mktemp("plain")), "--tag", "conversations")


@pytest.fixture(scope="module", params=KINDS)
def kept(request, clone, tmp_path_factory) -> Held:
    """A run in each kind of worker that keeps what it refunds."""
    return hold(fresh(clone, tmp_path_factory.mktemp(request.param)), *KINDS[request.param])


def fresh(clone: Path, folder: Path) -> Path:
    """Return a copy of the clone with rows of its own."""
    return shutil.copytree(clone, folder / "example_project")


def hold(example: Path, *arguments: str) -> Held:
    done = manage(example, "evaluations", "example_project/evaluators", "--output", "json", *arguments)
    assert done.stdout, done.stderr
    notes = example.parent / "processes.txt"
    processes = [tuple(line.split()) for line in notes.read_text().splitlines()] if notes.exists() else []
    return Held(done.returncode, json.loads(done.stdout), refunds_of(example), other_rows_of(example), processes)


def refunds_of(example: Path) -> dict[int, list[str]]:
    query = "SELECT number, amount FROM shop_refund JOIN shop_order ON shop_order.id = order_id ORDER BY shop_refund.id"
    found: dict[int, list[str]] = {}
    with closing(sqlite3.connect(example / "db.sqlite3")) as rows:
        for number, amount in rows.execute(query):
            found.setdefault(number, []).append(f"{amount:.2f}")
    return found


def other_rows_of(example: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(example / "db.sqlite3")) as rows:
        tables = rows.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'shop_*'").fetchall()
        return {
            table: rows.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()  # noqa: S608  (names of our own)
            for (table,) in tables
            if table != "shop_refund"
        }


def dataset_of(example: Path) -> Path:
    return example / "evaluators" / "datasets" / "refund_conversations.json"


def test_conversations__pass_every_check_and_leave_no_row_changed(plain, clone):
    items = json.loads(dataset_of(clone).read_text(encoding="utf-8"))
    assert plain.status == 0
    assert [result["item_id"] for result in plain.report["results"]] == [item["id"] for item in items]
    assert {item["outcome"] for item in items} == {"approved", "rejected", "not_asked"}
    for result in plain.report["results"]:
        names = {check["name"]: check["verdict"] for check in result["checks"]}
        assert result["status"] == "passed"
        assert set(names.values()) == {"passed"}
        assert {"TrajectoryMatches", "StringContains", "TaskCompletionJudge"} < set(names)
    assert (plain.refunds, plain.other_rows) == (REFUNDS_BEFORE, other_rows_of(clone))


def test_rejection__is_that_of_the_dataset_and_the_customer_hears_why(plain):
    result = next(each for each in plain.report["results"] if each["item_id"] == "above-the-limit")
    calls = [call for message in result["output"]["messages"] for call in message["tool_calls"]]
    rejected = [call for call in calls if call["approval"] == "rejected"]
    assert [(call["name"], call["arguments"], call["executed"]) for call in rejected] == [
        ("refund_order", {"number": 1007, "amount": 238.0}, False)
    ]
    assert rejected[0]["reject_reason"] == "it is above the limit of 200 EUR"
    assert result["output"]["messages"][-1]["content"] == (
        "I cannot refund order 1007: it is above the limit of 200 EUR."
    )


def test_every_kind_of_worker__gives_the_verdicts_and_messages_of_a_plain_run(kept, plain):
    assert kept.status == 0
    assert [_without_lines(verdict) for verdict in kept.verdicts] == [
        _without_lines(verdict) for verdict in plain.verdicts
    ]


def test_every_kind_of_worker__approved_refunds_are_written_and_rejected_ones_change_no_row(kept, clone):
    assert not REJECTED & set(kept.refunds)
    assert kept.refunds == REFUNDS_BEFORE | APPROVED
    assert kept.other_rows == other_rows_of(clone)


@pytest.mark.parametrize("kept", ["processes"], indirect=True)
def test_process_workers__run_each_item_in_a_process_of_its_own(kept):
    assert len({process for process, _ in kept.processes}) == len(kept.report["results"])
    assert len({parent for _, parent in kept.processes}) == 1


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_items_at_once__undo_what_they_refunded(example, plain, workers):
    held = hold(example, "--tag", "conversations", "--concurrency", "4", "--workers", workers)
    assert held.verdicts == plain.verdicts
    assert (held.refunds, held.other_rows) == (plain.refunds, plain.other_rows)


def test_repeats_at_once__do_not_see_the_refunds_of_one_another(example):
    held = hold(example, "--tag", "conversations", "--repeat", "3", "--concurrency", "4")
    assert (held.status, held.report["passed"]) == (0, 3 * len(json.loads(dataset_of(example).read_text())))
    assert held.refunds == REFUNDS_BEFORE


@pytest.mark.parametrize("kind", ["conversations", "kept", "kept-async"])
def test_second_run_from_the_cache__gives_the_same_whatever_the_rows_are_now(example, plain, kind):
    first = hold(example, "--tag", kind, "--cache")
    with closing(sqlite3.connect(example / "db.sqlite3")) as rows:
        rows.execute("UPDATE shop_order SET status = 'cancelled'")  # so that nothing could be refunded now
        rows.commit()
    second = hold(example, "--tag", kind, "--cache", "--concurrency", "4")

    assert (first.report["cached_runs"], second.report["cached_runs"]) == (0, len(plain.verdicts))
    assert second.status == 0
    assert second.verdicts == first.verdicts
    assert [_without_lines(verdict) for verdict in first.verdicts] == [
        _without_lines(verdict) for verdict in plain.verdicts
    ]


def test_decision_turned_round_in_the_dataset__fails_what_was_expected_of_the_other(example):
    items = json.loads(dataset_of(example).read_text(encoding="utf-8"))
    approved = next(item for item in items if item["id"] == "number-comes-later")
    approved["approvals"] = {"refund_order": ["reject", "the teapot is cracked"]}
    dataset_of(example).write_text(json.dumps([approved]), encoding="utf-8")
    held = hold(example, "--tag", "kept")

    [result] = held.report["results"]
    failed = {check["name"]: check["message"] for check in result["checks"] if check["verdict"] == "failed"}
    assert (held.status, result["status"]) == (1, "failed")
    assert set(failed) == {"ToolWasApproved", "StringContains"}
    assert failed["ToolWasApproved"].startswith("refund_order was not approved: ")
    assert failed["ToolWasApproved"].endswith("was rejected (the teapot is cracked)")
    assert held.refunds == REFUNDS_BEFORE


def test_customer_left_with_a_question__the_judge_fails_the_conversation(example):
    items = json.loads(dataset_of(example).read_text(encoding="utf-8"))
    items[0] |= {"turns": items[0]["turns"][:1], "outcome": "not_asked"}
    dataset_of(example).write_text(json.dumps(items[:1]), encoding="utf-8")
    [result] = hold(example, "--tag", "conversations").report["results"]
    judged = next(check for check in result["checks"] if check["name"] == "TaskCompletionJudge")
    assert (judged["verdict"], judged["score"]) == ("failed", 0.2)
    assert judged["message"] == "score 0.2 is below the threshold 0.7: The customer is left with a question."


def _without_lines(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict without the lines of the evaluator, which are the same as long as `evaluate` is."""
    return verdict | {"checks": [{**check, "line": None} for check in verdict["checks"]]}
