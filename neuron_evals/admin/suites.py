"""Suites: to edit, with all problems by item and field, and to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.http import HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.deletion import CountedDeletion
from neuron_evals.admin.forms import OneFault, StrictJSON
from neuron_evals.admin.launching import started_run
from neuron_evals.admin.pages import Tool, list_of, page_of, tool_of
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite, RunStatus
from neuron_evals.models.agents import UNSTORED

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

_NOT_LISTED = ("dataset", "description", "judge_config", "tags", "metadata")
_OF_AGENTS = ("instructions", "description", "metadata", "tools", "approval_tools")


class SuiteForm(OneFault):
    """The form of a suite."""

    def clean(self) -> Any:
        """Have a judge that could not be read count as one: no item lacks it."""
        if "judge" in self.errors:
            self.instance.judge = AgentDefinition(pk=UNSTORED)
        if "judge_config" in self.errors:
            self.instance.judge_config = {"model": "unread"}
        return super().clean()


@admin.register(EvalSuite)
class EvalSuiteAdmin(StrictJSON, CountedDeletion):
    """Suites."""

    form = SuiteForm
    list_display = (
        "shown_name",
        "slug",
        "agent_name",
        "item_count",
        "latest_run",
        "latest_rate",
        "is_active",
        "updated_at",
    )
    list_filter = ("is_active",)
    list_select_related = ("agent",)
    search_fields = ("name", "slug")
    ordering = ("name", "pk")
    autocomplete_fields = ("agent", "judge")
    raw_id_fields = ("baseline",)
    readonly_fields = ("item_count", "content_hash", "created_by", "created_at", "updated_at")
    actions = ("run_selected",)
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["name", "slug", "description", "agent", "judge", "is_active"]}),
        (
            _("Dataset"),
            {
                "fields": ["dataset", "item_count"],
                "description": _("A JSON list of items. All problems are shown at once, by item (from 0) and field."),
            },
        ),
        (
            _("Defaults"),
            {"fields": ["repeats", "concurrency", "timeout", "retries", "min_success_rate", "baseline", "tags"]},
        ),
        (
            _("More"),
            {
                "fields": ["judge_config", "metadata", "content_hash", "created_by", "created_at", "updated_at"],
                "classes": ["collapse"],
            },
        ),
    ]

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses, with that of the button that runs."""
        run = self.admin_site.admin_view(self.run_view)
        return [path("<path:object_id>/run/", run, name="neuron_evals_evalsuite_run"), *super().get_urls()]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what cannot be changed: the slug too, once it is stored."""
        return self.readonly_fields if obj is None else ("slug", *self.readonly_fields)

    def lightened(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the suites without their datasets, with their latest run."""
        return rows.with_latest_run().defer(*_NOT_LISTED, *(f"agent__{column}" for column in _OF_AGENTS))  # type: ignore[attr-defined,no-any-return]

    def needing(self, keys: list[Any]) -> list[QuerySet[Any]]:
        """Return the runs of them."""
        return [EvalRun.objects.filter(suite__in=keys)]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Store a suite; a new one is that of the person who is signed in."""
        if not change:
            obj.created_by = request.user
        super().save_model(request, obj, form, change)

    def has_run_permission(self, request: HttpRequest) -> bool:
        """Return whether a person may run suites, which costs money."""
        return self.allows(request, "run_evalsuite")

    def page_tools(self, request: HttpRequest, row: EvalSuite) -> list[Tool]:
        """Return the way to the runs, and the button that runs."""
        tools: list[Tool] = [{"label": _("Runs"), "url": list_of(self, EvalRun, suite=row.pk), "post": False}]
        if self.has_run_permission(request):
            tools.append({"label": _("Run as saved"), "url": tool_of(self, row, "run"), "post": True})
        return tools

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Start a run of a suite as it is stored, and go to the run's page, or back where there are problems."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        suite = self.wanted(request, object_id, allowed=self.has_run_permission(request))
        run = started_run(self, request, suite)
        if run is None or not request.user.has_perm("neuron_evals.view_evalrun"):
            return HttpResponseRedirect(page_of(self, EvalSuite, suite.pk))
        return HttpResponseRedirect(page_of(self, EvalRun, run.pk))

    @admin.action(description=_("Run selected suites"), permissions=["run"])
    def run_selected(self, request: HttpRequest, queryset: QuerySet[EvalSuite]) -> None:
        """Start a run of each suite."""
        for suite in queryset.order_by("pk"):
            started_run(self, request, suite)

    @admin.display(description=_("name"), ordering="name")
    def shown_name(self, suite: EvalSuite) -> str:
        """Return the name."""
        return str(suite)

    @admin.display(description=_("agent"), ordering="agent__name")
    def agent_name(self, suite: EvalSuite) -> str:
        """Return the agent's name."""
        return str(suite.agent)

    @admin.display(description=_("latest run"))
    def latest_run(self, suite: Any) -> str:
        """Return the newest run, with its status."""
        if suite.latest_run_id is None:
            return texts.NONE
        status = RunStatus(suite.latest_run_status)
        page = page_of(self, EvalRun, suite.latest_run_id)
        return format_html('<a href="{}">{}</a>: {}', page, suite.latest_run_id, texts.badge(status, status.label))

    @admin.display(description=_("success rate"))
    def latest_rate(self, suite: Any) -> str:
        """Return the newest run's success rate."""
        return texts.NONE if suite.latest_run_id is None else texts.rate(suite.latest_success_rate)
