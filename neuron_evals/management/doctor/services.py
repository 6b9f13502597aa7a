"""What is wrong with what the settings name: providers, agents, outputs, cache, launcher."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from neuron_evals import conf, container
from neuron_evals.checks import check_settings
from neuron_evals.core.outputs import OutputPipeline
from neuron_evals.management.doctor.findings import Finding, asked

if TYPE_CHECKING:
    from collections.abc import Iterable


def setting_findings() -> Iterator[Finding]:
    """Yield what is wrong with the settings and with what they name; no model is asked, and nothing is stored."""
    wrong = check_settings()
    for found in wrong:
        yield Finding("settings", f"{found.msg}. {found.hint} ({found.id})")
    if conf.problems():
        return
    settings = conf.read()
    for alias in settings.providers:
        yield from asked(f'provider "{alias}"', partial(_of_provider, alias))
    for name in settings.agents:
        yield from asked(f'agent "{name}"', partial(_of_agent, name))
    yield from asked("outputs", _of_outputs)
    yield from asked("cache", lambda: container.make_cache().problems())
    # The commands that most projects use need none.
    chosen = settings.launcher != conf.LauncherEntry()
    yield from asked("launcher", lambda: container.make_launcher().problems(), is_problem=chosen)


def _of_provider(alias: str) -> Iterable[str]:
    return container.get_provider(alias).problems()


def _of_agent(name: str) -> Iterable[str]:
    return container.get_agent(name).problems()


def _of_outputs() -> Iterable[str]:
    return OutputPipeline(container.output_drivers()).problems()
