"""Dotted paths of settings and commands turned into what they name. Nothing else in the app imports by name."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from neuron_evals.conf import Problem, SettingsError, did_you_mean
from neuron_evals.core.exceptions import ConfigurationError, NeuronEvalsError
from neuron_evals.core.tracebacks import error_message


def resolve(path: str, where: str) -> Any:
    """Return what a dotted path names: something in a module, also inside a class.

    Args:
        path: The dotted path. It must come from settings or from the command line, never from data.
        where: The setting or option that holds it, for messages.

    Raises:
        SettingsError: There is no such thing, or a module raised while it was imported.
    """
    parts = path.split(".")
    modules = _modules(parts, path, where)
    if not modules:
        raise _unresolved(path, where, f'there is no module "{parts[0]}"')
    found: Any = modules[-1]
    for position in range(len(modules), len(parts)):
        try:
            found = getattr(found, parts[position])
        except AttributeError:
            parent = ".".join(parts[:position])
            nearest = did_you_mean(path, (f"{parent}.{name}" for name in _names_in(found)))
            raise _unresolved(path, where, f'{parent} has no "{parts[position]}"', nearest) from None
        except Exception as exc:
            raise _unresolved(path, where, f"reading it raised {described(exc)}") from exc
    return found


def described(exc: BaseException) -> str:
    """Return an error as one line; our own speak for themselves, others are named."""
    text = " ".join(error_message(exc).split())
    if text and isinstance(exc, ConfigurationError | NeuronEvalsError):
        return text
    return f"{type(exc).__name__}: {text}" if text else type(exc).__name__


def _modules(parts: list[str], path: str, where: str) -> list[ModuleType]:
    """Return the modules on the way to what is named, from the outermost; what they hold is read from the last one."""
    modules: list[ModuleType] = []
    for depth in range(1, len(parts)):
        name = ".".join(parts[:depth])
        try:
            modules.append(import_module(name))
        except (Exception, SystemExit) as exc:
            if not (isinstance(exc, ModuleNotFoundError) and exc.name == name):
                raise _unresolved(path, where, f"importing {name} raised {described(exc)}") from exc
            break
    return modules


def _names_in(found: object) -> Iterator[str]:
    """Yield the public names in a module or class, and a package's modules."""
    yield from (name for name in dir(found) if not name.startswith("_"))
    if isinstance(found, ModuleType) and hasattr(found, "__path__"):
        yield from (info.name for info in iter_modules(found.__path__))


def _unresolved(path: str, where: str, why: str, hint: str = "") -> SettingsError:
    hint = hint or "Name something in a module that can be imported, such as shop.evals.Sentiment."
    return SettingsError([Problem("E003", f'{where}: "{path}" cannot be imported: {why}', hint)])
