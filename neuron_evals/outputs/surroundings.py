"""What a run keeps of where it was made: revision of the code, versions, settings. Never a secret."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import django

from neuron_evals import __version__, conf

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGES = ("httpx", "jsonschema", "numpy", "rapidfuzz", "regex")
_GIT = ("git", "describe", "--always", "--dirty", "--tags")
_PATIENCE = 10


def surroundings() -> dict[str, Any]:
    """Return the columns of a run that say where it was made: revision, versions and, in `metadata`, settings."""
    return {"code_revision": code_revision(), "versions": versions(), "metadata": {"settings": settings_kept()}}


def code_revision(folder: Path | None = None) -> str:
    """Return the revision of the code in a folder, as `git describe` names it; empty when there is none.

    Args:
        folder: The folder; the working directory by default.
    """
    try:
        done = subprocess.run(  # noqa: S603  (a fixed command)
            _GIT, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def versions() -> dict[str, str]:
    """Return the versions of what results may depend on, by name."""
    found = {"python": platform.python_version(), "django": django.__version__, "neuron_evals": __version__}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def settings_kept() -> dict[str, Any]:
    """Return what of the settings may shape results: names and numbers, no options of backends, which hold secrets."""
    settings = conf.read()
    return {
        "providers": {name: entry.backend for name, entry in sorted(settings.providers.items())},
        "agents": dict(settings.agents),
        "assertions": dict(settings.assertions),
        "container": settings.container if isinstance(settings.container, str) else repr(type(settings.container)),
        "concurrency": settings.runner.concurrency,
        "cache": settings.cache.backend,
    }
