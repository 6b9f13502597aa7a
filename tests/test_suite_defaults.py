"""The setting `SUITE_DEFAULTS`: behind run, case and suite, whichever way a suite is run."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from django.core.management import CommandError, call_command
from django.test.utils import override_settings

from neuron_evals import assert_case, assert_suite, run_case, run_suite
from neuron_evals.core.agents import BaseAgent, as_agent
from neuron_evals.core.cancellation import current_deadline
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites import SuiteDefaults
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.pytest_plugin.fixture import Evals
from neuron_evals.runs import create_run, execute_run
from neuron_evals.suites import suite_evaluator
from neuron_evals.testing import EvaluationAssertions

DEFAULTS: dict[str, Any] = {
    "MODEL": "m-settings",
    "INSTRUCTIONS": "i-settings",
    "MODEL_SETTINGS": {"temperature": 0.4},
    "TIMEOUT": 4000,
    "RETRIES": 1,
}
TOLD = {"model": "m-settings", "instructions": "i-settings", "temperature": 0.4, "timeout": 4000, "tries": 2}
ITEM: dict[str, Any] = {"id": "a", "input": "q", "reference": "ok"}
SUITE: dict[str, Any] = {"name": "Told", "agent": "told", "dataset": [ITEM]}


class Told(BaseAgent):
    """Notes what it was changed to and how long it has, and is never there."""

    SUPPORTED = frozenset({"model", "instructions", "temperature", "seed"})
    told: ClassVar[list[dict[str, Any]]] = []

    name = "told"

    def __init__(self, **changes: Any) -> None:
        self.changes = {"model": "m-own", "instructions": "i-own", "temperature": 0.5, **changes}
        self.inner = as_agent(lambda text: "ok")

    @property
    def history(self) -> Any:
        return self.inner.history

    def fresh(self, **overrides: Any) -> Any:
        self.refuse_unsupported(overrides)
        return type(self)(**{**self.changes, **overrides})

    def chat(self, message: Any) -> Any:
        deadline = current_deadline()
        self.told.append({**self.changes, "left": None if deadline is None else deadline.remaining})
        raise ConnectionError("not there")


def told() -> dict[str, Any]:
    """Return what the agent was told, the same each time, and how often it was asked."""
    first = Told.told[0]
    assert [{**each, "left": 0} for each in Told.told] == [{**first, "left": 0}] * len(Told.told)
    left = first.pop("left")
    # Limits are hundreds of seconds apart, and nobody takes as long to get here.
    return {**first, "timeout": None if left is None else -(-int(left) // 500) * 500, "tries": len(Told.told)}


def settings(**defaults: Any) -> Any:
    agents = {"told": "tests.test_suite_defaults.Told", "plain": "tests.testapp.agents.echo"}
    return override_settings(NEURON_EVALS={"AGENTS": agents, "LAUNCHER": "inline", "SUITE_DEFAULTS": defaults})


@pytest.fixture(autouse=True)
def _forgotten():
    Told.told.clear()


def by_command(option: str) -> Any:
    def run(tmp_path: Any, request: Any) -> None:
        file = tmp_path / "told.json"
        file.write_text(json.dumps(SUITE))
        with pytest.raises((CommandError, SystemExit)):
            call_command("eval", option, str(file if option == "--file" else tmp_path), verbosity=0)

    return run


def stored() -> EvalSuite:
    agent = AgentDefinition.objects.create(name="Told", code="told")
    return EvalSuite.objects.create(name="Told", agent=agent, dataset=[ITEM])


def as_test(run: Any) -> Any:
    def fails(tmp_path: Any, request: Any) -> None:
        with pytest.raises(AssertionError):
            run(tmp_path, request)

    return fails


def by_plugin(tmp_path: Any, request: Any) -> None:
    Evals(request).suite(SUITE)


WAYS = {
    "run_suite": lambda tmp_path, request: run_suite(SUITE),
    "run_case": lambda tmp_path, request: run_case(ITEM, agent="told"),
    "eval --file": by_command("--file"),
    "eval --dir": by_command("--dir"),
    "a stored suite": lambda tmp_path, request: execute_run(create_run(stored()).pk),
    "assert_suite": as_test(lambda tmp_path, request: assert_suite(SUITE)),
    "assert_case": as_test(lambda tmp_path, request: assert_case(ITEM, agent="told")),
    "assertSuitePasses": as_test(lambda tmp_path, request: EvaluationAssertions().assertSuitePasses(SUITE)),
    "assertSuitePasses, stored": as_test(lambda tmp_path, request: EvaluationAssertions().assertSuitePasses(stored())),
    "assertCasePasses": as_test(lambda tmp_path, request: EvaluationAssertions().assertCasePasses(ITEM, agent="told")),
    "the fixture evals": as_test(by_plugin),
}


@pytest.mark.parametrize("way", WAYS)
def test_defaults__go_for_every_way_to_run_a_suite(db, way, tmp_path, request):
    with settings(**DEFAULTS):
        WAYS[way](tmp_path, request)
    assert told() == TOLD


@pytest.mark.parametrize("way", WAYS)
def test_without_defaults__the_agents_own_and_no_limit(db, way, tmp_path, request):
    with settings():
        WAYS[way](tmp_path, request)
    own = {"model": "m-own", "instructions": "i-own", "temperature": 0.5, "timeout": None, "tries": 1}
    assert told() == own


# What run, case, suite and settings say of each; a level that cannot say it is not there.
SAID: dict[str, dict[str, Any]] = {
    "model": {"run": "m-run", "case": "m-case", "suite": "m-suite", "settings": "m-settings", "own": "m-own"},
    "instructions": {"run": "i-run", "case": "i-case", "suite": "i-suite", "settings": "i-settings", "own": "i-own"},
    "temperature": {"run": 0.1, "case": 0.2, "settings": 0.4, "own": 0.5},
    "timeout": {"run": 1000, "case": 2000, "suite": 3000, "settings": 4000, "own": 500},
    "tries": {"run": 4, "suite": 3, "settings": 2, "own": 1},
}
LEVELS = ("run", "case", "suite", "settings", "own")


@pytest.mark.parametrize(("what", "first"), [(what, level) for what, said in SAID.items() for level in said])
def test_precedence__run_before_case_before_suite_before_settings(what, first):
    asked = {level: SAID[what].get(level) for level in LEVELS[LEVELS.index(first) : -1]}
    run, case, suite, project = (asked.get(level) for level in LEVELS[:-1])
    data: dict[str, Any] = {"test_cases": [{"id": "a", "input": "q", "expected": "ok"}]}
    options: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    if what in ("model", "instructions"):
        data["test_cases"][0]["agent_config"] = {what: case}
        data[f"default_{what}"], options[what], defaults[what.upper()] = suite, run, project
    elif what == "temperature":
        data["test_cases"][0]["agent_config"] = {"model_settings": {what: case}}
        options["model_settings"] = None if run is None else {what: run}
        defaults["MODEL_SETTINGS"] = {what: project, "seed": 1}
    elif what == "timeout":
        data["test_cases"][0][what] = None if case is None else case * 1000
        data["default_timeout"] = None if suite is None else suite * 1000
        options[what], defaults["TIMEOUT"] = run, project
    else:
        tries = {level: None if value is None else value - 1 for level, value in asked.items()}
        data["retry_failed"], options["retries"] = tries.get("suite"), tries.get("run")
        defaults["RETRIES"] = tries.get("settings")
    with settings(**defaults):
        run_suite(data, agent="told", **options)
    assert told()[what] == SAID[what][first]


def test_model__is_the_agent_of_a_suite_that_has_none():
    with settings(MODEL="nowhere:m"), pytest.raises(ConfigurationError, match='no provider "nowhere"'):
        run_suite([ITEM])


def test_agent_that_can_change_nothing__keeps_its_own():
    with settings(**DEFAULTS):
        assert run_suite([{**ITEM, "reference": "q"}], agent="plain").passed_count == 1
        with pytest.raises(ConfigurationError, match='"model" cannot be changed'):
            run_suite({"model": "m", "dataset": [ITEM]}, agent="plain")


def test_agent_of_a_row__keeps_its_model_and_how_it_is_asked(db):
    provider = {"BACKEND": "openai", "OPTIONS": {"base_url": "http://127.0.0.1:9/v1"}}
    row = AgentDefinition.objects.create(name="Row", provider="p", model="m-row", instructions="i-row")
    suite = EvalSuite.objects.create(name="Of a row", agent=row, dataset=[ITEM])
    asked = []
    for defaults in ({}, DEFAULTS):
        with override_settings(NEURON_EVALS={"PROVIDERS": {"p": provider}, "SUITE_DEFAULTS": defaults}):
            asked.append(suite_evaluator(suite))
    assert asked[0].agent.fingerprint == asked[1].agent.fingerprint
    assert [(each.timeout, each.retries) for each in asked] == [(None, 0), (4000, 1)]


def test_defaults_of_a_call__go_in_the_place_of_the_settings():
    with settings(**DEFAULTS):
        run_suite(SUITE, defaults=SuiteDefaults(retries=0))
    assert told() == {"model": "m-own", "instructions": "i-own", "temperature": 0.5, "timeout": None, "tries": 1}


def test_stored_run__keeps_what_the_settings_said_when_it_was_made(db):
    suite = stored()
    with settings(**DEFAULTS):
        run = create_run(suite)
    with settings(MODEL="m-later", RETRIES=0):
        execute_run(run.pk)
    assert told() == TOLD
    assert run.metadata["suite"]["project_defaults"] == {
        "model": "m-settings",
        "instructions": "i-settings",
        "model_settings": {"temperature": 0.4},
        "timeout": 4000,
        "retries": 1,
    }


def test_stored_run_of_before__has_none(db):
    with settings():
        run = create_run(stored())
    del run.metadata["suite"]["project_defaults"]
    run.save(update_fields=["metadata"])
    with settings(**DEFAULTS):
        execute_run(run.pk)
    found = told()
    assert (found["model"], found["tries"]) == ("m-own", 1)
