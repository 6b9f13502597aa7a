"""System checks: every number, and that checking never raises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import Error, run_checks
from django.test import override_settings

from neuron_evals import checks
from neuron_evals.core.assertions import registry

APP = "tests.testapp"
DOCS = Path(__file__).parent.parent / "docs" / "reference" / "system-checks.md"


def check(**settings: Any) -> list[tuple[str, str, str]]:
    with override_settings(NEURON_EVALS=settings):
        found = run_checks(tags=["neuron_evals"])
    assert all(isinstance(message, Error) for message in found)
    return [(str(message.id), str(message.msg), str(message.hint)) for message in found]


def test_settings_in_order__no_message():
    assert check() == []
    assert (
        check(
            PROVIDERS={"local": {"BACKEND": "ollama"}, "own": {"BACKEND": f"{APP}.agents.CannedProvider"}},
            AGENTS={"support": f"{APP}.agents.SupportAgent", "echo": f"{APP}.agents.echo"},
            TOOLS={"lookup": f"{APP}.agents.lookup"},
            PRICES={"qwen3": {"input": 1, "output": 2}},
            ASSERTIONS={"sentiment": f"{APP}.hooks.Sentiment"},
            BINDINGS={f"{APP}.mail.Mailer": f"{APP}.mail.FakeMailer"},
            CONTAINER=f"{APP}.mail.own_container",
            RUNNER={"CONCURRENCY": 2, "BEFORE_CHILD": f"{APP}.hooks.before", "AFTER_CHILD": print},
            OUTPUTS=["console", {"BACKEND": "json", "OPTIONS": {"path": "x.json"}}, f"{APP}.drivers.Quiet"],
            CACHE={"BACKEND": f"{APP}.caches.Shared", "OPTIONS": {"host": "redis"}},
            LAUNCHER={"BACKEND": "process", "OPTIONS": {"log": "runs.log"}},
        )
        == []
    )


BUILT_IN = next(iter(registry.assertion_types()))

CASES = [
    ("E001", {"OUTPUT": []}, "there is no setting 'OUTPUT'", 'Did you mean "OUTPUTS"?'),
    ("E002", {"RUNNER": {"CONCURRENCY": 0}}, '["RUNNER"]["CONCURRENCY"]: got 0', "1 or more"),
    ("E003", {"CONTAINER": f"{APP}.mail.own_contaner"}, '["CONTAINER"]', f'"{APP}.mail.own_container"?'),
    ("E003", {"BINDINGS": {"nowhere.A": "nowhere.B"}}, 'no module "nowhere"', "Name something"),
    ("E003", {"OUTPUTS": [f"{APP}.raises.Slack"]}, '["OUTPUTS"][0]', "Name something"),
    ("E003", {"ASSERTIONS": {"x": f"{APP}.exits.X"}}, "SystemExit", "Name something"),
    ("E003", {"RUNNER": {"BEFORE_CHILD": f"{APP}.lacks.hook"}}, '["RUNNER"]["BEFORE_CHILD"]', "Name something"),
    ("E004", {"CONTAINER": f"{APP}.hooks.NOT_CALLABLE"}, "cannot be called", "takes a class"),
    ("E004", {"RUNNER": {"AFTER_CHILD": f"{APP}.hooks.NOT_CALLABLE"}}, "cannot be called", "without parameters"),
    ("E004", {"BINDINGS": {f"{APP}.hooks.before": f"{APP}.mail.Agent"}}, "names no class", "annotated"),
    ("E004", {"BINDINGS": {f"{APP}.mail.Agent": f"{APP}.hooks.NOT_CALLABLE"}}, "cannot be called", "class to build"),
    ("E005", {"ASSERTIONS": {"x": f"{APP}.mail.Agent"}}, "is no assertion class", "neuron_evals.Assertion"),
    ("E005", {"OUTPUTS": [f"{APP}.mail.Agent"]}, "is no output driver", "OutputDriver"),
    ("E003", {"AGENTS": {"x": f"{APP}.agents.SuportAgent"}}, '["AGENTS"]["x"]', f'"{APP}.agents.SupportAgent"?'),
    ("E003", {"TOOLS": {"x": "nowhere.tool"}}, 'no module "nowhere"', "Name something"),
    ("E003", {"PROVIDERS": {"x": {"BACKEND": "nowhere.P"}}}, '["PROVIDERS"]["x"]', "Name something"),
    ("E005", {"AGENTS": {"x": f"{APP}.mail.Agent"}}, "is no agent: the class has no chat and no fresh", "Name an"),
    ("E005", {"AGENTS": {"x": f"{APP}.agents.Unfinished"}}, "is no agent: the class is abstract", "Name an agent"),
    ("E005", {"AGENTS": {"x": f"{APP}.hooks.NOT_CALLABLE"}}, "is no agent: an agent is", "from text to text"),
    ("E005", {"TOOLS": {"x": f"{APP}.agents.untyped"}}, "is no tool: tests.testapp.agents.untyped: untyped: p", "Tool"),
    ("E005", {"TOOLS": {"a b": f"{APP}.agents.lookup"}}, "is no tool: Tool: name must be", "Name a Tool"),
    ("E005", {"PROVIDERS": {"x": {"BACKEND": f"{APP}.agents.SupportAgent"}}}, "is no provider", "BaseProvider"),
    ("E001", {"SUITE_DEFAULTS": {"RETRY": 1}}, "there is no setting 'RETRY'", "RETRIES"),
    (
        "E006",
        {"PROVIDERS": {"local": {"BACKEND": "openai"}}, "SUITE_DEFAULTS": {"MODEL": "loacl:qwen3"}},
        '["SUITE_DEFAULTS"]["MODEL"]: there is no provider "loacl"',
        'Did you mean "local"? The names are local.',
    ),
    ("E006", {"SUITE_DEFAULTS": {"MODEL": "local:"}}, '"local:" names no model', "Use local:NAME"),
    ("E006", {"PROVIDERS": {"x": {"BACKEND": "opnai"}}}, 'no provider "opnai"', 'Did you mean "openai"?'),
    (
        "E007",
        {"PROVIDERS": {"x": {"BACKEND": "openai", "OPTIONS": {"key_env": "K"}}}},
        'no option "key_env"',
        '"api_key_env"',
    ),
    (
        "E002",
        {"PROVIDERS": {"x": {"BACKEND": "openai", "OPTIONS": {"timeout": 0}}}},
        '["PROVIDERS"]["x"]["OPTIONS"]: OpenAIProvider: timeout is above 0 seconds, got 0',
        "options of OpenAIProvider",
    ),
    (
        "E002",
        {"PROVIDERS": {"x": {"BACKEND": "ollama", "OPTIONS": {"base_url": "localhost:11434"}}}},
        '["PROVIDERS"]["x"]["OPTIONS"]: OllamaProvider: base_url is an address',
        "options of OllamaProvider",
    ),
    ("E006", {"OUTPUTS": ["jsn"]}, 'no output driver "jsn"', 'Did you mean "json"?'),
    ("E007", {"OUTPUTS": [{"BACKEND": "json", "OPTIONS": {"file": "x"}}]}, 'no option "file"', "path"),
    ("E003", {"CACHE": {"BACKEND": "nowhere.Cache"}}, 'no module "nowhere"', "Name something"),
    ("E005", {"CACHE": {"BACKEND": f"{APP}.mail.Agent"}}, "is no cache", "neuron_evals.core.caches.contract.Cache"),
    ("E006", {"CACHE": {"BACKEND": "fil"}}, 'no cache "fil"', 'Did you mean "file"?'),
    ("E003", {"LAUNCHER": "rq"}, '"rq" is not installed', 'use "process"'),
    ("E005", {"LAUNCHER": f"{APP}.mail.Agent"}, "is no launcher", "neuron_evals.launchers.Launcher"),
    ("E006", {"LAUNCHER": "proces"}, 'no launcher "proces"', 'Did you mean "process"?'),
    ("E007", {"LAUNCHER": {"OPTIONS": {"lg": "x"}}}, 'no option "lg"', 'Did you mean "log"?'),
    ("E007", {"CACHE": {"OPTIONS": {"pth": "x"}}}, 'no option "pth"', 'Did you mean "path"?'),
    ("E008", {"ASSERTIONS": {"Sentiment": f"{APP}.hooks.Sentiment"}}, '"Sentiment" is no name', "snake case"),
    ("E009", {"ASSERTIONS": {BUILT_IN: f"{APP}.hooks.Sentiment"}}, f'"{BUILT_IN}" would mean', "another name"),
]


@pytest.mark.parametrize(("number", "settings", "message", "hint"), CASES)
def test_setting__wrong__numbered_error_with_a_hint(
    number: str, settings: dict[str, Any], message: str, hint: str
) -> None:
    [(found, text, advice)] = check(**settings)
    assert found == f"neuron_evals.{number}"
    assert text.startswith("NEURON_EVALS")
    assert message in text
    assert hint in advice


def test_provider__key_where_the_name_of_its_variable_belongs__told_without_showing_it():
    [(number, text, hint)] = check(PROVIDERS={"x": {"BACKEND": "openai", "OPTIONS": {"api_key_env": "sk-canary-0123"}}})
    assert number == "neuron_evals.E002"
    assert "api_key_env is the name of an environment variable" in text
    assert "canary" not in text + hint


def test_provider__that_may_connect_when_it_is_built__not_built():
    canned = {"BACKEND": f"{APP}.agents.CannedProvider", "OPTIONS": {"answers": ["s"]}}
    assert check(PROVIDERS={"x": canned}) == []


def test_several_wrong__shape_and_names__all_told_at_once():
    found = check(
        OUTPUTS=[3, "jsn"], RUNNER={"CONCURRENCY": 0, "BEFORE_CHILD": f"{APP}.hooks.befor"}, CONTAINER="nowhere.make"
    )
    assert [(number[-4:], text.partition(":")[0]) for number, text, _ in found] == [
        ("E002", 'NEURON_EVALS["OUTPUTS"][0]'),
        ("E002", 'NEURON_EVALS["RUNNER"]["CONCURRENCY"]'),
        ("E003", 'NEURON_EVALS["CONTAINER"]'),
        ("E003", 'NEURON_EVALS["RUNNER"]["BEFORE_CHILD"]'),
        ("E006", 'NEURON_EVALS["OUTPUTS"][1]'),
    ]


@pytest.mark.parametrize("raw", [None, 3, "console", [], {1: 2}, {None: None}, {"OUTPUTS": {"a": 1}}])
def test_nonsense__told_not_raised(raw: object) -> None:
    with override_settings(NEURON_EVALS=raw):
        assert checks.check_settings()


def test_numbers__documented_and_none_without_a_case():
    documented = set(re.findall(r"neuron_evals\.(E\d{3})", DOCS.read_text(encoding="utf-8")))
    assert documented == {number for number, *_ in CASES}
