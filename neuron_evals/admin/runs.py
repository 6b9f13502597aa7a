"""Runs: to read, to cancel, to delete. Who may run suites makes them, from the pages of suites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.http import HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin.deletion import CountedDeletion
from neuron_evals.admin.filters import SuiteFilter
from neuron_evals.admin.pages import ReadOnlyPages, Tool, list_of, page_of, tool_of
from neuron_evals.admin.run_columns import RunColumns
from neuron_evals.models import EvalReview, EvalRun, EvalRunItem, EvalSuite, ItemStatus

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

_NOT_LISTED = ("metadata", "error", "dispatch_error", "agent__instructions", "agent__metadata", "agent__description")


@admin.register(EvalRun)
class EvalRunAdmin(RunColumns, CountedDeletion, ReadOnlyPages):
    """Runs."""

    list_display = (
        "number",
        "shown_source",
        "outcome",
        "marks",
        "counts",
        "shown_rate",
        "shown_score",
        "agent_name",
        "trigger",
        "triggered_by",
        "created_at",
        "duration",
    )
    list_display_links = ("number", "shown_source")
    list_filter = ("status", "fake", "trigger", SuiteFilter, "created_at")
    list_select_related = ("agent", "triggered_by")
    search_fields = ("source", "batch")
    ordering = ("-created_at", "-pk")
    actions = ("cancel_selected",)
    fieldsets: ClassVar[Any] = [
        (
            None,
            {
                "fields": [
                    "shown_source",
                    "suite_page",
                    "agent_page",
                    "judge_page",
                    "outcome",
                    "marks",
                    "shown_error",
                    "shown_dispatch_error",
                ]
            },
        ),
        (
            _("Results"),
            {"fields": ["counts", "shown_rate", "shown_score", "check_counts", "shown_statistics", "shown_metrics"]},
        ),
        (
            _("Course"),
            {
                "fields": [
                    "trigger",
                    "triggered_by",
                    "shown_launcher",
                    "attempt",
                    "shown_batch",
                    "parent_page",
                    "created_at",
                    "queued_at",
                    "started_at",
                    "finished_at",
                    "cancel_requested_at",
                    "duration",
                    "shown_shards",
                ]
            },
        ),
        (
            _("As it was"),
            {
                "fields": [
                    "shown_options",
                    "shown_agent",
                    "agent_fingerprint",
                    "shown_judge",
                    "judge_fingerprint",
                    "suite_hash",
                    "shown_revision",
                    "shown_versions",
                    "shown_metadata",
                ]
            },
        ),
    ]
    readonly_fields = tuple(name for _title, options in fieldsets for name in options["fields"])

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses, with that of the button that cancels."""
        cancel = self.admin_site.admin_view(self.cancel_view)
        return [path("<path:object_id>/cancel/", cancel, name="neuron_evals_evalrun_cancel"), *super().get_urls()]

    def lightened(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the runs without snapshots and figures, and their agents by name."""
        return rows.defer(*_NOT_LISTED, *_LARGE)

    def belonging(self, keys: list[Any]) -> list[QuerySet[Any]]:
        """Return results and reviews."""
        return [EvalRunItem.objects.filter(run__in=keys), EvalReview.objects.filter(item__run__in=keys)]

    def needing(self, keys: list[Any]) -> list[QuerySet[Any]]:
        """Return the suites that have one as their baseline."""
        return [EvalSuite.objects.filter(baseline__in=keys)]

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Return what the page of a deletion shows; a run that is not over hinders it."""
        rows = list(objs)
        shown, counts, lacking, hindering = super().get_deleted_objects(rows, request)
        said = gettext("run %(run)d (%(status)s): cancel it first, and delete it when it is over")
        active = [said % {"run": row.pk, "status": row.get_status_display()} for row in rows if not row.is_over]
        return shown, counts, lacking, [*active, *hindering]

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Return whether a person may cancel runs."""
        return self.allows(request, "cancel_evalrun")

    def page_tools(self, request: HttpRequest, row: EvalRun) -> list[Tool]:
        """Return the way to the results, and the button that cancels."""
        tools: list[Tool] = [
            {"label": _("Items"), "url": list_of(self, EvalRunItem, run=row.pk), "post": False},
            {"label": _("Failed items"), "url": _items_with(self, row, ItemStatus.FAILED), "post": False},
            {"label": _("Errors"), "url": _items_with(self, row, ItemStatus.ERROR), "post": False},
        ]
        if not row.is_over and row.cancel_requested_at is None and self.has_cancel_permission(request):
            tools.append({"label": _("Cancel"), "url": tool_of(self, row, "cancel"), "post": True})
        return tools

    def cancel_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Cancel a run, and return to its page."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        run = self.wanted(request, object_id, allowed=self.has_cancel_permission(request))
        self._cancel(request, run)
        return HttpResponseRedirect(page_of(self, EvalRun, run.pk))

    @admin.action(description=_("Cancel selected runs"), permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[EvalRun]) -> None:
        """Cancel runs."""
        for run in queryset.order_by("pk"):
            self._cancel(request, run)

    def _cancel(self, request: HttpRequest, run: EvalRun) -> None:
        from neuron_evals.runs import cancel_run  # noqa: PLC0415  (a start loads no engine)

        if not cancel_run(run):
            self.message_user(request, gettext("Run %d is over already.") % run.pk, messages.WARNING)
            return
        self.log_change(request, run, gettext("Cancelled."))
        done = (
            gettext("Run %d is cancelled.") if run.is_over else gettext("Run %d stops as soon as its executor sees it.")
        )
        self.message_user(request, done % run.pk, messages.SUCCESS)


def _items_with(pages: Any, run: EvalRun, status: ItemStatus) -> str:
    return list_of(pages, EvalRunItem, run=run.pk, status__exact=status.value)


_LARGE = ("options", "agent_snapshot", "judge_snapshot", "versions", "score_statistics", "metrics")
