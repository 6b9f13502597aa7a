"""`build`: objects from the container that the project chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name
from neuron_evals.registries.dotted import described, resolve

T = TypeVar("T")


def build(cls: type[T]) -> T:
    """Build an object of a class with the callable that the `CONTAINER` setting names.

    Args:
        cls: The class, such as an evaluator's.

    Returns:
        An object of `cls`.

    Raises:
        ConfigurationError: The container raised, or returned something else.
        SettingsError: `CONTAINER` names nothing that can be called.
    """
    setting = conf.read().container
    chosen = container(setting)
    try:
        made = chosen(cls)
    except ConfigurationError:
        raise
    except Exception as exc:
        msg = f"the container ({setting}) raised for {full_name(cls)}: {described(exc)}"
        raise ConfigurationError(msg) from exc
    if not isinstance(made, cls):
        msg = f"the container ({setting}) must return a {full_name(cls)}, got {type(made).__name__}"
        raise ConfigurationError(msg)
    return made


def container(setting: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return the callable that the `CONTAINER` setting is, or names.

    Raises:
        SettingsError: It cannot be imported or called.
    """
    return callable_from(setting, f'{conf.NAME}["CONTAINER"]', "Name a callable that takes a class.")


def callable_from(setting: str | Callable[..., Any], where: str, valid: str) -> Callable[..., Any]:
    """Return the callable that a setting is, or names.

    Args:
        setting: The callable, or its dotted path.
        where: Name of the setting, for messages.
        valid: What would be valid, for messages.

    Raises:
        SettingsError: The path cannot be imported, or names nothing that can be called.
    """
    found = resolve(setting, where) if isinstance(setting, str) else setting
    if not callable(found):
        raise conf.SettingsError([conf.Problem("E004", f'{where}: "{setting}" cannot be called', valid)])
    called: Callable[..., Any] = found
    return called
