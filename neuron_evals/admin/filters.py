"""Filters whose choices load no whole rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from neuron_evals.models import EvalSuite

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

_MOST = 200


def _is_key(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isdecimal() and len(value) < len(str(2**63))


class SuiteFilter(admin.SimpleListFilter):
    """The runs of one suite."""

    title = _("suite")
    parameter_name = "suite"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Return the suites by name, without their datasets."""
        suites = EvalSuite.objects.order_by("name", "pk").only("name")[:_MOST]
        return [(suite.pk, str(suite)) for suite in suites]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the runs of the chosen one; none where what was asked for is no number."""
        value = self.value()
        if value is None:
            return queryset
        return queryset.filter(suite=int(value)) if _is_key(value) else queryset.none()


class RunFilter(admin.SimpleListFilter):
    """What belongs to one run. Runs are too many to choose from: a run's page leads here."""

    title = _("run")
    parameter_name = "run"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Return the run that was asked for, if one was."""
        value = request.GET.get(self.parameter_name)
        return [(value, str(_("run %s")) % value)] if value is not None and _is_key(value) else []

    def has_output(self) -> bool:
        """Return whether it is shown; what was asked for filters all the same."""
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return what belongs to the run; nothing where what was asked for is no number."""
        value = self.value()
        if value is None:
            return queryset
        return queryset.filter(run=int(value)) if _is_key(value) else queryset.none()
