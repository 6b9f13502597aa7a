"""The launcher that the `LAUNCHER` setting names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from neuron_evals import conf
from neuron_evals.container.backed import built_with
from neuron_evals.launchers import Launcher
from neuron_evals.registries.backends import Kind

LAUNCHERS: Mapping[str, str] = {
    "process": "neuron_evals.launchers.ProcessLauncher",
    "inline": "neuron_evals.launchers.InlineLauncher",
    "rq": "neuron_evals.jobs.RqLauncher",
}
"""Names that stand for our own launchers."""

_KIND = Kind("launcher", Launcher, LAUNCHERS)


def make_launcher() -> Launcher:
    """Build the launcher that the `LAUNCHER` setting names; by default a `ProcessLauncher`.

    Raises:
        SettingsError: The setting names no launcher, has an unknown option, or what it needs is not installed.
        ConfigurationError: The launcher cannot be built.
    """
    entry = conf.read().launcher
    return built_with(launcher_class(entry), entry.options)


def launcher_class(entry: conf.LauncherEntry) -> type[Launcher]:
    """Return the class of a launcher, after its name and the names of its options were checked.

    Raises:
        SettingsError: The name is unknown or names no launcher, what it needs is not installed, or an option is none of
            its constructor's.
    """
    where = f'{conf.NAME}["LAUNCHER"]'
    if entry.backend == "rq" and not all(map(find_spec, ("neuron_evals.jobs", "django_rq"))):
        hint = 'Install what it needs, or use "process".'
        raise conf.SettingsError([conf.Problem("E003", f'{where}: the launcher "rq" is not installed', hint)])
    return _KIND.named(entry.backend, entry.options, where)
