"""The Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from neuron_evals.checks import check_databases, check_settings


class NeuronEvalsConfig(AppConfig):
    """Registers the app's system checks, and nothing more."""

    name = "neuron_evals"
    label = "neuron_evals"
    verbose_name = _("Agent evaluations")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        register(check_settings, "neuron_evals")
        register(check_databases, "neuron_evals", Tags.database)
