"""How often items are executed and tried again is bounded alike by every door, on each kind of database."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import override_settings

from neuron_evals import BaseEvaluator, EvaluationError, EvaluatorRunner, SuiteError, load_suite, parse_suite
from neuron_evals.core.bounds import MAX_CONCURRENCY, MAX_REPEATS, MAX_RETRIES
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.runner import Limits
from neuron_evals.models import EvalRun
from neuron_evals.runs import RunError, create_run
from tests.models.conftest import _database, committing  # noqa: F401  (fixtures)
from tests.transfer.test_databases import suite  # noqa: F401  (a fixture)

ITEM: dict[str, Any] = {"id": "a", "input": "x", "reference": "x"}
MOST = {"repeats": MAX_REPEATS, "retries": MAX_RETRIES, "concurrency": MAX_CONCURRENCY}


@pytest.mark.parametrize("key", MOST)
def test_suite_that_asks_for_more__is_refused_as_file_and_as_row(suite, key):  # noqa: F811  (a fixture)
    for value, right in ((MOST[key], True), (MOST[key] + 1, False)):
        Path("suite.json").write_text(json.dumps({"slug": "hours", key: value, "dataset": [ITEM]}))
        setattr(suite, key, value)
        doors = [
            lambda: parse_suite(json.loads(Path("suite.json").read_text())),
            lambda: call_command("eval_import", "suite.json", stdout=StringIO()),
            suite.full_clean,
        ]
        for door in doors:
            if right:
                door()
            else:
                with pytest.raises((SuiteError, CommandError, ValidationError), match=key):
                    door()


def test_item_that_asks_for_more_repeats__is_refused_by_every_door(suite):  # noqa: F811  (a fixture)
    items = [{**ITEM, "repeats": MAX_REPEATS + 1}]
    Path("suite.json").write_text(json.dumps({"slug": "hours", "dataset": items}))
    suite.dataset = items
    with pytest.raises(SuiteError, match=f"repeats: must be a whole number from 1 to {MAX_REPEATS}"):
        parse_suite(items)
    with pytest.raises(ValidationError, match="repeats"):
        suite.full_clean()
    with pytest.raises(CommandError, match="repeats"):
        call_command("eval_import", "suite.json", stdout=StringIO())


def test_run_that_asks_for_more__is_refused_before_anything_is_stored(suite):  # noqa: F811  (a fixture)
    for name, most in (("repeat", MAX_REPEATS), ("retries", MAX_RETRIES)):
        with pytest.raises(RunError, match=f"{name} is a whole number from . to {most:,}"):
            create_run("hours", options={name: most + 1})
        with pytest.raises(CommandError, match=f"from . to {most:,}"):
            call_command("eval", "hours", f"--{name}", str(most + 1))
    assert not EvalRun.objects.exists()


def test_evaluator_that_asks_for_more__is_refused_before_its_first_item():
    class Often(BaseEvaluator):
        repeats = MAX_REPEATS + 1

        def get_dataset(self) -> Any:
            return [{"id": "a"}]

        def run(self, item: Any) -> Any:
            raise AssertionError(item)

        def evaluate(self, output: Any, item: Any) -> None:
            raise AssertionError(output, item)

    with pytest.raises(EvaluationError, match="repeats is a whole number from 1 to 10,000"):
        EvaluatorRunner().run(Often())
    with pytest.raises(ConfigurationError, match="retries is a whole number from 0 to 1,000"):
        Limits(retries=MAX_RETRIES + 1)


def test_suite_as_large_as_a_row_may_be__is_a_file_too_and_a_larger_one_neither(suite):  # noqa: F811  (a fixture)
    suite.dataset = [{**ITEM, "id": str(index), "input": "x" * 1_500} for index in range(1_000)]
    suite.full_clean()
    suite.save()
    for file in ("large.json", "large.yaml"):
        call_command("eval_export", "hours", file, stdout=StringIO())
        assert Path(file).stat().st_size > 1_500_000
        assert [item.item for item in load_suite(file).items] == suite.dataset
    size = {"DATASET_BYTES": 1_000_000}
    with override_settings(NEURON_EVALS={"AGENTS": {"echo": "tests.testapp.agents.echo"}, "LIMITS": size}):
        for door in (suite.full_clean, lambda: load_suite("large.json")):
            with pytest.raises((SuiteError, ValidationError), match="a suite holds at most 1,000,000"):
                door()
        with pytest.raises(CommandError, match="a suite holds at most 1,000,000"):
            call_command("eval", "--file", "large.json")
