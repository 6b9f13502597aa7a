"""Objects that a setting names with options for their constructors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from neuron_evals import conf
from neuron_evals.container.building import build
from neuron_evals.container.injection import Injector, resolved_bindings

T = TypeVar("T")


def built_with(cls: type[T], options: Mapping[str, Any]) -> T:
    """Build an object with these options; without any, by the project's own container.

    Args:
        cls: The class.
        options: Arguments of its constructor by name; the others are filled as `make` fills them.

    Raises:
        ConfigurationError: It cannot be built.
    """
    if not options:
        return build(cls)
    made: T = Injector(resolved_bindings(conf.read().bindings), options).make(cls)
    return made
