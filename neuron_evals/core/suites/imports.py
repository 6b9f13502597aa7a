"""Dotted paths in suites: what they name is imported by whoever says that it may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.naming import importer

Imports = Callable[[str], Any]
"""Returns what a dotted path names, or raises `ConfigurationError` where it names nothing or is not allowed."""


def no_imports(path: str) -> NoReturn:
    """Refuse a dotted path.

    Raises:
        ConfigurationError: Always.
    """
    msg = (
        f"{path!r} is a dotted path, and nothing is imported here: data and rows name no code; give the object itself, "
        "or keep the suite in a file whose modules are allowed by SUITE_IMPORTS or by imports="
    )
    raise ConfigurationError(msg)


def project_imports() -> Imports:
    """Return what the project allows its suite files to import: nothing, where nobody said what."""
    return importer() or no_imports
