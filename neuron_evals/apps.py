"""The Django app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.checks import check_databases, check_settings
from neuron_evals.core.bounds import SuiteSize, size_suites_by
from neuron_evals.core.naming import (
    import_suite_names_by,
    name_agents_by,
    name_models_by,
    take_suite_defaults_from,
)

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.core.providers.contract import BaseProvider
    from neuron_evals.core.suites import SuiteDefaults


class NeuronEvalsConfig(AppConfig):
    """Registers the app's system checks, and what its settings know for the engine; nothing more."""

    name = "neuron_evals"
    label = "neuron_evals"
    verbose_name = _("Agent evaluations")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks, and what the settings know for the engine."""
        register(check_settings, "neuron_evals")
        register(check_databases, "neuron_evals", Tags.database)
        name_agents_by(_agent)
        name_models_by(_model)
        import_suite_names_by(_suite_import)
        size_suites_by(_suite_size)
        take_suite_defaults_from(_suite_defaults)


def _agent(name: str) -> BaseAgent:
    from neuron_evals.container import get_agent  # noqa: PLC0415  (a start without agents need not load it)

    return get_agent(name)


def _model(name: str, asked: BaseProvider | None) -> tuple[BaseProvider, str] | None:
    from neuron_evals.container import named_model  # noqa: PLC0415  (as above)

    return named_model(name, asked)


def _suite_size() -> SuiteSize:
    limits = conf.read().limits
    return SuiteSize(limits.dataset_items, limits.dataset_bytes)


def _suite_import(path: str) -> object:
    from neuron_evals.container import suite_import  # noqa: PLC0415  (as above)

    return suite_import(path)


def _suite_defaults() -> SuiteDefaults:
    from neuron_evals.container import suite_defaults  # noqa: PLC0415  (as above)

    return suite_defaults()
