"""Reading plain settings: what can be used of them, and what is wrong with the rest."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeGuard

from neuron_evals.conf.errors import Problem, did_you_mean
from neuron_evals.conf.suite_defaults import read_suite_defaults
from neuron_evals.conf.values import (
    CacheEntry,
    Hook,
    LauncherEntry,
    LimitSettings,
    OutputEntry,
    ProviderEntry,
    RunnerSettings,
    Settings,
)
from neuron_evals.core.exceptions import InvalidArgument

NAME = "NEURON_EVALS"
"""The setting's name."""

_RANGES = {"DATASET_ITEMS": (1, 10_000_000), "DATASET_BYTES": (1, 4_000_000), "STORED_BYTES": (1_000, 1_000_000)}


def is_dotted_path(text: str) -> bool:
    """Return whether `text` has the form of a dotted path: names with dots between them, at least two."""
    parts = text.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def parse(raw: object) -> tuple[Settings, list[Problem]]:
    """Return the settings that can be used, with defaults in place of all others, and what is wrong with the others.

    Args:
        raw: The value of `NEURON_EVALS`.
    """
    reader = _Reader()
    return reader.settings(raw), reader.problems


class _Reader:
    """Turns plain settings into `Settings`; what it cannot use becomes a problem and the default stands in."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def settings(self, raw: object) -> Settings:
        readers: dict[str, Callable[[str, object], Any]] = {
            "PROVIDERS": self.providers,
            "AGENTS": self.agents,
            "TOOLS": self.tools,
            "PRICES": self.prices,
            "ASSERTIONS": self.assertions,
            "SUITE_IMPORTS": self.suite_imports,
            "SUITE_DEFAULTS": partial(read_suite_defaults, self),
            "BINDINGS": self.bindings,
            "CONTAINER": self.container,
            "RUNNER": self.runner,
            "OUTPUTS": self.outputs,
            "CACHE": self.cache,
            "LAUNCHER": self.launcher,
            "LIMITS": self.limits,
        }
        values = {
            key.lower(): readers[key](f'{NAME}["{key}"]', value) for key, value in self.section(NAME, raw, readers)
        }
        return Settings(**values)

    def providers(self, where: str, raw: object) -> dict[str, ProviderEntry]:
        valid = 'Use a dict from names to providers, such as {"openai": {"BACKEND": "openai", "OPTIONS": {...}}}.'
        if not isinstance(raw, Mapping):
            self.secret(where, raw, valid)
            return {}
        entries = {}
        for name, value in raw.items():
            if not isinstance(name, str) or not name or ":" in name:
                self.wrong(where, name, "A provider's name is text without a colon.")
                continue
            entry = self.provider(f'{where}["{name}"]', value)
            if entry is not None:
                entries[name] = entry
        return entries

    def provider(self, where: str, raw: object) -> ProviderEntry | None:
        if not isinstance(raw, Mapping):
            self.secret(where, raw, 'Use a dict, such as {"BACKEND": "openai", "OPTIONS": {...}}.')
            return None
        entry = dict(self.section(where, raw, ("BACKEND", "OPTIONS")))
        backend, options = entry.get("BACKEND"), entry.get("OPTIONS", {})
        if not isinstance(backend, str):
            self.wrong(f'{where}["BACKEND"]', backend, 'Use a name such as "openai", or the dotted path of a class.')
            return None
        if not _is_options(options):
            self.secret(f'{where}["OPTIONS"]', options, "Use a dict from option names to values.")
            return None
        return ProviderEntry(backend, dict(options))

    def agents(self, where: str, raw: object) -> dict[str, str]:
        return self.paths(where, raw, 'names to dotted paths, such as {"support": "shop.agents.SupportAgent"}')

    def tools(self, where: str, raw: object) -> dict[str, str]:
        return self.paths(where, raw, 'names to dotted paths, such as {"refund_order": "shop.tools.refund_order"}')

    def prices(self, where: str, raw: object) -> dict[str, Mapping[str, Any]]:
        if not isinstance(raw, Mapping) or not all(isinstance(model, str) for model in raw):
            self.wrong(where, raw, 'Use a dict from models to prices, such as {"qwen3": {"input": 1, "output": 4}}.')
            return {}
        if not raw:
            return {}
        from neuron_evals.core.providers.prices import PriceTable  # noqa: PLC0415  (few projects name prices)

        prices = {}
        for model, price in raw.items():
            try:
                PriceTable().with_overrides({model: price})
            except InvalidArgument as exc:
                self.problems.append(Problem("E002", f'{where}["{model}"]: {exc}', "Give prices per million tokens."))
            else:
                prices[model] = price
        return prices

    def assertions(self, where: str, raw: object) -> dict[str, str]:
        paths = self.paths(where, raw, 'names to dotted paths, such as {"sentiment": "shop.evals.Sentiment"}')
        for name in paths:
            if not (name.isascii() and name.isidentifier() and name == name.lower() and name[0] != "_"):
                message = f'{where}: "{name}" is no name for an assertion'
                self.problems.append(Problem("E008", message, 'Use snake case, such as "politeness_check".'))
        return paths

    def suite_imports(self, where: str, raw: object) -> tuple[str, ...]:
        valid = 'Use a list of modules or packages, such as ["shop.evals"].'
        if not isinstance(raw, list | tuple):
            self.wrong(where, raw, valid)
            return ()
        prefixes = []
        for index, prefix in enumerate(raw):
            if isinstance(prefix, str) and all(part.isidentifier() for part in prefix.split(".")):
                prefixes.append(prefix)
            else:
                self.wrong(f"{where}[{index}]", prefix, valid)
        return tuple(prefixes)

    def bindings(self, where: str, raw: object) -> dict[str, str]:
        example = 'dotted paths to dotted paths, such as {"shop.mail.Mailer": "shop.mail.FakeMailer"}'
        paths = self.paths(where, raw, example)
        for wanted in paths:
            if not is_dotted_path(wanted):
                self.wrong(where, wanted, "Each key must be the dotted path of a class.")
        return paths

    def container(self, where: str, raw: object) -> object:
        if self.is_target(raw):
            return raw
        self.wrong(where, raw, "Use a callable that takes a class and returns an object, or its dotted path.")
        return Settings().container

    def runner(self, where: str, raw: object) -> RunnerSettings:
        readers: dict[str, Callable[[str, object], Any]] = {
            "CONCURRENCY": self.concurrency,
            "BEFORE_CHILD": self.hook,
            "AFTER_CHILD": self.hook,
        }
        values = {
            key.lower(): readers[key](f'{where}["{key}"]', value) for key, value in self.section(where, raw, readers)
        }
        return RunnerSettings(**values)

    def concurrency(self, where: str, raw: object) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 1:
            return raw
        self.wrong(where, raw, "Use a whole number, 1 or more.")
        return 1

    def hook(self, where: str, raw: object) -> Hook:
        if raw is not None and not self.is_target(raw):
            self.wrong(where, raw, "Use a callable without parameters, its dotted path, or None.")
            return None
        return raw

    def outputs(self, where: str, raw: object) -> tuple[OutputEntry, ...]:
        if not isinstance(raw, list | tuple):
            self.wrong(where, raw, 'Use a list, such as ["console"].')
            return Settings().outputs
        return tuple(self.output(f"{where}[{index}]", entry) for index, entry in enumerate(raw))

    def output(self, where: str, raw: object) -> OutputEntry:
        if isinstance(raw, str):
            return OutputEntry(raw)
        if not isinstance(raw, Mapping):
            self.wrong(where, raw, 'Use a name such as "console", or {"BACKEND": "json", "OPTIONS": {...}}.')
            return OutputEntry("console")
        entry = dict(self.section(where, raw, ("BACKEND", "OPTIONS")))
        backend, options = entry.get("BACKEND"), entry.get("OPTIONS", {})
        if not isinstance(backend, str):
            self.wrong(f'{where}["BACKEND"]', backend, 'Use a name such as "json", or the dotted path of a class.')
            return OutputEntry("console")
        if not _is_options(options):
            self.wrong(f'{where}["OPTIONS"]', options, "Use a dict from option names to values.")
            return OutputEntry(backend)
        return OutputEntry(backend, dict(options))

    def cache(self, where: str, raw: object) -> CacheEntry:
        default = CacheEntry()
        backend, options = self.backend(where, raw, "file", default.backend, "database")
        own = default.options if backend == default.backend else {}
        return CacheEntry(backend, {**own, **options})

    def launcher(self, where: str, raw: object) -> LauncherEntry:
        return LauncherEntry(*self.backend(where, raw, "process", LauncherEntry().backend, "process"))

    def backend(self, where: str, raw: object, example: str, default: str, name: str) -> tuple[str, dict[str, Any]]:
        """Return name and options of an entry that is a name, or a dict with both; what is wrong is the default."""
        if isinstance(raw, str) and (raw.isidentifier() or is_dotted_path(raw)):
            return raw, {}
        if not isinstance(raw, Mapping):
            valid = f'Use a name such as "{name}", or a dict, such as {{"BACKEND": "{example}", "OPTIONS": {{...}}}}.'
            self.secret(where, raw, valid)
            return default, {}
        entry = dict(self.section(where, raw, ("BACKEND", "OPTIONS")))
        backend, options = entry.get("BACKEND", default), entry.get("OPTIONS", {})
        if not isinstance(backend, str):
            valid = f'Use a name such as "{example}", or the dotted path of a class.'
            self.wrong(f'{where}["BACKEND"]', backend, valid)
            return default, {}
        if not _is_options(options):
            self.secret(f'{where}["OPTIONS"]', options, "Use a dict from option names to values.")
            return default, {}
        return backend, dict(options)

    def limits(self, where: str, raw: object) -> LimitSettings:
        values = {}
        for key, value in self.section(where, raw, _RANGES):
            low, high = _RANGES[key]
            if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
                values[key.lower()] = value
            else:
                self.wrong(f'{where}["{key}"]', value, f"Use a whole number from {low:,} to {high:,}.")
        return LimitSettings(**values)

    def section(self, where: str, raw: object, keys: Iterable[str]) -> list[tuple[str, object]]:
        """Return the entries of a dict that have a known key."""
        if not isinstance(raw, Mapping):
            self.wrong(where, raw, f"Use a dict with some of the keys {', '.join(keys)}.")
            return []
        for key in raw:
            if key not in keys:
                hint = f"{did_you_mean(str(key), keys)} The valid keys are {', '.join(keys)}.".lstrip()
                self.problems.append(Problem("E001", f"{where}: there is no setting {_shown(key)}", hint))
        return [(key, value) for key, value in raw.items() if key in keys]

    def paths(self, where: str, raw: object, example: str) -> dict[str, str]:
        """Return the entries of a dict whose keys are text and whose values are dotted paths."""
        if not isinstance(raw, Mapping):
            self.wrong(where, raw, f"Use a dict from {example}.")
            return {}
        paths = {}
        for key, value in raw.items():
            if not isinstance(key, str):
                self.wrong(where, key, f"Use a dict from {example}.")
            elif not isinstance(value, str) or not is_dotted_path(value):
                self.wrong(f'{where}["{key}"]', value, 'Use a dotted path, such as "shop.evals.Sentiment".')
            else:
                paths[key] = value
        return paths

    @staticmethod
    def is_target(raw: object) -> TypeGuard[str | Callable[..., Any]]:
        return is_dotted_path(raw) if isinstance(raw, str) else callable(raw)

    def secret(self, where: str, raw: object, valid: str) -> None:
        """Do what `wrong` does, without showing what may be a key."""
        self.problems.append(Problem("E002", f"{where}: got {type(raw).__name__}", valid))

    def wrong(self, where: str, raw: object, valid: str) -> None:
        self.problems.append(Problem("E002", f"{where}: got {_shown(raw)}", valid))


def _is_options(raw: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(raw, Mapping) and all(isinstance(name, str) for name in raw)


def _shown(value: object) -> str:
    """Return a value for a message: itself when it is plain, else its type, as options may hold secrets."""
    return reprlib.repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
