"""The assertion types that declarative items may name."""

from __future__ import annotations

from inspect import isabstract
from typing import Any

from neuron_evals import conf
from neuron_evals.core.assertions import registry
from neuron_evals.core.checking import Assertion
from neuron_evals.core.results import full_name
from neuron_evals.registries.dotted import resolve


def assertion_types() -> dict[str, type[Assertion]]:
    """Return assertion classes by type name: the built-in ones, then those of the `ASSERTIONS` setting.

    Raises:
        SettingsError: A dotted path names no assertion class, or a name is taken already.
    """
    own = {name: assertion_type(name, path) for name, path in conf.read().assertions.items()}
    return {**registry.assertion_types(), **own}


def assertion_type(name: str, path: str) -> type[Assertion]:
    """Return the class for one entry of the `ASSERTIONS` setting.

    Raises:
        SettingsError: The dotted path names no assertion class, or the name is taken already.
    """
    where = f'{conf.NAME}["ASSERTIONS"]["{name}"]'
    found: Any = resolve(path, where)
    if not (isinstance(found, type) and issubclass(found, Assertion)) or isabstract(found):
        message = f'{where}: "{path}" is no assertion class'
        raise conf.SettingsError(
            [conf.Problem("E005", message, "Name a class that derives from neuron_evals.Assertion and has evaluate().")]
        )
    taken = registry.assertion_types().get(name)
    if taken is not None:
        message = f'{where}: "{name}" would mean {full_name(found)}, and it means {full_name(taken)} already'
        raise conf.SettingsError([conf.Problem("E009", message, "Choose another name.")])
    return found
