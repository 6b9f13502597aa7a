"""Evaluators as the project builds them, where Django is set up; nothing here imports Django."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name
from neuron_evals.core.runner import InPlaceRunner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neuron_evals.core.checking import Assertion
    from neuron_evals.core.evaluators import BaseEvaluator


def is_django_ready() -> bool:
    """Return whether Django is set up, and this app is one of its apps."""
    registry = sys.modules.get("django.apps")
    return registry is not None and registry.apps.ready and registry.apps.is_installed("neuron_evals")


def built(evaluator: type[BaseEvaluator]) -> BaseEvaluator:
    """Return an evaluator of a class: from the project's container, or made without arguments outside Django.

    Raises:
        ConfigurationError: It cannot be built.
    """
    if is_django_ready():
        from neuron_evals.container import build  # noqa: PLC0415  (it imports Django)

        return build(evaluator)
    try:
        return evaluator()
    except TypeError as exc:
        msg = (
            f"{full_name(evaluator)} cannot be made without arguments: {exc}; the container fills them where Django is "
            'set up, as pytest-django does it, with "neuron_evals" in INSTALLED_APPS'
        )
        raise ConfigurationError(msg) from exc


def runner() -> InPlaceRunner:
    """Return a runner for tests, which looks after the connections of async code where Django is set up."""
    if is_django_ready():
        from neuron_evals.container import make_test_runner  # noqa: PLC0415  (as above)

        return make_test_runner()
    return InPlaceRunner()


def assertion_types() -> Mapping[str, type[Assertion]] | None:
    """Return the assertion types that the project's settings name, beside those of the package; `None` without Django.

    Raises:
        SettingsError: One cannot be used.
    """
    if not is_django_ready():
        return None
    from neuron_evals.container import assertion_types as of_settings  # noqa: PLC0415  (as above)

    return of_settings()
