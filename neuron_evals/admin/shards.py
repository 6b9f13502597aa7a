"""Shards of runs: who executes what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.filters import RunFilter
from neuron_evals.admin.pages import ReadOnlyPages, page_of
from neuron_evals.models import EvalRun, EvalRunShard

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(EvalRunShard)
class EvalRunShardAdmin(ReadOnlyPages):
    """Shards; the tokens of their leases are never shown."""

    list_display = ("__str__", "status", "shown_executor", "attempt", "heartbeat_at", "lease_expires_at")
    list_filter = (RunFilter, "status")
    ordering = ("-run", "number")
    fields = (
        "run_page",
        "number",
        "start",
        "end",
        "status",
        "shown_executor",
        "attempt",
        "heartbeat_at",
        "lease_expires_at",
    )
    readonly_fields = fields

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return that no shard is deleted without its run."""
        return False

    @admin.display(description=_("run"))
    def run_page(self, shard: EvalRunShard) -> str:
        """Return a link to the run."""
        return format_html('<a href="{}">{}</a>', page_of(self, EvalRun, shard.run_id), shard.run_id)

    @admin.display(description=_("executor"), ordering="executor")
    def shown_executor(self, shard: EvalRunShard) -> str:
        """Return who has it, or had it last."""
        return texts.one_line(shard.executor, 200) or texts.NONE

    @admin.display(description=_("end"))
    def end(self, shard: EvalRunShard) -> str:
        """Return the position behind its last item."""
        return gettext("end of the dataset") if shard.stop is None else str(shard.stop)
