"""Cases of each evaluator type: how they end, run one by one and from a file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from neuron_evals import Agent, FakeProvider, Status, SuiteError, ToolCall, load_suite, run_case, run_suite
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites.yaml_text import read_yaml, write_yaml

GROUPS = read_yaml(Path(__file__).with_name("nous_cases.yaml").read_text(encoding="utf-8"), "nous_cases.yaml").value
CASES = [(kind, row) for kind, rows in GROUPS.items() if kind != "refused" for row in rows]
IDS = [f"{kind}: {row['title']}" for kind, row in CASES]
REFUSED = GROUPS["refused"]
TYPES = {"str": str, "int": int, "bool": bool}


def case_of(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    case = {"id": "one", "input": "q", "expected": row["expected"], "eval_type": kind}
    return {**case, "eval_config": row["eval_config"]} if "eval_config" in row else case


def agent_of(row: dict[str, Any]) -> Agent:
    calls = [ToolCall(name, arguments) for name, arguments in row.get("calls", [])]
    return Agent(FakeProvider(*([calls] if calls else []), row["says"]))


def judge_of(row: dict[str, Any]) -> Any:
    return Agent(FakeProvider(*[row["judge_says"]] * 2)) if "judge_says" in row else None


def imports_of(row: dict[str, Any]) -> Any:
    """Return what knows the class of a row by any path in `case_models`, and nothing else."""

    def resolve(path: str) -> type:
        if not path.startswith("case_models."):
            raise ConfigurationError(f"{path!r} cannot be imported")
        return dataclasses.make_dataclass("Made", [(name, TYPES[kind]) for name, kind in row["fields"].items()])

    return resolve


def ends_as_it_should(row: dict[str, Any], result: Any) -> None:
    assert result.status == row["ends"], result.explain()
    assert [check.score for check in result.checks] == [
        None if row["score"] is None else pytest.approx(row["score"], abs=1e-5)
    ]


@pytest.mark.parametrize(("kind", "row"), CASES, ids=IDS)
def test_case__ends_as_it_should(kind, row):
    result = run_case(case_of(kind, row), agent=agent_of(row), judge=judge_of(row), imports=imports_of(row))
    ends_as_it_should(row, result)


@pytest.mark.parametrize("suffix", ["yaml", "json"])
@pytest.mark.parametrize(("kind", "row"), CASES, ids=IDS)
def test_case_in_a_file__ends_likewise(kind, row, suffix, tmp_path):
    data = {"name": "one", "test_cases": [case_of(kind, row)]}
    file = tmp_path / f"suite.{suffix}"
    file.write_text(write_yaml(data) if suffix == "yaml" else json.dumps(data), encoding="utf-8")

    suite = load_suite(file, imports=imports_of(row))
    report = run_suite(suite, agent=agent_of(row), judge=judge_of(row))

    ends_as_it_should(row, report.results[0])


@pytest.mark.parametrize("row", REFUSED, ids=[row["title"] for row in REFUSED])
def test_case_that_means_nothing__refused_before_the_agent_is_asked(row, tmp_path):
    case, agent = case_of(row["eval_type"], row), agent_of(row)
    with pytest.raises(SuiteError):
        run_case(case, agent=agent, imports=imports_of(row))

    file = tmp_path / "suite.yaml"
    file.write_text(write_yaml({"test_cases": [case]}), encoding="utf-8")
    with pytest.raises(SuiteError, match=r"suite\.yaml, line \d+, column \d+: item 0 \(id \"one\"\), "):
        load_suite(file, imports=imports_of(row))


def test_broken_judge__is_an_error_and_no_bad_grade():
    result = run_case(
        case_of("llm_judge", {"expected": "Is it polite?"}),
        agent=lambda text: "Hello",
        judge=Agent(FakeProvider(RuntimeError("down"))),
    )
    assert (result.status, result.score) == (Status.ERROR, None)
