"""`NEURON_EVALS`, read and checked. This is the only module that reads `django.conf.settings`.

Nothing is imported from the dotted paths found here: `problems` and `read` look at the shape alone.
"""

from __future__ import annotations

from functools import cache

from django.conf import settings
from django.core.signals import setting_changed

from neuron_evals.conf.errors import Problem, SettingsError, did_you_mean
from neuron_evals.conf.reading import NAME, is_dotted_path, parse
from neuron_evals.conf.values import (
    CacheEntry,
    Hook,
    LauncherEntry,
    LimitSettings,
    OutputEntry,
    ProviderEntry,
    RunnerSettings,
    Settings,
    SuiteDefaultSettings,
)

__all__ = [
    "NAME",
    "CacheEntry",
    "Hook",
    "LauncherEntry",
    "LimitSettings",
    "OutputEntry",
    "Problem",
    "ProviderEntry",
    "RunnerSettings",
    "Settings",
    "SettingsError",
    "SuiteDefaultSettings",
    "did_you_mean",
    "is_dotted_path",
    "parsed",
    "problems",
    "read",
    "user_model",
]


def user_model() -> str:
    """Return the name of the project's user model, such as `"auth.User"`: what rows that name a person refer to."""
    return settings.AUTH_USER_MODEL


@cache
def read() -> Settings:
    """Return the settings; they are read once, and again after they were overridden.

    Raises:
        SettingsError: The settings are of the wrong shape; it lists all problems.
    """
    found, wrong = parsed()
    if wrong:
        raise SettingsError(wrong)
    return found


def problems() -> list[Problem]:
    """Return everything that is wrong with the shape of the settings."""
    return parsed()[1]


def parsed() -> tuple[Settings, list[Problem]]:
    """Return the settings that can be used, with defaults in place of all others, and what is wrong with the others."""
    return parse(getattr(settings, NAME, {}))


def _forget(*, setting: str, **_: object) -> None:
    if setting == NAME:
        read.cache_clear()


setting_changed.connect(_forget, dispatch_uid="neuron_evals.conf")
