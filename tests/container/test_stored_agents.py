"""Agents that are rows: by slug, built from names alone, refused with the field that is wrong."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError
from django.test import override_settings

from neuron_evals.container import build_agent, get_agent, get_judge, get_provider
from neuron_evals.core.agents import Agent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.models import AgentDefinition

APP = "tests.testapp.agents"
SETTINGS: dict[str, Any] = {
    "PROVIDERS": {
        "canned": {"BACKEND": f"{APP}.CannedProvider", "OPTIONS": {"answers": ["hello", "again"]}},
        "a": {"BACKEND": "openai", "OPTIONS": {"base_url": "http://127.0.0.1:1/v1", "api_key": "secret-key"}},
        "b": {"BACKEND": "openai", "OPTIONS": {"base_url": "http://127.0.0.1:2/v1", "api_key": "secret-key"}},
        "silent": {
            "BACKEND": "openai",
            "OPTIONS": {"base_url": "http://127.0.0.1:1/v1", "extra_body": {"tool_choice": "none"}},
        },
    },
    "AGENTS": {"echo": f"{APP}.echo", "support": f"{APP}.SupportAgent"},
    "TOOLS": {"find_order": f"{APP}.lookup", "look": f"{APP}.LOOKUP"},
}

HOSTILE = [
    "os.system",
    "builtins.eval",
    "../x",
    "a.b:c",
    "os\u2024system",
    "antigravity\uff0eopen",
    "/etc/passwd",
    "file:///etc/passwd",
    "http://127.0.0.1/",
    "__import__('antigravity')",
    "{{ settings.SECRET_KEY }}",
    "tests.testapp.agents.echo",
]


@pytest.fixture(autouse=True)
def _settings():
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


def definition(**columns: Any) -> AgentDefinition:
    return AgentDefinition(**{"name": "Shop", "slug": "shop", "provider": "canned", "model": "m1", **columns})


def test_definition__becomes_an_agent_with_all_it_says():
    row = definition(
        instructions="Help.", temperature=0.0, top_p=0.5, max_tokens=16, seed=7, timeout=3.0, tools=["find_order"],
        max_steps=2, approval_tools=["find_order"],
    )  # fmt: skip
    row.full_clean(validate_unique=False, validate_constraints=False)
    agent = build_agent(row)
    assert isinstance(agent, Agent)
    assert agent.chat("hi").text == "hello"
    [request] = get_provider("canned").requests  # type: ignore[attr-defined]
    assert (request.instructions, request.model) == ("Help.", "m1")
    settings = request.settings
    assert (settings.temperature, settings.top_p, settings.max_tokens, settings.seed, settings.timeout) == (
        0.0, 0.5, 16, 7, 3.0,
    )  # fmt: skip
    assert [tool.name for tool in request.tools] == ["find_order"]
    assert [tool.approval for tool in agent._setup.tools] == [True]
    assert agent._setup.max_steps == 2


def test_unset_options__are_not_sent_and_limits_are_the_engines():
    agent = build_agent(definition(tools=["look", "find_order"]))
    assert agent.chat("hi").text == "hello"
    [request] = get_provider("canned").requests  # type: ignore[attr-defined]
    assert (request.settings.temperature, request.settings.max_tokens, request.settings.timeout) == (None, None, None)
    assert [tool.approval for tool in agent._setup.tools] == [True, False]  # type: ignore[attr-defined]
    assert agent._setup.max_steps == 10  # type: ignore[attr-defined]


def test_definition_of_an_agent_in_code__is_that_agent():
    assert build_agent(definition(provider="", model="", code="echo")).chat("hi").text == "hi"


def test_what_a_run_kept_of_a_definition__gives_an_equal_agent():
    row = definition(provider="a", temperature=0.5, tools=["find_order"], max_steps=3)
    assert build_agent(row.definition).fingerprint == build_agent(row).fingerprint == row.fingerprint


@pytest.mark.parametrize(
    "written", ["{{ date }}", "{{ settings.SECRET_KEY }}", "{x.__class__}", "%(x)s", "{% load i18n %}", "${7*7}"]
)
def test_instructions__are_sent_letter_by_letter(written: str) -> None:
    build_agent(definition(instructions=written)).chat("hi")
    [request] = get_provider("canned").requests  # type: ignore[attr-defined]
    assert request.instructions == written


@pytest.mark.parametrize(
    ("columns", "field", "said"),
    [
        ({"provider": "cannd"}, "provider", 'Did you mean "canned"?'),
        ({"provider": ""}, "provider", "Name a provider"),
        ({"tools": ["find_ordr"]}, "tools", 'Did you mean "find_order"?'),
        ({"tools": "find_order"}, "tools", "list"),
        ({"approval_tools": ["look"]}, "approval_tools", "none of the tools"),
        ({"temperature": -1.0}, "temperature", "greater than or equal to 0"),
        ({"top_p": 1.5}, "top_p", "less than or equal to 1"),
        ({"max_tokens": 0}, "max_tokens", "greater than or equal to 1"),
        ({"max_steps": 0}, "max_steps", "greater than or equal to 1"),
        ({"timeout": 0.0}, "timeout", "above 0"),
        ({"seed": 2**70}, "seed", "less than or equal to"),
        ({"provider": "a", "model": ""}, "model", "Name a model"),
        ({"code": "nobody", "provider": "", "model": ""}, "code", 'no "nobody"'),
        ({"code": "echo"}, "provider", "Leave this empty"),
    ],
)
def test_definition_that_no_agent_can_be_built_from__refused_by_field_on_saving_and_on_building(
    columns: dict[str, Any], field: str, said: str
) -> None:
    row = definition(**columns)
    with pytest.raises(ValidationError) as refused:
        row.full_clean(validate_unique=False, validate_constraints=False)
    assert said in " ".join(refused.value.message_dict[field])
    with pytest.raises(ConfigurationError) as caught:
        build_agent(row)
    assert str(caught.value).startswith('agent "shop": ')
    assert f"{field}: " in str(caught.value)
    assert said in str(caught.value)


def test_definition_with_unknown_fields__refused():
    with pytest.raises(ConfigurationError, match="no definition of an agent"):
        build_agent({"provider": "canned", "modle": "m1"})


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("field", ["code", "provider", "tools", "approval_tools"])
def test_hostile_name_in_a_row__validation_error_and_nothing_imported(field: str, hostile: str) -> None:
    row = definition(**{field: [hostile] if field.endswith("tools") else hostile})
    before = set(sys.modules)
    with pytest.raises(ValidationError) as refused:
        row.full_clean(validate_unique=False, validate_constraints=False)
    with pytest.raises(ConfigurationError):
        build_agent(row)
    assert field in refused.value.message_dict
    assert set(sys.modules) == before


@pytest.mark.django_db
@pytest.mark.parametrize("hostile", [*HOSTILE, "", "\x00", "\ud800", "a" * 10_000])
@pytest.mark.parametrize("get", [get_agent, get_judge])
def test_hostile_name_asked_for__no_such_agent_and_nothing_imported(get: Any, hostile: str) -> None:
    with pytest.raises(ConfigurationError, match="there is no"):
        get("warm-up")
    before = set(sys.modules)
    with pytest.raises(ConfigurationError, match="there is no"):
        get(hostile)
    assert set(sys.modules) == before


FINGERPRINTED: list[dict[str, Any]] = [
    {},
    {"temperature": 0.0},
    {"temperature": 1.0},
    {"temperature": 1.0, "seed": 7},
    {"max_tokens": 16},
    {"max_tokens": 4000},
    {"top_p": 0.5},
    {"timeout": 5.0},
    {"instructions": "Help."},
    {"model": "m2"},
    {"provider": "b"},
    {"provider": "silent"},
    {"tools": ["find_order"]},
    {"tools": ["look"]},
    {"tools": ["find_order"], "approval_tools": ["find_order"]},
    {"max_steps": 3},
]


def test_fingerprint__differs_by_all_that_shapes_the_answers_and_by_nothing_else():
    prints = [definition(**{"provider": "a", **columns}).fingerprint for columns in FINGERPRINTED]
    assert len(set(prints)) == len(FINGERPRINTED)
    assert "" not in prints
    same = definition(provider="a", name="Other", slug="other", description="x", category="judge", metadata={"a": 1})
    assert same.fingerprint == prints[0]


def test_fingerprint__of_a_changed_key_is_the_same_and_of_a_changed_address_another():
    row = definition(provider="a")
    before = row.fingerprint
    options = SETTINGS["PROVIDERS"]["a"]["OPTIONS"]
    for changed, same in ({"api_key": "another"}, True), ({"base_url": "http://127.0.0.1:3/v1"}, False):
        entry = {"BACKEND": "openai", "OPTIONS": {**options, **changed}}
        with override_settings(NEURON_EVALS={**SETTINGS, "PROVIDERS": {"a": entry}}):
            assert (row.fingerprint == before) is same


def test_fingerprint__of_a_definition_that_names_what_is_not_there_is_unknown():
    assert definition(provider="gone").fingerprint == ""
    assert definition(tools=["gone"]).fingerprint == ""
    assert definition(provider="", model="", code="gone").fingerprint == ""
    assert definition(provider="", model="", code="echo").fingerprint


@pytest.mark.django_db
class TestByName:
    def test_slug_of_an_active_definition__gives_its_agent(self) -> None:
        definition().save()
        assert get_agent("shop").chat("hi").text == "hello"
        assert get_judge("shop").name == "shop"

    def test_name_in_code__goes_before_a_slug(self) -> None:
        definition(slug="echo").save()
        assert get_agent("echo").chat("hi").text == "hi"

    def test_inactive_definition__refused(self) -> None:
        definition(is_active=False).save()
        with pytest.raises(ConfigurationError, match='the agent "shop" is inactive'):
            get_agent("shop")

    def test_unknown_name__error_with_the_nearest_and_both_kinds_of_names(self) -> None:
        definition().save()
        with pytest.raises(ConfigurationError) as caught:
            get_agent("shopp")
        assert str(caught.value) == (
            'there is no agent "shopp". Did you mean "shop"? In NEURON_EVALS["AGENTS"]: echo, support. Stored: shop.'
        )

    def test_judge_that_comes_with_the_package_and_is_not_installed__error_says_how(self) -> None:
        with pytest.raises(ConfigurationError, match=r"install it with `manage.py eval_import --judge-templates`"):
            get_judge("eval-judge-correctness")

    def test_many_stored_names__the_error_lists_some(self) -> None:
        AgentDefinition.objects.bulk_create(definition(slug=f"s{number:03}") for number in range(40))
        with pytest.raises(ConfigurationError, match="s029, and 10 more"):
            get_agent("nobody")

    def test_table_that_is_not_there__names_in_code_are_listed_and_the_transaction_goes_on(self, monkeypatch) -> None:
        assert [field.cached_col for field in AgentDefinition._meta.fields]  # as they would keep the name
        monkeypatch.setattr(AgentDefinition._meta, "db_table", "not_migrated")
        with pytest.raises(ConfigurationError) as caught:
            get_agent("nobody")
        assert 'In NEURON_EVALS["AGENTS"]: echo, support. Stored: cannot be read (' in str(caught.value)
        monkeypatch.undo()
        assert AgentDefinition.objects.count() == 0
        assert get_agent("echo").chat("hi").text == "hi"


def test_project_without_a_database__names_in_code_are_listed(monkeypatch):
    def refuse(*_: Any, **__: Any) -> Any:
        msg = "no database"
        raise DatabaseError(msg)

    monkeypatch.setattr("neuron_evals.container.agents.transaction.atomic", refuse)
    with pytest.raises(ConfigurationError, match=r"Stored: cannot be read \(DatabaseError: no database\)"):
        get_agent("nobody")
