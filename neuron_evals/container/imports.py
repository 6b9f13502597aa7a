"""What suite files may name by dotted path: what the setting `SUITE_IMPORTS` allows."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.registries.dotted import resolve

_SETTING = f'{conf.NAME}["SUITE_IMPORTS"]'


def suite_import(path: str) -> Any:
    """Return what a dotted path in a suite file names.

    Args:
        path: The dotted path. It must come from a file that a developer names, never from rows or requests.

    Raises:
        ConfigurationError: It is no dotted path of public names, it is not within what `SUITE_IMPORTS` allows, it leads
            through a module that is not, or there is no such thing.
    """
    if not conf.is_dotted_path(path) or any(part.startswith("_") for part in path.split(".")):
        msg = f"{path!r} is no dotted path of public names, such as shop.evals.Sentiment"
        raise ConfigurationError(msg)
    prefixes = conf.read().suite_imports
    if not _is_within(path, prefixes):
        allowed = f"it allows {', '.join(prefixes)}" if prefixes else "it is empty"
        msg = f"{path!r} is not within what {_SETTING} allows a suite file to import; {allowed}"
        raise ConfigurationError(msg)
    found = resolve(path, "a suite file")
    for module in _modules_on(path):
        if not _is_within(module.__name__, prefixes) and not _leads_to(module.__name__, prefixes):
            msg = f"{path!r} leads through the module {module.__name__}, which {_SETTING} does not allow"
            raise ConfigurationError(msg)
    return found


def _is_within(path: str, prefixes: Sequence[str]) -> bool:
    return any(path == prefix or path.startswith(f"{prefix}.") for prefix in prefixes)


def _leads_to(name: str, prefixes: Sequence[str]) -> bool:
    """Return whether a module is a package around one that is allowed."""
    return any(prefix.startswith(f"{name}.") for prefix in prefixes)


def _modules_on(path: str) -> Iterator[ModuleType]:
    """Yield the modules that a path leads through: a module may hold others that it imported."""
    parts = path.split(".")
    found: Any = None
    for depth, part in enumerate(parts, start=1):
        module = sys.modules.get(".".join(parts[:depth]))
        found = getattr(found, part, None) if module is None else module
        if isinstance(found, ModuleType):
            yield found
