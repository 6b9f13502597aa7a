"""Providers by the names that the `PROVIDERS` setting gives them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from django.core.signals import setting_changed

from neuron_evals import conf
from neuron_evals.conf import Problem, SettingsError
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.providers.contract import BaseProvider
from neuron_evals.core.providers.http import HttpProvider
from neuron_evals.core.providers.prices import default_prices
from neuron_evals.registries.backends import Kind, refuse_unknown, unknown
from neuron_evals.registries.dotted import described

PROVIDERS: Mapping[str, str] = {
    "openai": "neuron_evals.core.providers.openai.OpenAIProvider",
    "anthropic": "neuron_evals.core.providers.anthropic.AnthropicProvider",
    "ollama": "neuron_evals.core.providers.ollama.OllamaProvider",
}
"""Names that stand for our own providers."""

_KIND = Kind("provider", BaseProvider, PROVIDERS)


def get_provider(alias: str) -> BaseProvider:
    """Return the provider of that name: one object for the whole process, so that its limits hold for all who use it.

    Args:
        alias: A name in the `PROVIDERS` setting.

    Raises:
        ConfigurationError: There is no such name, or the provider cannot be built.
        SettingsError: The entry names no provider, or has an unknown option.
    """
    with _lock:
        if alias not in _built:
            _built[alias] = _build(alias)
        return _built[alias]


def named_model(name: str, asked: BaseProvider | None = None) -> tuple[BaseProvider, str] | None:
    """Return the provider of a name such as `local:qwen3`, and its name of the model.

    Args:
        name: Name of a model.
        asked: The provider that is asked where the name begins with none; `None` when there is nobody. One that code
            made itself may have models such as `qwen3:8b`; of one in the settings they are named `local:qwen3:8b`.

    Returns:
        `None` when there is no colon, or when what stands before it is no name in the `PROVIDERS` setting and `asked`
        is not from there either.

    Raises:
        ConfigurationError: What stands before the colon is no name in the `PROVIDERS` setting, nothing stands behind
            it, or the provider cannot be built.
    """
    alias, colon, model = name.partition(":")
    if model and alias in conf.read().providers:
        return get_provider(alias), model
    own = None if asked is None else _alias_of(asked)
    if colon and (asked is None or own is not None):
        _refuse_name(name, own)
    return None


def provider_class(entry: conf.ProviderEntry, alias: str) -> type[BaseProvider]:
    """Return the class of a provider, after its name and the names of its options were checked.

    Raises:
        SettingsError: The name is unknown or names no provider, or an option is none of its constructor's.
    """
    return _KIND.named(entry.backend, entry.options, _place(alias))


def refuse_invalid_options(entry: conf.ProviderEntry, alias: str) -> None:
    """Refuse values of options that a provider cannot be built with.

    It is built for that, once more, and only where its class is one of those that connect to nothing then.

    Raises:
        SettingsError: As `provider_class`, or a value is invalid.
    """
    cls = provider_class(entry, alias)
    if not issubclass(cls, HttpProvider):
        return
    try:
        cls(**entry.options)
    except Exception as exc:
        message = f'{_place(alias)}["OPTIONS"]: {described(exc)}'
        raise SettingsError([Problem("E002", message, f"See the options of {cls.__name__}.")]) from exc


def _build(alias: str) -> BaseProvider:
    settings = conf.read()
    entry = settings.providers.get(alias)
    if entry is None:
        refuse_unknown("provider", "PROVIDERS", alias, settings.providers)
    try:
        provider = provider_class(entry, alias)(**entry.options)
    except ConfigurationError:
        raise
    except Exception as exc:
        msg = f"{_place(alias)}: {described(exc)}"
        raise ConfigurationError(msg) from exc
    if settings.prices and provider.prices is None:
        provider.prices = default_prices().with_overrides(settings.prices)
    return provider


def _refuse_name(name: str, own: str | None) -> NoReturn:
    """Refuse a name with a colon; `own` is the name of the provider that would be asked else, if there is one."""
    alias = name.partition(":")[0]
    known = conf.read().providers
    if alias in known:
        why = f"one stands behind the colon, such as {alias}:qwen3"
    else:
        why = unknown("provider", "PROVIDERS", alias, known)
        if own is not None:
            why += f" A model with a colon in its own name stands behind its provider: {own}:{name}."
    msg = f"{name!r} names no model: {why}"
    raise ConfigurationError(msg)


def _alias_of(provider: BaseProvider) -> str | None:
    """Return the name that the settings have for a provider that was built from them; `None` for any other."""
    with _lock:
        return next((alias for alias, built in _built.items() if built is provider), None)


def _place(alias: str) -> str:
    return f'{conf.NAME}["PROVIDERS"]["{alias}"]'


_lock = threading.Lock()
_built: dict[str, BaseProvider] = {}


def _forget(*, setting: str, **_: Any) -> None:
    if setting != conf.NAME:
        return
    with _lock:
        providers = list(_built.values())
        _built.clear()
    for provider in providers:
        provider.close()


setting_changed.connect(_forget, dispatch_uid="neuron_evals.registries.providers")
