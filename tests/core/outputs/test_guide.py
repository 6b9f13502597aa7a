from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from neuron_evals.core.exceptions import StopRun
from tests.core.outputs.factories import item, plan_of, report_of

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "write-an-output-driver.md"


def test_the_driver_of_the_guide_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)  # noqa: S102  (the code is this project's own documentation)
    driver = names["ResultLines"]("lines.jsonl", max_errors=2)
    report = report_of(item("error"), item("error", 1))
    driver.start(plan_of(report))
    driver.finished(report.results[0])
    with pytest.raises(StopRun, match="2 items broke"):
        driver.finished(report.results[1])
    driver.close()
    assert (tmp_path / "lines.jsonl").read_text().count("\n") == 2
    assert names["ResultLines"]("missing/lines.jsonl").problems() == [f'the folder "{tmp_path}/missing" does not exist']
