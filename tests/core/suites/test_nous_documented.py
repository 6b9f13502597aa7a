"""The reference of suite files names every key and option, and tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neuron_evals import load_suite
from neuron_evals.core.suites.nous.eval_types import EVAL_TYPES
from neuron_evals.core.suites.nous.keys import AGENT_KEYS, CASE_KEYS, SUITE_KEYS
from neuron_evals.core.suites.yaml_text import read_yaml
from tests.markdown import blocks

HERE = Path(__file__).parent
DOCS = HERE.parents[2] / "docs"
HOW_TO = DOCS / "how-to" / "write-a-suite-file.md"
PAGE = (DOCS / "reference" / "suite-files.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE))
ROWS = [
    (name, *row)
    for name, text in SECTIONS.items()
    for row in re.findall(r"^\| `(\w+)[^|]*\|[^|]*\| `(.+)` \|$", text, re.MULTILINE)
]


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_every_evaluator_type__has_its_section_and_options():
    assert list(SECTIONS) == list(EVAL_TYPES)
    for name, found in EVAL_TYPES.items():
        documented = {option for kind, option, _ in ROWS if kind == name}
        assert set(found.config) <= documented, name


@pytest.mark.parametrize(("kind", "option", "test"), ROWS)
def test_test_that_an_option_names__is_there(kind, option, test):
    titles = (
        {row["title"] for row in read_yaml((HERE / "nous_cases.yaml").read_text(encoding="utf-8"), "cases").value[kind]}
        if kind != "custom"
        else set()
    )
    functions = "".join((HERE / f"test_nous{part}.py").read_text(encoding="utf-8") for part in ("", "_running"))
    assert test in titles or f"def {test}(" in functions, option


@pytest.mark.parametrize(
    ("title", "keys"),
    [("Keys of a suite", SUITE_KEYS), ("Keys of a case", CASE_KEYS), ("Keys of a case", AGENT_KEYS)],
    ids=["suite", "case", "agent_config"],
)
def test_every_key__is_named(title, keys):
    assert [key for key in keys if f"`{key}`" not in section(title)] == []


def test_suite_of_the_how_to__is_one(tmp_path):
    (block,) = [block for block in blocks(HOW_TO) if block.language == "yaml" and "test_cases" in block.text]
    file = tmp_path / "basic.yaml"
    file.write_text(block.text, encoding="utf-8")
    suite = load_suite(file)
    assert [item.item["id"] for item in suite.items] == ["greeting", "math", "tip", "explanation"]
