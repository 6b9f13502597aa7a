"""Providers by alias."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import get_provider
from neuron_evals.core.agents import Agent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.providers import BaseProvider, OpenAIProvider, default_prices
from tests.testapp.agents import CannedProvider

CANNED = {"BACKEND": "tests.testapp.agents.CannedProvider", "OPTIONS": {"answers": ["hello"]}}


def settings(**given: Any) -> Any:
    return override_settings(NEURON_EVALS=given)


@pytest.mark.parametrize("backend", ["openai", "anthropic", "ollama"])
def test_own_backend__is_built_with_its_options(backend: str) -> None:
    entry = {"BACKEND": backend, "OPTIONS": {"model": "m", "base_url": "http://127.0.0.1:9/v1"}}
    with settings(PROVIDERS={"local": entry}):
        provider = get_provider("local")
    assert type(provider).__name__.lower() == f"{backend}provider"
    assert provider.model == "m"


def test_alias__gives_one_object_to_all_threads():
    found: list[BaseProvider] = []
    with settings(PROVIDERS={"canned": CANNED}):
        threads = [threading.Thread(target=lambda: found.append(get_provider("canned"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 8
    assert len({id(provider) for provider in found}) == 1


def test_settings__overridden__provider_is_built_anew():
    with settings(PROVIDERS={"canned": CANNED}):
        first = get_provider("canned")
    with settings(PROVIDERS={"canned": {**CANNED, "OPTIONS": {"model": "other"}}}):
        second = get_provider("canned")
    assert isinstance(first, CannedProvider)
    assert (first.model, second.model) == ("fake", "other")


@pytest.mark.parametrize(
    ("providers", "message"),
    [
        ({}, 'there is no provider "cannd" in NEURON_EVALS["PROVIDERS"]. There are none.'),
        (
            {"canned": CANNED},
            'there is no provider "cannd" in NEURON_EVALS["PROVIDERS"]. Did you mean "canned"? The names are canned.',
        ),
    ],
)
def test_alias__unknown__error_with_the_names_there_are(providers: Any, message: str) -> None:
    with settings(PROVIDERS=providers), pytest.raises(ConfigurationError) as caught:
        get_provider("cannd")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("entry", "error", "why"),
    [
        ({"BACKEND": "openai", "OPTIONS": {"base_url": "ftp://x"}}, ConfigurationError, "base_url"),
        ({**CANNED, "OPTIONS": {"answers": ["s"]}}, ConfigurationError, "ValueError: answers must be a list"),
        ({"BACKEND": "openai", "OPTIONS": {"url": "x"}}, SettingsError, 'has no option "url"'),
        ({"BACKEND": "tests.testapp.mail.Agent"}, SettingsError, "is no provider"),
    ],
)
def test_provider__cannot_be_built__error_names_the_entry(entry: Any, error: type[Exception], why: str) -> None:
    with settings(PROVIDERS={"local": entry}), pytest.raises(error, match=why) as caught:
        get_provider("local")
    assert str(caught.value).startswith('NEURON_EVALS["PROVIDERS"]["local"]: ')


def test_key__is_in_no_text_of_the_provider_or_its_errors():
    entry = {"BACKEND": "openai", "OPTIONS": {"api_key": "s3cret-canary", "base_url": "http://127.0.0.1:9"}}
    with settings(PROVIDERS={"local": entry}):
        provider = get_provider("local")
    assert isinstance(provider, OpenAIProvider)
    assert "s3cret" not in repr(provider)
    wrong = {"BACKEND": "openai", "OPTIONS": {"api_key": "s3cret-canary", "timeout": -1}}
    with settings(PROVIDERS={"local": wrong}), pytest.raises(ConfigurationError) as caught:
        get_provider("local")
    assert "s3cret" not in str(caught.value)


def test_prices__of_the_settings_are_added_to_those_that_are_shipped():
    with settings(PROVIDERS={"canned": CANNED}, PRICES={"fake": {"input": 1_000_000, "output": "2000000"}}):
        provider = get_provider("canned")
        assert isinstance(provider, CannedProvider)
        provider.add(Message("assistant", "ok", usage=Usage(1, 2)))
        Agent(provider).chat("first")
        assert Agent(provider).chat("second").cost == Decimal(5)
    known = next(iter(default_prices().prices))
    assert provider.prices is not None
    assert provider.prices.price_of(known) == default_prices().price_of(known)


def test_prices__none_in_the_settings__provider_has_no_table_of_its_own():
    with settings(PROVIDERS={"canned": CANNED}):
        assert get_provider("canned").prices is None
