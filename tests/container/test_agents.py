"""Agents and tools by name."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import override_settings

from neuron_evals import container
from neuron_evals.conf import SettingsError
from neuron_evals.container import get_agent, get_tool
from neuron_evals.core.exceptions import ConfigurationError
from tests.testapp import agents
from tests.testapp.mail import FakeMailer

APP = "tests.testapp.agents"
CANNED = {"canned": {"BACKEND": f"{APP}.CannedProvider", "OPTIONS": {"answers": ["hello", "again"]}}}


def settings(**given: Any) -> Any:
    return override_settings(NEURON_EVALS={"PROVIDERS": CANNED, **given})


def test_class__is_built_by_the_container_each_time_anew():
    with settings(AGENTS={"support": f"{APP}.SupportAgent"}):
        first, second = get_agent("support"), get_agent("support")
    assert isinstance(first, agents.SupportAgent)
    assert isinstance(first.mailer, FakeMailer)
    assert first is not second
    assert first.chat("hi").text == "hello"
    assert second.history == ()


@pytest.mark.parametrize(("name", "answer"), [("echo", "hi"), ("make_agent", "made"), ("SHARED", "shared")])
def test_function_factory_or_object__gives_an_agent_with_an_empty_conversation(name: str, answer: str) -> None:
    with settings(AGENTS={"mine": f"{APP}.{name}"}):
        agent = get_agent("mine")
        assert agent.chat("hi").text == answer
        assert get_agent("mine").history == ()
    assert agents.SHARED.history == ()


@pytest.mark.parametrize(
    ("path", "error", "why"),
    [
        ("Broken", ConfigurationError, 'there is no provider "nowhere"'),
        ("make_nothing", ConfigurationError, r'"mine"\]: tests\.testapp\.agents\.make_nothing\(\): an agent is'),
        ("LOOKUP", SettingsError, "is no agent"),
        ("Unfinished", SettingsError, "the class is abstract"),
    ],
)
def test_agent__cannot_be_made__error_says_why(path: str, error: type[Exception], why: str) -> None:
    with settings(AGENTS={"mine": f"{APP}.{path}"}), pytest.raises(error, match=why):
        get_agent("mine")


def test_tool__unknown__error_with_the_nearest():
    with settings(TOOLS={"support": f"{APP}.lookup"}), pytest.raises(ConfigurationError) as caught:
        get_tool("suport")
    assert str(caught.value) == (
        'there is no tool "suport" in NEURON_EVALS["TOOLS"]. Did you mean "support"? The names are support.'
    )


@pytest.mark.parametrize(("path", "approval"), [("lookup", False), ("LOOKUP", True)])
def test_tool__is_called_by_the_name_in_the_settings(path: str, approval: bool) -> None:
    with settings(TOOLS={"find_order": f"{APP}.{path}"}):
        tool = get_tool("find_order")
    assert (tool.name, tool.description, tool.approval) == ("find_order", "Find an order.", approval)
    assert tool.arguments({"number": 3}) == {"number": 3}


@pytest.mark.parametrize("path", ["untyped", "SHARED", "SupportAgent"])
def test_tool__cannot_be_made__error_names_the_entry(path: str) -> None:
    with settings(TOOLS={"mine": f"{APP}.{path}"}), pytest.raises(SettingsError) as caught:
        get_tool("mine")
    assert str(caught.value).startswith(f'NEURON_EVALS["TOOLS"]["mine"]: "{APP}.{path}" is no tool: ')


def test_container__offers_every_name_and_no_other():
    assert all(callable(getattr(container, name)) for name in container.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'get_nothing'"):
        container.get_nothing  # type: ignore[attr-defined]  # noqa: B018  (reading it is the test)
