"""The command `eval` with names of providers, agents and judges that there are not: told before anything is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import override_settings

from neuron_evals.container import get_provider
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite
from tests.management.test_eval import NOTHING_JUDGED, evaluate
from tests.test_suites import provider

SETTINGS: dict[str, Any] = {
    "PROVIDERS": {"local": provider(*"9999"), "cloud": provider(*"9999")},
    "AGENTS": {"own": "tests.testapp.agents.OwnModels"},
}
PLAIN = [{"input": "hours?", "reference": "9"}]
GRADED = [{"input": "hours?", "_assertions": [{"type": "helpfulness"}]}]
CASE = {"id": "a", "input": "hours?", "expected": "9", "eval_type": "contains"}
JUDGED = {"id": "b", "input": "hours?", "expected": {"criteria": "kind"}, "eval_type": "llm_judge"}
ELSEWHERE = {"id": "c", **{key: value for key, value in CASE.items() if key != "id"}}
PROVIDER_TOLD = (
    'there is no provider "loca" in NEURON_EVALS["PROVIDERS"]. Did you mean "local"? The names are local, cloud.'
)
STORED_TOLD = 'provider: The setting PROVIDERS has no "loca". Did you mean "local"? It has cloud, local.'


@pytest.fixture(autouse=True)
def _rows(db):
    with override_settings(NEURON_EVALS=SETTINGS):
        shop = AgentDefinition.objects.create(name="Shop", provider="local", model="m")
        gone = AgentDefinition.objects.create(name="Gone", provider="loca", model="m")
        own = AgentDefinition.objects.create(name="Own", code="own")
        EvalSuite.objects.create(name="Plain", agent=shop, dataset=PLAIN)
        EvalSuite.objects.create(name="Of gone", agent=gone, dataset=PLAIN)
        EvalSuite.objects.create(name="Judged by gone", agent=shop, judge=gone, dataset=GRADED)
        EvalSuite.objects.create(name="Both gone", agent=gone, judge=gone, dataset=GRADED)
        EvalSuite.objects.create(name="Broken too", agent=shop, judge=gone, dataset=[*GRADED, {"input": ""}])
        EvalSuite.objects.create(name="Coded", agent=own, dataset=PLAIN)
        yield


def refused(*arguments: Any) -> str:
    """Run the command, and return what it says of its refusal; nothing was asked, and nothing stored."""
    done = evaluate(*arguments)
    assert done.status == NOTHING_JUDGED, done.out
    assert [get_provider(name).call_count for name in ("local", "cloud")] == [0, 0]  # type: ignore[attr-defined]
    assert not EvalRun.objects.exists()
    said: str = done.refusal
    return said


def file(folder: Any, **suite: Any) -> Any:
    path = folder / "hours.json"
    path.write_text(json.dumps({"name": "hours", **suite}))
    return path


# A stored suite


def test_model__at_a_provider_that_there_is_not__told_with_those_there_are():
    said = refused("plain", "--model", "loca:x")
    assert f"'loca:x' names no model: {PROVIDER_TOLD}" in said
    assert "local:loca:x" in said  # how to name a model with a colon in its own name


def test_model__at_a_provider_and_without_a_name__is_refused():
    assert "such as cloud:qwen3" in refused("plain", "--model", "cloud:")


@pytest.mark.parametrize(
    ("given", "asked"), [("qwen3", "local"), ("cloud:qwen3", "cloud"), ("local:qwen3:8b", "local")]
)
def test_model__at_a_provider_that_there_is__is_asked(given, asked):
    assert evaluate("plain", "--model", given).status == 0
    calls = {name: get_provider(name).call_count for name in SETTINGS["PROVIDERS"]}  # type: ignore[attr-defined]
    assert {name for name, count in calls.items() if count} == {asked}


def test_model__with_a_colon__of_an_agent_whose_provider_code_made__is_its_own():
    assert evaluate("coded", "--model", "qwen3:8b").status == 0


@pytest.mark.parametrize("suite", ["of-gone", "judged-by-gone"])
def test_stored_agent_or_judge__of_a_provider_that_there_is_not__is_told(suite):
    assert f'agent "gone": {STORED_TOLD}' in refused(suite)


def test_legacy_judge__of_a_provider_that_there_is_not__is_told():
    shop = AgentDefinition.objects.get(slug="shop")
    EvalSuite.objects.create(name="Legacy", agent=shop, dataset=GRADED, judge_config={"provider": "loca", "model": "m"})
    with pytest.warns(DeprecationWarning, match="judge_config"):
        assert STORED_TOLD in refused("legacy")


def test_agent_and_judge__both_unknown__both_told():
    said = refused("plain", "--agent", "shp", "--judge", "goen")
    assert 'there is no agent "shp". Did you mean "shop"?' in said
    assert 'there is no judge "goen". Did you mean "gone"?' in said


def test_model_and_judge__both_wrong__both_told():
    said = refused("judged-by-gone", "--model", "loca:x")
    assert f"'loca:x' names no model: {PROVIDER_TOLD}" in said
    assert f'agent "gone": {STORED_TOLD}' in said


def test_judge__of_a_suite_with_a_wrong_item__is_told_with_it():
    said = refused("broken-too")
    assert "item 1, input:" in said
    assert f'agent "gone": {STORED_TOLD}' in said


def test_player_of_a_user__unknown__is_told_before_a_run_is_made():
    shop = AgentDefinition.objects.get(slug="shop")
    user = {"persona": "a customer", "goal": "know the hours", "agent": "shp"}
    EvalSuite.objects.create(name="Played", agent=shop, dataset=[{"user": user, "reference": "9"}] * 2)
    said = refused("played")
    assert said.count('there is no agent "shp". Did you mean "shop"?') == 1


# Suites in files


@pytest.mark.parametrize("agent", [[], ["--agent", "shop"]], ids=["of the model", "given"])
def test_default_model__at_a_provider_that_there_is_not__is_told(tmp_path, agent):
    suite = file(tmp_path, default_model="loca:x", test_cases=[CASE])
    by = "" if agent else "the suite's model: "
    assert f"suite hours: {by}'loca:x' names no model: {PROVIDER_TOLD}" in refused("--file", suite, *agent)


def test_model_for_a_file__at_a_provider_that_there_is_not__is_told(tmp_path):
    assert PROVIDER_TOLD in refused("--file", file(tmp_path, agent="shop", dataset=PLAIN), "--model", "loca:x")
    assert PROVIDER_TOLD in refused("--file", file(tmp_path, dataset=PLAIN), "--model", "loca:x")


def test_models_of_items_and_judges__all_wrong_ones_told_with_their_items(tmp_path):
    wrong = {"agent_config": {"model": "loca:x"}}
    cases = [
        {**CASE, **wrong},
        {**JUDGED, "eval_config": {"judge_model": "clod:y"}},
        {**ELSEWHERE, **wrong},
        {**ELSEWHERE, "id": "d", "agent_config": {"model": "cloud:x"}},
    ]
    said = refused("--file", file(tmp_path, default_model="local:m", test_cases=cases))
    for item in ('item 0 (id "a")', 'item 2 (id "c")'):
        assert f"suite hours: {item}, agent_config.model: 'loca:x' names no model: {PROVIDER_TOLD}" in said
    assert "'clod:y' names no model: there is no provider \"clod\"" in said
    assert 'Did you mean "cloud"?' in said
    assert '(id "d")' not in said


def test_model_of_the_run__goes_before_wrong_ones_of_items(tmp_path):
    suite = file(tmp_path, test_cases=[{**CASE, "agent_config": {"model": "loca:x"}}])
    assert evaluate("--file", suite, "--model", "local:m").status == 0


def test_agent_and_judge_of_a_file__both_unknown__both_told(tmp_path):
    said = refused("--file", file(tmp_path, agent="shp", judge="goen", dataset=GRADED))
    assert 'there is no agent "shp"' in said
    assert 'there is no agent "goen". Did you mean "gone"?' in said


def test_agent_unknown__and_no_judge__both_told(tmp_path):
    said = refused("--file", file(tmp_path, agent="shp", dataset=GRADED))
    assert 'there is no agent "shp"' in said
    assert 'item 0, _assertions[0].type: "helpfulness" needs a judge' in said


def test_folder__with_a_judge_that_there_is_not__asks_nothing_of_its_other_suites(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"agent": "shop", "dataset": PLAIN}))
    (tmp_path / "b.json").write_text(json.dumps({"agent": "shop", "judge": "gone", "dataset": GRADED}))
    (tmp_path / "c.json").write_text(json.dumps({"agent": "gone", "dataset": PLAIN}))
    said = refused("--dir", tmp_path)
    assert [line.split(":")[0] for line in said.splitlines()] == ["suite b", "suite c"]
    assert said.count(STORED_TOLD) == 2


def test_judge_that_there_is_not__is_told_where_no_item_needs_one(tmp_path):
    suite = file(tmp_path, agent="shop", test_cases=[CASE])
    assert 'there is no agent "strictt"' in refused("--file", suite, "--judge", "strictt")
