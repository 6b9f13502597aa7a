"""Cached outputs: to read and to delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.pages import ReadOnlyPages
from neuron_evals.models import CachedOutput

if TYPE_CHECKING:
    from django.db.models import QuerySet


@admin.register(CachedOutput)
class CachedOutputAdmin(ReadOnlyPages):
    """Outputs that a later run may use again."""

    list_display = ("__str__", "shown_evaluator", "shown_item", "size", "created_at")
    list_filter = ("created_at",)
    search_fields = ("evaluator", "item_id", "key")
    ordering = ("-created_at", "-pk")
    fields = ("key", "shown_evaluator", "shown_item", "size", "created_at", "shown_payload")
    readonly_fields = fields

    def lightened(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the entries without what they hold."""
        return rows.defer("payload")

    @admin.display(description=_("evaluator"), ordering="evaluator")
    def shown_evaluator(self, entry: CachedOutput) -> str:
        """Return the evaluator's name."""
        return texts.one_line(entry.evaluator, 300) or texts.NONE

    @admin.display(description=_("item"))
    def shown_item(self, entry: CachedOutput) -> str:
        """Return the item's identity."""
        return texts.one_line(entry.item_id) or texts.NONE

    @admin.display(description=_("payload"))
    def shown_payload(self, entry: CachedOutput) -> str:
        """Return what is held, as text."""
        return texts.text_block(entry.payload)
