"""The settings as values, with their defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Hook = str | Callable[[], None] | None
"""A dotted path or the callable itself; `None` for nothing."""


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """The `RUNNER` setting.

    Attributes:
        concurrency: How many items are in flight at most, 1 or more, unless a command says otherwise.
        before_child: Called in a worker thread before each item.
        after_child: Called in a worker thread after each item.
    """

    concurrency: int = 1
    before_child: Hook = None
    after_child: Hook = None


@dataclass(frozen=True, slots=True)
class SuiteDefaultSettings:
    """The `SUITE_DEFAULTS` setting: what goes for suites where neither run, item nor suite say it.

    Attributes:
        model: Name of the agent's model; `None` for the agent's own, and so below.
        instructions: The agent's system prompt.
        model_settings: `temperature`, `top_p`, `max_tokens` and `seed`, those that are given.
        timeout: Seconds that an item may take; `None` for what is usual in the suite's format.
        retries: How often an item is tried again after an error of infrastructure; `None` for 0.
    """

    model: str | None = None
    instructions: str | None = None
    model_settings: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    retries: int | None = None


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """One entry of the `OUTPUTS` setting.

    Attributes:
        backend: A name such as `"console"`, or the dotted path of an output driver's class.
        options: Keyword arguments for its constructor.
    """

    backend: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """One entry of the `PROVIDERS` setting.

    Attributes:
        backend: A name such as `"openai"`, or the dotted path of a provider's class.
        options: Keyword arguments for its constructor; not shown, as they may hold secrets.
    """

    backend: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """The `CACHE` setting.

    Attributes:
        backend: A name such as `"file"`, or the dotted path of a cache's class.
        options: Keyword arguments for its constructor; not shown, as they may hold secrets.
    """

    backend: str = "file"
    options: Mapping[str, Any] = field(default_factory=lambda: {"path": ".neuron/cache/evaluation"}, repr=False)


@dataclass(frozen=True, slots=True)
class LauncherEntry:
    """The `LAUNCHER` setting.

    Attributes:
        backend: A name such as `"process"`, or the dotted path of a launcher's class.
        options: Keyword arguments for its constructor; not shown, as they may hold secrets.
    """

    backend: str = "process"
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The `LIMITS` setting: how large what is stored may be.

    Attributes:
        dataset_items: Most items of a suite's dataset, 1 or more.
        dataset_bytes: Most bytes of a suite's dataset as JSON text (UTF-8), 1 to 4,000,000.
        stored_bytes: Most bytes of one text or JSON value of a result, 1,000 to 1,000,000. A row has several, and
            MariaDB takes 16 MB at once.
    """

    dataset_items: int = 10_000
    dataset_bytes: int = 2_000_000
    stored_bytes: int = 262_144


@dataclass(frozen=True, slots=True)
class Settings:
    """`NEURON_EVALS` with its defaults filled in; the fields are its keys in lower case."""

    providers: Mapping[str, ProviderEntry] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    assertions: Mapping[str, str] = field(default_factory=dict)
    suite_imports: tuple[str, ...] = ()
    suite_defaults: SuiteDefaultSettings = field(default_factory=SuiteDefaultSettings)
    bindings: Mapping[str, str] = field(default_factory=dict)
    container: str | Callable[[type], object] = "neuron_evals.container.make"
    runner: RunnerSettings = field(default_factory=RunnerSettings)
    outputs: tuple[OutputEntry, ...] = (OutputEntry("console"),)
    cache: CacheEntry = field(default_factory=CacheEntry)
    launcher: LauncherEntry = field(default_factory=LauncherEntry)
    limits: LimitSettings = field(default_factory=LimitSettings)
