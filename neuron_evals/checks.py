"""System checks of the settings. Their numbers are permanent; `docs/reference/system-checks.md` lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.core.checks import CheckMessage, Error

from neuron_evals import conf


def check_settings(**_: Any) -> list[CheckMessage]:
    """Return an error for each thing that is wrong with `NEURON_EVALS`; never raise, whatever its modules do."""
    settings, problems = conf.parsed()
    problems += _unresolvable(settings)
    return [Error(problem.message, hint=problem.hint, id=f"neuron_evals.{problem.code}") for problem in problems]


def _unresolvable(settings: conf.Settings) -> list[conf.Problem]:
    problems: list[conf.Problem] = []
    for resolve in _resolutions(settings):
        try:
            resolve()
        except conf.SettingsError as error:
            problems.extend(error.problems)
    return problems


def _resolutions(settings: conf.Settings) -> Iterator[Callable[[], object]]:
    """Yield, for each name in the settings, what resolves it."""
    from neuron_evals.container import (  # noqa: PLC0415  (start-up without checks stays short)
        assertions,
        building,
        drivers,
        injection,
        runners,
    )

    yield from _resolutions_of_agents(settings)
    for name, path in settings.assertions.items():
        yield partial(assertions.assertion_type, name, path)
    for wanted, target in settings.bindings.items():
        yield partial(injection.resolved_binding, wanted, target)
    yield partial(building.container, settings.container)
    yield partial(runners.hook, "BEFORE_CHILD", settings.runner.before_child)
    yield partial(runners.hook, "AFTER_CHILD", settings.runner.after_child)
    for index, entry in enumerate(settings.outputs):
        yield partial(drivers.driver_class, entry, drivers.output_place(index))
    if settings.cache != conf.CacheEntry():
        from neuron_evals.container import caches  # noqa: PLC0415  (only a project that names a cache pays for it)

        yield partial(caches.cache_class, settings.cache)


def _resolutions_of_agents(settings: conf.Settings) -> Iterator[Callable[[], object]]:
    if not (settings.providers or settings.agents or settings.tools):
        return
    from neuron_evals.container import agents, providers  # noqa: PLC0415  (only a project with agents pays for them)

    for alias, entry in settings.providers.items():
        yield partial(providers.refuse_invalid_options, entry, alias)
    for name, path in settings.agents.items():
        yield partial(agents.agent_target, name, path)
    for name, path in settings.tools.items():
        yield partial(agents.named_tool, name, path)
