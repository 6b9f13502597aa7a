"""The code of the pages about rows, run on rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neuron_evals.models import EvalRun, EvalRunItem
from neuron_evals.models.states import request_cancel
from tests.markdown import blocks
from tests.models.rows import item, make_run, make_suite, store

DOCS = Path(__file__).parent.parent.parent / "docs"


def run_page(name: str, names: dict[str, Any]) -> None:
    found = [block for block in blocks(DOCS / name) if block.language == "python"]
    assert found
    for block in found:
        exec(compile(block.text, name, "exec"), names)  # noqa: S102  (our own pages)


def test_reference__reads_what_is_there(db, capsys):
    suite = make_suite("default")
    run = make_run("default", suite=suite, source="smoke-tests")
    store(run, item(run, 0), item(run, 1, "failed", score=0.25))
    run_page("reference/models.md", {})
    assert capsys.readouterr().out == f"run {run.pk}: smoke-tests queued None\n1 item-1 0.25\n"


@pytest.mark.parametrize("cancelled", [False, True])
def test_loop_of_an_executor__stores_everything_until_it_is_cancelled(db, cancelled):
    run = make_run("default", shards=[(0, 2), (2, 4)])

    def results_of(start: int, stop: int) -> Iterator[list[EvalRunItem]]:
        for index in range(start, stop):
            if cancelled and index == 1:
                request_cancel(run)
            yield [item(run, index)]

    run_page("explanation/runs-in-the-database.md", {"run": run, "results_of": results_of})
    row = EvalRun.objects.get()
    assert (row.status, row.total_count) == (("cancelled", 2) if cancelled else ("passed", 4))
