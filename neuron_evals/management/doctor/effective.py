"""The settings as they are in effect, without what may be secret."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from django.db import connections

from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.results import full_name

if TYPE_CHECKING:
    from neuron_evals import conf

HIDDEN: Final = "(not shown)"

_SHOWN: Final = frozenset({"model", "path", "log", "python", "timeout", "max_retries", "max_concurrency", "verbosity"})
_SHORTEST_SECRET: Final = 4


def effective_settings(settings: conf.Settings) -> dict[str, Any]:
    """Return the settings with their defaults, as JSON values by their keys.

    Of options only those are told that hold no secret: names, paths, limits, the host of an address.
    """
    runner = settings.runner
    found = {
        "PROVIDERS": {name: _entry(entry) for name, entry in settings.providers.items()},
        "AGENTS": dict(settings.agents),
        "TOOLS": dict(settings.tools),
        "ASSERTIONS": dict(settings.assertions),
        "PRICES": {name: dict(prices) for name, prices in settings.prices.items()},
        "SUITE_IMPORTS": list(settings.suite_imports),
        "SUITE_DEFAULTS": {key.upper(): value for key, value in asdict(settings.suite_defaults).items()},
        "BINDINGS": dict(settings.bindings),
        "CONTAINER": _named(settings.container),
        "RUNNER": {
            "CONCURRENCY": runner.concurrency,
            "BEFORE_CHILD": _named(runner.before_child),
            "AFTER_CHILD": _named(runner.after_child),
        },
        "OUTPUTS": [_entry(entry) for entry in settings.outputs],
        "CACHE": _entry(settings.cache),
        "LAUNCHER": _entry(settings.launcher),
        "LIMITS": {
            "DATASET_ITEMS": settings.limits.dataset_items,
            "DATASET_BYTES": settings.limits.dataset_bytes,
            "STORED_BYTES": settings.limits.stored_bytes,
        },
    }
    cleaned: dict[str, Any] = clean_json(found)
    return cleaned


class Secrets:
    """Takes out of texts what settings hold and nobody shall see: errors of others may quote it.

    Args:
        settings: The settings.
    """

    def __init__(self, settings: conf.Settings) -> None:
        entries: list[Any] = [*settings.providers.values(), *settings.outputs, settings.cache, settings.launcher]
        texts = {text for entry in entries for text in _hidden_texts(entry.options)}
        texts |= {str(each.settings_dict.get("PASSWORD") or "") for each in connections.all(initialized_only=False)}
        # The longest first: one may be a part of another.
        self._texts = sorted((text for text in texts if len(text) >= _SHORTEST_SECRET), key=len, reverse=True)

    def taken_out(self, text: str) -> str:
        """Return a text without them."""
        for secret in self._texts:
            text = text.replace(secret, HIDDEN)
        return text


def _entry(entry: Any) -> dict[str, Any]:
    options = {name: _option(name, value) for name, value in entry.options.items()}
    return {"BACKEND": entry.backend, **({"OPTIONS": options} if options else {})}


def _option(name: str, value: Any) -> Any:
    if name in _SHOWN or name.endswith("_env"):
        return value if isinstance(value, str | int | float | bool | None) else str(value)
    if name == "base_url" and isinstance(value, str):
        return _host(value)
    return HIDDEN


def _host(address: str) -> str:
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return HIDDEN
    return f"{parts.scheme}://{parts.hostname}{port}"


def _named(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return full_name(value if isinstance(value, type) else type(value))


def _hidden_texts(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if name.endswith("_env") and isinstance(value, str):
            yield os.environ.get(value, "")
        elif name == "base_url" and isinstance(value, str):
            yield from _of_address(value)
        elif name not in _SHOWN:
            yield from _texts(value)


def _of_address(address: str) -> Iterator[str]:
    """Yield what of an address may be a key: who asks, and everything behind the path."""
    try:
        parts = urlsplit(address)
    except ValueError:
        yield address
        return
    yield from filter(None, (parts.username, parts.password, parts.query, parts.fragment))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        for part in value:
            yield from _texts(part)
