"""The example project's commands, as its README gives them, in a copy of it with its own database."""

from __future__ import annotations

import csv
import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from tests.example import README, copied, load_rows, manage, without_times
from tests.markdown import blocks

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, with its rows loaded as its README says."""
    example = copied(tmp_path_factory.mktemp("clone"))
    load_rows(example)
    return example


def _evaluate(example: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run the evaluators and return the exit status and the JSON report."""
    done = manage(example, "evaluations", "example_project/evaluators", "--output", "json", *arguments)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def _sizes(example: Path) -> dict[str, int]:
    datasets = example / "evaluators" / "datasets"
    with (datasets / "refunds.csv").open(encoding="utf-8", newline="") as file:
        refunds = len(list(csv.DictReader(file)))
    with sqlite3.connect(example / "db.sqlite3") as rows:
        orders = rows.execute("SELECT COUNT(*) FROM shop_order").fetchone()[0]
    rows.close()
    return {
        "OrderSummaryEvaluator": orders,
        "RefundConversationEvaluator": len(
            json.loads((datasets / "refund_conversations.json").read_text(encoding="utf-8"))
        ),
        "RefundPolicyEvaluator": refunds,
        "ReplySafetyEvaluator": len((datasets / "reply_safety.jsonl").read_text(encoding="utf-8").splitlines()),
        "SupportAnswersEvaluator": len(json.loads((datasets / "support.json").read_text(encoding="utf-8"))),
    }


def test_known_gaps_left_out__every_item_passes_and_the_status_is_0(example):
    status, report = _evaluate(example, "--exclude-tag", "known-gap")
    sizes = _sizes(example)
    by_evaluator = {each["evaluator_class"].rpartition(".")[2]: each for each in report["evaluators"]}
    judged = {name: each["total"] for name, each in by_evaluator.items() if each["total"]}
    assert (status, report["failed"], report["errors"], report["skipped"]) == (0, 0, 0, 0)
    assert judged == sizes
    assert report["passed"] == report["total"] == sum(sizes.values())


def test_known_gaps_alone__fail_without_breaking_and_the_status_is_1(example):
    status, report = _evaluate(example, "--tag", "known-gap")
    assert status == 1
    assert (report["passed"], report["failed"], report["errors"]) == (4, 38, 0)


def test_everything__counts_both_parts_and_the_status_is_1(example):
    status, report = _evaluate(example, "--concurrency", "4")
    assert status == 1
    assert (report["failed"], report["errors"]) == (38, 0)
    assert report["passed"] == sum(_sizes(example).values()) + 4


def test_one_item_at_a_time_and_four_threads__give_the_same_report(example):
    reports = [_evaluate(example, "--concurrency", number)[1] for number in ("1", "4")]
    assert without_times(reports[0]) == without_times(reports[1])


def test_any_run__leaves_the_rows_as_they_were(example):
    def rows() -> list[tuple[Any, ...]]:
        with sqlite3.connect(example / "db.sqlite3") as database:
            found = database.execute("SELECT order_id, amount, granted_on FROM shop_refund ORDER BY id").fetchall()
        database.close()
        return found

    before = rows()
    _evaluate(example, "--concurrency", "4")
    assert rows() == before
    assert len(before) == 2


def test_main_command_run_twice__loads_the_rows_again_without_a_change(example):
    done = manage(example, "loaddata", "shop")
    assert done.returncode == 0
    assert _evaluate(example, "--exclude-tag", "known-gap")[0] == 0


def test_commands_of_its_readme__run_in_their_order__end_as_it_says(example):
    statuses = []
    for block in blocks(README):
        for line in block.text.splitlines() if block.language == "bash" else ():
            done = manage(example, *line.split()[2:])
            assert done.returncode == int(block.value or 0), done.stdout + done.stderr
            statuses.append(done.returncode)
    assert statuses == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
